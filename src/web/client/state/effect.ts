/**
 * `effect.js`: effects of components, which have run on the server and run here when something they read changes; and what is
 * undone when the element of an `onLoad` has gone. For pages that have any.
 */
import { onCleanup, undoable, runCleanups } from "../../reactivity/cleanup.ts";
import { effect } from "../../reactivity/effect.ts";
import { Cell, isResuming, untrack } from "../runtime/core.ts";

export { effect, onCleanup };

/** Reads all of a store, so that a change anywhere in it is noticed. */
const follow = (value: unknown, seen = new Set()): void => {
  if (value instanceof Cell) void value.value;
  else if (value && typeof value === "object" && !seen.has(value)) {
    seen.add(value);
    Object.values(value).forEach((inner) => follow(inner, seen));
  }
};

/** An effect of a component. @param reads what it may read: these are watched until it runs for the first time here. */
export const E = (run: () => unknown, reads: (() => unknown)[]): void => {
  let waits = isResuming();
  effect(() => {
    if (!waits) return run();
    waits = false;
    for (const read of reads) {
      try {
        follow(read());
      } catch {
        // The effect guards what it reads; here it stands alone. It is watched up to where it failed.
      }
    }
    return undefined;
  });
};

/** Elements that undo something when they have gone. */
const cleanups = new Map<Element, (() => void)[]>();

const observer = new MutationObserver(() => {
  const gone = [...cleanups].filter(([element]) => !element.isConnected);
  for (const [element] of gone) cleanups.delete(element);
  runCleanups(gone.flatMap(([, all]) => all));
});

/** Runs a callback of `onLoad` or its kin; what it leaves to undo is undone when the element has gone from the document. */
export const L = (element: Element, run: (element: Element) => unknown): void => {
  const undo = untrack(() => undoable(() => run(element)));
  cleanups.set(element, [...(cleanups.get(element) ?? []), undo]);
  observer.observe(document, { childList: true, subtree: true });
};
