/** Effects: functions that run again when something they read changes. The same code on the server and in the browser. */
import { onCleanup, undoable } from "./cleanup.ts";
import { watch } from "./signal.ts";
import { dispose, untrack } from "./system.ts";

/**
 * Runs `run` now, and again whenever something it read has changed. A function that it returns or passes to `onCleanup` is called before
 * the next run and at the end.
 * @returns a function that ends the effect.
 */
export function effect(run: () => unknown): () => void {
  let undo: (() => void) | undefined;
  const node = watch(
    () => {
      // Run even if a cleanup throws. An effect that skipped its run would have no dependencies and never run again.
      try {
        if (undo) untrack(undo);
      } finally {
        undo = undoable(run);
      }
    },
    () => {},
    false,
    () => undo && untrack(undo),
  );
  const end = (): void => dispose(node);
  // An effect inside another effect, or inside a lifecycle callback, ends with it.
  onCleanup(end);
  return end;
}
