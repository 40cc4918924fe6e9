/** What tells people that a page is on its way: `aria-busy` around what will change, and, when it takes a while, a bar that the app may style. */
import { DOM } from "../../../platform/shared/wire.ts";

/** A page that is there sooner needs nothing that tells of it. */
const BAR_MS = 150;

/** Weaker than any rule of the app. Clicks reach the page below while one picture of it turns into the next. */
const STYLES = `
  :where(${DOM.progressTag}) {
    position: fixed; inset: 0 0 auto; z-index: 2147483647; height: 3px; pointer-events: none;
    background: linear-gradient(90deg, transparent, currentColor 50%, transparent) 0 / 50% no-repeat;
    color: var(--svc-progress, var(--svc-accent, LinkText)); animation: svc-progress 1.2s ease-in-out infinite;
  }
  ::view-transition { pointer-events: none }
  @keyframes svc-progress { from { background-position: -100% 0 } to { background-position: 200% 0 } }
  @media (prefers-reduced-motion: reduce) { :where(${DOM.progressTag}) { animation: none; background: currentColor } }
`;

let styles: CSSStyleSheet | undefined;

/** Not an element: the policy of the page is no matter. */
const style = (): void => {
  if (styles) return;
  styles = new CSSStyleSheet();
  styles.replaceSync(STYLES);
  document.adoptedStyleSheets.push(styles);
};

let end: (() => void) | undefined;

/** @param around what will change. @returns ends it; the next call does too. */
export const busy = (around: Element): (() => void) => {
  end?.();
  style();
  const bar = document.createElement(DOM.progressTag);
  bar.setAttribute(DOM.own, "");
  bar.setAttribute("aria-hidden", "true");
  const timer = setTimeout(() => document.body.append(bar), BAR_MS);
  around.setAttribute("aria-busy", "true");
  const mine = (): void => {
    clearTimeout(timer);
    bar.remove();
    around.removeAttribute("aria-busy");
    if (end === mine) end = undefined;
  };
  return (end = mine);
};
