/** Ending on request: the first SIGINT or SIGTERM drains, a second one ends at once. */
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Resolves when the process is asked to end. Asked again, it exits at once, with what a shell shows for a process killed by
 * that signal: 130 or 143.
 */
export function endRequested(): Promise<void> {
  return new Promise((resolve) => {
    let isAsked = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isAsked) process.exit(128 + constants.signals[signal]);
        isAsked = true;
        resolve();
      });
    }
  });
}
