/** Cleanups: functions that an effect returns or passes to `onCleanup`. They run before the effect's next run and when it ends. */

type Cleanup = () => unknown;

/** Collects the cleanups of the running effect or lifecycle callback. */
let cleanups: Cleanup[] | undefined;

/**
 * Registers a function that runs before the surrounding effect's next run and when it ends. In `onLoad` and similar callbacks it runs when
 * their element is removed. Anywhere else the call does nothing.
 * @param run called once
 * @example
 * effect(() => {
 *   const timer = setInterval(() => count.value++, 1000);
 *   onCleanup(() => clearInterval(timer));
 * });
 */
export function onCleanup(run: () => unknown): void {
  cleanups?.push(run);
}

/** Calls all of them even if some throw. @throws the first error */
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

/** Runs `run`. @returns a function that runs its cleanups; undefined if it has none. If `run` throws, they run at once. */
export function undoable(run: () => unknown): (() => void) | undefined {
  const outer = cleanups;
  const mine: Cleanup[] = (cleanups = []);
  try {
    const result = run();
    if (typeof result === "function") mine.push(result as Cleanup);
  } catch (error) {
    mine.unshift(() => {
      throw error;
    });
    runCleanups(mine.splice(0));
  } finally {
    cleanups = outer;
  }
  return mine.length > 0 ? () => runCleanups(mine.splice(0)) : undefined;
}
