/**
 * Polyfill: positions popovers beside their buttons in browsers without CSS Anchor Positioning (level 1), or with one that lets popovers
 * overflow the window.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { aim } from "./button-targets.ts";
import { placeBeside } from "./popover-placement.ts";

/** The last click target: the button of a popover that opens, if it is one. */
let clicked: EventTarget | null;

const put = (): void => {
  const { _button, _target } = aim(clicked, "popovertarget");
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  for (const popup of document.querySelectorAll<HTMLElement>(`[${DOM.place}]`)) {
    const anchor = _target === popup ? _button : document.querySelector(`[popovertarget="${popup.id}"]`);
    if (!anchor || !popup.offsetWidth) continue;
    // Measure at the origin: a popover that overflowed the window would be measured too narrow.
    popup.style.cssText += ";inset:0 auto auto 0;position-area:none;position-try:none;margin:0";
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

addEventListener("click", ({ target }) => (clicked = target), true);
// An opening popover becomes visible after the event, and is not painted before the next frame.
for (const type of ["beforetoggle", "resize", "scroll"]) addEventListener(type, () => requestAnimationFrame(put), true);
// A popover may have opened before this script loaded.
put();
