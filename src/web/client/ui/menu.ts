/**
 * `ui-menu.js`: keyboard support of a menu in a popover (ARIA Authoring Practices, "Menu Button"). An opened menu takes the focus. Arrows,
 * Home, End and letters move it, Tab leaves the menu, and choosing an item closes the menu.
 */
import { nextItem } from "./menu-keys.ts";
import { closestElement } from "./closest-element.ts";

const MENU = '[popover][role="menu"]';

const itemsOf = (menu: Element): HTMLElement[] =>
  [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled,[aria-disabled="true"])')].filter(
    (item) => item.offsetParent,
  );

/** Opened with the up arrow: focus the last item first. */
let isFromBelow = false;

addEventListener(
  "toggle",
  (event) => {
    // Ignore toggle events of other elements inside a menu.
    const menu = closestElement(event.target, MENU);
    if (event.newState !== "open" || menu !== event.target) return;
    const items = itemsOf(menu as HTMLElement);
    // Items are not tab stops: inside a menu the arrow keys move the focus.
    for (const item of items) item.tabIndex = -1;
    items.at(isFromBelow ? -1 : 0)?.focus();
    isFromBelow = false;
  },
  true,
);

addEventListener("keydown", (event) => {
  const { key } = event;
  const menu = closestElement(event.target, MENU);
  if (menu) {
    if (key === "Tab") return menu.hidePopover();
    const items = itemsOf(menu);
    const names = items.map((item) => item.textContent);
    const next = items[nextItem(key, names, items.indexOf(document.activeElement as HTMLElement))!];
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    next.focus();
  } else {
    const button = closestElement(event.target, "[popovertarget]");
    const isUp = key === "ArrowUp";
    if (!button || !(isUp || key === "ArrowDown")) return;
    if (!document.getElementById(button.getAttribute("popovertarget")!)?.matches(MENU)) return;
    isFromBelow = isUp;
    button.click();
  }
  event.preventDefault();
});

addEventListener("click", (event) => {
  // An item that opens a submenu keeps the menu open.
  if (closestElement(event.target, '[role="menuitem"]:not([popovertarget])'))
    closestElement(event.target, MENU)?.hidePopover();
});
