/** The public face of the compiler: `svc/compiler`. Needs Vite; a running server does not load it. */
export { compile, type Compiled, type Output } from "./compiler/compile.ts";
export { svc, type PluginOptions } from "./compiler/plugin.ts";
export { buildApp, type BuildOptions, type BuildResult } from "./compiler/build.ts";
export { explainFile, type Explanation } from "./compiler/explain.ts";
export { createDevHost, type DevHost } from "./compiler/dev.ts";
