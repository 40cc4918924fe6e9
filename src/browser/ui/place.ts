/** `ui-place.js`: popovers stand beside their button, in browsers without anchor positioning (CSS Anchor Positioning 1). */
import { DOM } from "../../shared/wire.ts";
import { placeBeside } from "./placement.ts";

/** Button that was clicked last: that of what opens. */
let button: Element | undefined;

const put = (popup: HTMLElement, anchor: Element): void => {
  const { style } = popup;
  const room = document.documentElement;
  // Nothing of it may stick out while it is measured, or it would be as narrow as what is left of the window.
  style.inset = "0 auto auto 0";
  style.margin = "0";
  const { x, y } = placeBeside(
    anchor.getBoundingClientRect(),
    popup.getBoundingClientRect(),
    { width: room.clientWidth, height: room.clientHeight },
    popup.getAttribute(DOM.place)!,
    getComputedStyle(anchor).direction === "rtl",
  );
  style.left = `${x}px`;
  style.top = `${y}px`;
};

/** Open popover -> its button. */
const open = new Map<HTMLElement, Element>();

const buttonOf = (popup: HTMLElement): Element | null => {
  const selector = `[popovertarget="${popup.id}"]`;
  return button?.matches(selector) ? button : document.querySelector(selector);
};

addEventListener("click", ({ target }) => (button = (target as Element).closest("[popovertarget]") ?? undefined), true);
addEventListener(
  "beforetoggle",
  (event) => {
    const popup = event.target as HTMLElement;
    if (!popup.hasAttribute(DOM.place)) return;
    const anchor = buttonOf(popup);
    if (event.newState !== "open" || !anchor) return void open.delete(popup);
    open.set(popup, anchor);
    // It is shown behind the event, and not painted before the frame.
    requestAnimationFrame(() => put(popup, anchor));
  },
  true,
);
for (const type of ["scroll", "resize"])
  addEventListener(type, () => open.forEach((anchor, popup) => put(popup, anchor)), true);
