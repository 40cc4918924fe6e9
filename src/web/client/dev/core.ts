/** The development version of `core.js`. */
import { run as runHandlers } from "../runtime/core.ts";

export * from "../runtime/core.ts";
export * as dev from "./hot-update.ts";

/** Reports binding errors to the page even when the event had to wait for code; production only logs them. */
export const run: typeof runHandlers = (event, steps) => {
  try {
    runHandlers(event, steps);
  } catch (error) {
    reportError(error);
  }
};
