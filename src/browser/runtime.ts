/** `runtime.js`: loader and core as one file. A page that uses it maps the URL of core to it (docs/resume-protocol.md section 6). */
import "./core-inside.ts";
import "./loader.ts";

export * from "./core.ts";
