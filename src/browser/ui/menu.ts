/**
 * `ui-menu.js`: keys of a menu in a popover (ARIA Authoring Practices, "Menu Button"): it takes the focus as it opens; arrows, Home, End
 * and letters move it, Tab leaves, choosing an item closes.
 */
import { nextItem } from "./menu-keys.ts";

const MENU = '[popover][role="menu"]';

const itemsOf = (menu: Element): HTMLElement[] =>
  [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')].filter(
    (item) => !item.matches(':disabled,[aria-disabled="true"]') && item.offsetParent !== null,
  );

const menuAt = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(MENU) : null;

/** Opened by an arrow up: the last item comes first. */
let isFromBelow = false;

addEventListener(
  "toggle",
  ({ target, newState }) => {
    if (newState !== "open" || !(target instanceof Element && target.matches(MENU))) return;
    const items = itemsOf(target);
    // Out of the order of Tab: within a menu that is the arrows'.
    for (const item of items) item.tabIndex = -1;
    items.at(isFromBelow ? -1 : 0)?.focus();
    isFromBelow = false;
  },
  true,
);

addEventListener("keydown", (event) => {
  const { key, target } = event;
  const menu = menuAt(target);
  if (menu) {
    if (key === "Tab") return menu.hidePopover();
    const items = itemsOf(menu);
    const names = items.map((item) => item.textContent);
    const next = items[nextItem(key, names, items.indexOf(document.activeElement as HTMLElement))];
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    next.focus();
  } else {
    const button = target instanceof Element ? target.closest<HTMLButtonElement>("[popovertarget]") : null;
    const opened = button && document.getElementById(button.getAttribute("popovertarget")!);
    if (!button || !opened?.matches(MENU) || !/^Arrow(?:Up|Down)$/.test(key)) return;
    isFromBelow = key === "ArrowUp";
    button.click();
  }
  event.preventDefault();
});

addEventListener("click", ({ target }) => {
  const item = target instanceof Element ? target.closest('[role="menuitem"]') : null;
  // One that opens a menu of its own stays.
  if (item && !item.hasAttribute("popovertarget")) menuAt(item)?.hidePopover();
});
