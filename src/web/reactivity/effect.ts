/** Effects: what runs again because of what it read, and undoes what its run before had begun. The same on both sides. */
import { undoable } from "./cleanup.ts";
import { watch } from "./signal.ts";
import { dispose, untrack } from "./system.ts";

/**
 * Runs `run` now and again whenever something it read has changed. A function that it returns, or gives to `onCleanup`, is
 * called before the next run and at the end.
 * @returns the way to end it.
 */
export function effect(run: () => unknown): () => void {
  let undo = (): void => {};
  const node = watch(
    () => {
      // Whatever undoing throws: one that did not run again would have read nothing, and so never run again.
      try {
        untrack(undo);
      } finally {
        undo = undoable(run);
      }
    },
    () => {},
    false,
    () => untrack(undo),
  );
  return () => dispose(node);
}
