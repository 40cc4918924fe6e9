/** `core.js` of development. */
export * from "../core.ts";
export * as dev from "./inside.ts";
