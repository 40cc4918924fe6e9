/** Shutdown on request: the first SIGINT or SIGTERM drains, the second one exits at once. */
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Resolves at the first signal. At the second, the process exits at once with the code that shells show for this signal: 130 or 143. */
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
