/** Indicates that a page is loading: `aria-busy` on the element that will change and, after a delay, a bar that the app may style. */
import { DOM } from "../../../platform/shared/wire.ts";

/** Delay before the bar appears. A page that loads faster needs no indicator. */
const BAR_MS = 150;

/** `:where` has no specificity, so any rule of the app wins. Clicks pass through a running view transition to the page. */
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

/** A constructed stylesheet, which the page's CSP does not block. */
const style = (): void => {
  if (styles) return;
  styles = new CSSStyleSheet();
  styles.replaceSync(STYLES);
  document.adoptedStyleSheets.push(styles);
};

let end: (() => void) | undefined;

/** @param around the element that will change. @returns ends the indication; the next call ends it too. */
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
