/** `runtime.js` of development. */
import { run as runHandlers } from "../core.ts";

export * from "../runtime.ts";
export * as dev from "./inside.ts";

/** What bindings throw is an error of the page too when an event has waited for code; without development the console is told. */
export const run: typeof runHandlers = (event, steps) => {
  try {
    runHandlers(event, steps);
  } catch (error) {
    reportError(error);
  }
};
