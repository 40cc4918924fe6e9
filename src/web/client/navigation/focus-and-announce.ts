/** Informs users about a new page: moves the focus, and has screen readers announce the title. */
import { DOM } from "../../../platform/shared/wire.ts";

const AUTOFOCUS = "[autofocus]";

/** The first matching element among the nodes and their descendants. */
const find = (nodes: readonly Node[], selector: string): HTMLElement | undefined => {
  for (const node of nodes) {
    if (!(node instanceof HTMLElement)) continue;
    const found = node.matches(selector) ? node : node.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return undefined;
};

/** Focuses the new content's autofocus element, else its heading, else the element around it. */
export const focusOn = (content: readonly Node[]): void => {
  const target =
    find(content, AUTOFOCUS) ??
    find(content, "h1") ??
    find(content, "main") ??
    document.querySelector<HTMLElement>("main") ??
    document.body;
  if (target.tabIndex < 0 && !target.hasAttribute("tabindex")) {
    target.tabIndex = -1;
    target.addEventListener("blur", () => target.removeAttribute("tabindex"), { once: true });
  }
  target.focus({ preventScroll: true });
};

let reported: HTMLElement | undefined;

/** The live region that screen readers announce. */
const region = (): HTMLElement => {
  if (reported) return reported;
  reported = document.createElement(DOM.announcerTag);
  reported.setAttribute(DOM.own, "");
  reported.setAttribute("aria-live", "polite");
  reported.setAttribute("aria-atomic", "true");
  // Visually hidden, without widening the page.
  reported.style.cssText =
    "position:fixed;inset:0 auto auto 0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";
  document.body.append(reported);
  return reported;
};

export const announce = (title: string): void => {
  region().textContent = title;
};
