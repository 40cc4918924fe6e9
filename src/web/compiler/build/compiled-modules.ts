/** Records what the files of an app contain, from their compiled modules, so that the build knows the browser modules that the app needs. */
import type { Compiled } from "../compile.ts";
import { LIVE_QUERY } from "../emit/derived-values.ts";
import { VIEWS_QUERY } from "../emit/emit-child-views.ts";
import { VALUES_QUERY } from "../emit/emit-component-values.ts";
import type { AppModules } from "./app-modules.ts";

/** Replaces what is known about a file. @param id of its module. @param path of the file, relative to the app root */
export function noteCompiled(modules: AppModules, id: string, path: string, compiled: Compiled): void {
  forgetContents(modules, id);
  if (compiled.client) modules.browser.set(id, path);
  if (compiled.hasJsx) modules.jsx.set(id, path);
  noteLive(modules, id, path, compiled);
  if (compiled.values) modules.values.set(id + VALUES_QUERY, path + VALUES_QUERY);
  if (compiled.takesComponents) modules.takers.add(id);
  if (compiled.hasViews) modules.views.set(id + VIEWS_QUERY, path + VIEWS_QUERY);
  if (compiled.isCreating) modules.creators.add(id);
}

function noteLive(modules: AppModules, id: string, path: string, compiled: Compiled): void {
  const { live, frozen, kept, captured } = compiled;
  modules.captured.set(id, captured);
  if (kept.size > 0) modules.kept.add(id);
  if (frozen.length > 0) modules.frozen.set(id, frozen);
  if (!live) return;
  modules.shown.set(id, live.captured);
  modules.live.set(id + LIVE_QUERY, path + LIVE_QUERY);
  if (live.functions.size > 0) modules.functions.set(id + LIVE_QUERY, live.functions);
  if (live.hasSpread) modules.spreads.add(id + LIVE_QUERY);
  if (live.passed.length > 0) modules.passed.set(id, live.passed);
}

/** Removes what is known about a file, which has changed. */
export function forgetCompiled(modules: AppModules, id: string): void {
  modules.browser.delete(id);
  forgetContents(modules, id);
}

/** Keeps whether the file has browser code, because code that is imported by browser code alone is compiled without it. */
function forgetContents(modules: AppModules, id: string): void {
  for (const known of [modules.jsx, modules.kept, modules.frozen, modules.captured]) known.delete(id);
  for (const known of [modules.shown, modules.passed, modules.takers, modules.creators]) known.delete(id);
  for (const known of [modules.live, modules.functions, modules.spreads]) known.delete(id + LIVE_QUERY);
  modules.values.delete(id + VALUES_QUERY);
  modules.views.delete(id + VIEWS_QUERY);
}
