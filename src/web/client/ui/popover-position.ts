/** Popovers stand beside their button, where the platform has no anchor positioning (CSS Anchor Positioning 1). */
import { DOM } from "../../../platform/shared/wire.ts";
import { aim } from "./button-targets.ts";
import { placeBeside } from "./popover-placement.ts";

/** What was clicked last: the button of what opens, if it is one. */
let clicked: EventTarget | null;

const put = (): void => {
  const { _button, _target } = aim(clicked, "popovertarget");
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  for (const popup of document.querySelectorAll<HTMLElement>(`[${DOM.place}]`)) {
    const anchor = _target === popup ? _button : document.querySelector(`[popovertarget="${popup.id}"]`);
    if (!anchor || !popup.offsetWidth) continue;
    // Nothing of it may stick out while it is measured, or it would be as narrow as what is left of the window.
    popup.style.inset = "0 auto auto 0";
    popup.style.margin = "0";
    const { x, y } = placeBeside(
      anchor.getBoundingClientRect(),
      popup.getBoundingClientRect(),
      { width, height },
      popup.getAttribute(DOM.place)!,
      getComputedStyle(anchor).direction === "rtl",
    );
    popup.style.inset = `${y}px auto auto ${x}px`;
  }
};

if (!CSS.supports("position-area", "top")) {
  addEventListener("click", ({ target }) => (clicked = target), true);
  // What opens is shown behind the event, and not painted before the frame.
  for (const type of ["beforetoggle", "scroll", "resize"])
    addEventListener(type, () => requestAnimationFrame(put), true);
}
