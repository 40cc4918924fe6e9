/**
 * `ref.js`: refs, and `autofocus` of created elements, for pages that have any. Reading a ref wakes the component that renders its element.
 */
import { isResuming, kinds, touch } from "../runtime/core.ts";

kinds[7] = () => {
  let element: Element | null = null;
  const ref = {
    get current() {
      touch(ref);
      return element;
    },
    set current(next) {
      element = next;
    },
  };
  return ref;
};

/** Calls a function ref. A created element is bound before it is inserted, so its function waits for that. */
export const whenConnected = (element: HTMLElement, run: (element: HTMLElement) => unknown): void => {
  if (element.isConnected) run(element);
  else queueMicrotask(() => element.isConnected && run(element));
};

/** Fills a ref that a component may not get, or get as a function. */
export const fill = (
  ref: { current: unknown } | ((element: HTMLElement) => unknown) | undefined,
  element: HTMLElement,
): void => {
  if (typeof ref === "function") whenConnected(element, ref);
  else if (ref) ref.current = element;
};

/** `autofocus`: browsers apply it only to the page's own HTML. */
export const focusCreated = (element: HTMLElement): void => {
  if (!isResuming()) whenConnected(element, () => element.focus());
};
