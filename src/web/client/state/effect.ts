/**
 * `effect.js`: effects of components. They ran on the server, and run here when something they read changes. Also runs the cleanups of
 * `onLoad` callbacks when their element is removed. For pages that have any.
 */
import { onCleanup, undoable, runCleanups } from "../../reactivity/cleanup.ts";
import { effect } from "../../reactivity/effect.ts";
import { Cell, guard, isResuming, pageState, slotsAt, untrack, valueAt, values } from "../runtime/core.ts";
import { DOM } from "../../../platform/shared/wire.ts";

export { effect, onCleanup, undoable };

/** Reads all properties of a store, to subscribe to any change in it. */
const follow = (value: unknown, seen = new Set()): void => {
  if (value instanceof Cell) void value.value;
  else if (value && typeof value === "object" && !seen.has(value)) {
    seen.add(value);
    Object.values(value).forEach((inner) => follow(inner, seen));
  }
};

/** Reads what a function of the page has captured, to subscribe to what a call of it may read. */
export const Called = (fn: unknown): void => {
  const entry = pageState().v[values.indexOf(fn)];
  if (!entry) return;
  for (const index of (entry[1] as unknown[]).slice(2) as number[]) {
    const captured = valueAt(index);
    if (typeof captured === "function") Called(captured);
    else follow(captured);
  }
};

/** An effect of a component. @param reads everything it may read; these are watched until its first run in the browser. */
export const E = (run: () => unknown, reads: (() => unknown)[]): void => {
  // The server has run it, but after an edit of the source it may be new, or show a value that only this page has.
  let waits = isResuming() && !(__DEV__ && self.$svc._isEdit);
  effect(() => {
    if (!waits) return run();
    waits = false;
    for (const read of reads) {
      try {
        follow(read());
      } catch {
        // The effect may guard this read with a condition; here it runs alone. Reads before the error are tracked.
      }
    }
    return undefined;
  });
};

/** Elements with cleanups to run when they are removed. */
const cleanups = new Map<Element, (() => void)[]>();

const observer = new MutationObserver(() => {
  const gone = [...cleanups].filter(([element]) => !element.isConnected);
  for (const [element] of gone) cleanups.delete(element);
  runCleanups(gone.flatMap(([, all]) => all));
});

/** Runs a callback of `onLoad` or a similar trigger. Its cleanups run when the element is removed from the document. */
export const L = (element: Element, run: (element: Element) => unknown): void => {
  const undo = untrack(() => undoable(() => run(element)));
  if (!undo) return;
  cleanups.set(element, [...(cleanups.get(element) ?? []), undo]);
  observer.observe(document, { childList: true, subtree: true });
};

/** Functions of `onLoad` in hooks that have not run, by the value of their slot. */
let loads = new Map<unknown, () => unknown>();

/** One search for all scopes that have woken together. */
const runLoads = (): void => {
  const due = loads;
  loads = new Map();
  for (const element of document.querySelectorAll(`[${DOM.scope}]`))
    for (const slot of (element[slotsAt] as unknown[] | undefined) ?? []) {
      const run = due.get(slot);
      if (run) guard._run(() => L(element, run), element);
    }
};

/**
 * Runs the function of `onLoad` in a hook, when the scope that creates this value is awake. Its cleanups run when the scope's element is removed.
 * @returns the value of the slot, by which the element is found
 */
export const M = (run: () => unknown): object => {
  const value = {};
  if (loads.size === 0) queueMicrotask(runLoads);
  loads.set(value, run);
  return value;
};

if (__DEV__) {
  self.$svc._undoLoads = (element) => {
    const all = cleanups.get(element) ?? [];
    cleanups.delete(element);
    runCleanups(all);
  };
}
