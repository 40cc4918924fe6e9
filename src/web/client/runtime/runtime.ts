/** `runtime.js`: loader and core as one file. */
import "./bundled-core.ts";
import "./loader.ts";

export * from "./core.ts";
