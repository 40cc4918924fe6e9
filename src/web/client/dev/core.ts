/** `core.js` of development. */
import { run as runHandlers } from "../runtime/core.ts";

export * from "../runtime/core.ts";
export * as dev from "./hot-update.ts";

/** What bindings throw is an error of the page too when an event has waited for code; without development the console is told. */
export const run: typeof runHandlers = (event, steps) => {
  try {
    runHandlers(event, steps);
  } catch (error) {
    reportError(error);
  }
};
