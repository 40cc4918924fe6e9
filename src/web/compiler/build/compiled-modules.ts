/** Records what the files of an app contain, from their compiled modules, so that the build knows the browser modules that the app needs. */
import { hookOf, isHeld } from "../analyze/held-state.ts";
import type { Compiled } from "../compile.ts";
import type { PassedProp } from "../emit/passed-props.ts";
import { LIVE_QUERY } from "../emit/derived-values.ts";
import { VIEWS_QUERY } from "../emit/emit-child-views.ts";
import { VALUES_QUERY } from "../emit/emit-component-values.ts";
import type { AppModules } from "./app-modules.ts";

/**
 * Replaces what is known about a file.
 * @param id of its module. @param path of the file, relative to the app root. @param plain local names of its hooks that return no state
 */
export function noteCompiled(
  modules: AppModules,
  id: string,
  path: string,
  compiled: Compiled,
  plain: ReadonlySet<string>,
): void {
  forgetContents(modules, id);
  if (compiled.client) modules.browser.set(id, path);
  if (compiled.hasJsx) modules.jsx.set(id, path);
  noteLive(modules, id, path, compiled, plain);
  if (compiled.values) modules.values.set(id + VALUES_QUERY, path + VALUES_QUERY);
  if (compiled.takesComponents) modules.takers.add(id);
  if (compiled.hasViews) modules.views.set(id + VIEWS_QUERY, path + VIEWS_QUERY);
  if (compiled.isCreating) modules.creators.add(id);
}

function noteLive(modules: AppModules, id: string, path: string, compiled: Compiled, plain: ReadonlySet<string>): void {
  const { live, frozen, kept, captured } = compiled;
  modules.captured.set(id, captured);
  if (kept.size > 0) modules.kept.add(id);
  if (frozen.length > 0) modules.frozen.set(id, frozen);
  if (!live) return;
  modules.shown.set(id, live.captured);
  modules.live.set(id + LIVE_QUERY, path + LIVE_QUERY);
  if (live.functions.size > 0) modules.functions.set(id + LIVE_QUERY, live.functions);
  if (live.hasSpread || [...live.hooks].some((hook) => !plain.has(hook))) modules.always.add(id + LIVE_QUERY);
  const passed = live.passed.flatMap((prop) => withoutHooks(prop, plain));
  if (passed.length > 0) modules.passed.set(id, passed);
}

/** A prop that contains the result of a hook is live in any case, unless the hook returns no state. */
function withoutHooks(prop: PassedProp, plain: ReadonlySet<string>): PassedProp[] {
  if (prop.from === "") return [prop];
  const names = prop.from.split(" ").filter((name) => !isHeld(name) || !plain.has(hookOf(name)));
  if (names.length === 0) return [];
  return [{ ...prop, from: names.some(isHeld) ? "" : names.join(" ") }];
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
  for (const known of [modules.live, modules.functions, modules.always]) known.delete(id + LIVE_QUERY);
  modules.values.delete(id + VALUES_QUERY);
  modules.views.delete(id + VIEWS_QUERY);
}
