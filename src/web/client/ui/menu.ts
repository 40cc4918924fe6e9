/**
 * `ui-menu.js`: keys of a menu in a popover (ARIA Authoring Practices, "Menu Button"): it takes the focus as it opens; arrows, Home, End
 * and letters move it, Tab leaves, choosing an item closes.
 */
import { nextItem } from "./menu-keys.ts";
import { closestElement } from "./closest-element.ts";

const MENU = '[popover][role="menu"]';

const itemsOf = (menu: Element): HTMLElement[] =>
  [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled,[aria-disabled="true"])')].filter(
    (item) => item.offsetParent,
  );

/** Opened by an arrow up: the last item comes first. */
let isFromBelow = false;

addEventListener(
  "toggle",
  (event) => {
    // The event of anything else in a menu is not the menu's.
    const menu = closestElement(event.target, MENU);
    if (event.newState !== "open" || menu !== event.target) return;
    const items = itemsOf(menu as HTMLElement);
    // Out of the order of Tab: within a menu that is the arrows'.
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
  // One that opens a menu of its own stays.
  if (closestElement(event.target, '[role="menuitem"]:not([popovertarget])'))
    closestElement(event.target, MENU)?.hidePopover();
});
