/** `runtime.js`: loader and core as one file. */
import "./core-inside.ts";
import "./loader.ts";

export * from "./core.ts";
