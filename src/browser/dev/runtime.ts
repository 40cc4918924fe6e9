/** `runtime.js` of development. */
export * from "../runtime.ts";
export * as dev from "./inside.ts";
