/** `runtime.js`: loader and core in one file. */
import "./bundled-core.ts";
import "./loader.ts";

export * from "./core.ts";
