/** `created-moments.js`: lifecycle triggers of components and elements that the browser creates. */
import { L } from "../state/effect.ts";
import { onLoad } from "../bindings/create.ts";
import type { DispatchedEvent, EventQueue } from "../runtime/types.ts";

type Run = (element: Element) => unknown;

const whenVisible = (element: Element, run: () => void): void => {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    run();
  });
  observer.observe(element);
};

// Safari has no requestIdleCallback.
const whenIdle = (run: () => void): unknown => (self.requestIdleCallback ?? setTimeout)(run);

/** Runs once, when the component's first element is on screen. */
export const onVisible = (run: Run): void => onLoad((element) => whenVisible(element, () => L(element, run)));

/** Runs once, when the browser is idle. */
export const onIdle = (run: Run): void =>
  onLoad((element) => void whenIdle(() => element.isConnected && L(element, run)));

/** Runs whenever the query begins to match, while the component's first element is in the document. */
export const onMedia = (query: string, run: Run): void =>
  onLoad((element) => {
    const list = matchMedia(query);
    const check = (): void => {
      if (list.matches) L(element, run);
    };
    list.addEventListener("change", check);
    check();
    return () => list.removeEventListener("change", check);
  });

/** Elements with a `load` event of their own. */
const LOADS = /^(?:img|iframe|script|link|embed|object|video|audio)$/i;

/** Reports a moment of an element to its handlers: `visible`, `idle` or `load`. */
export const Moment = (element: Element, type: string): void => {
  const report = (): void =>
    void (self.$svc as EventQueue).push({ type, target: element, _way: [element] } as DispatchedEvent);
  if (type === "visible") whenVisible(element, report);
  else if (type === "idle") whenIdle(report);
  else if (LOADS.test(element.tagName)) element.addEventListener(type, report);
  else queueMicrotask(report);
};
