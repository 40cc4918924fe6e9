/** `svckit/compiler`: the compiler, its Vite plugin and the build. Needs Vite; a running server does not load it. */
export { compile, type Compiled } from "./web/compiler/compile.ts";
export type { Output } from "./web/compiler/model.ts";
export { svc, type PluginOptions } from "./web/compiler/plugin.ts";
export { buildApp, type BuildOptions, type BuildResult } from "./web/compiler/build/build.ts";
export { explainFile, type Explanation } from "./web/compiler/build/explain.ts";
export { createDevHost, type DevHost } from "./web/compiler/dev/dev-host.ts";
