/** What is undone before an effect runs again, or when it ends: what it returned, and what it gave to `onCleanup`. */

type Cleanup = () => unknown;

/** Of the effect, or callback of a moment, that is running. */
let cleanups: Cleanup[] | undefined;

/**
 * Undoes something before the effect around it runs again, and when it ends; in `onLoad` and its kin when their element has
 * gone. Elsewhere there is nothing to wait for, and nothing happens.
 * @param run called once
 */
export function onCleanup(run: () => unknown): void {
  cleanups?.push(run);
}

/** Calls all of them, though some throw. @throws what the first of those threw */
export function runCleanups(all: readonly Cleanup[]): void {
  const errors: unknown[] = [];
  for (const undo of all) {
    try {
      undo();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length) throw errors[0];
}

/** Runs `run`. @returns undoes it. What a run that throws had begun is undone at once. */
export function undoable(run: () => unknown): () => void {
  const outer = cleanups;
  const mine: Cleanup[] = (cleanups = []);
  const undo = (): void => runCleanups(mine.splice(0));
  try {
    const result = run();
    if (typeof result === "function") mine.push(result as Cleanup);
  } catch (error) {
    mine.unshift(() => {
      throw error;
    });
    undo();
  } finally {
    cleanups = outer;
  }
  return undo;
}
