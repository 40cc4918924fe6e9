/** Records what the files of an app contain, from their compiled modules, so that the build knows the browser modules that the app needs. */
import { hookOf, isHeld } from "../analyze/held-state.ts";
import { contextIn, contextsIn } from "../analyze/context-names.ts";
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

/** Replaces what is known about the browser code of a module that may contain hooks, and about what they pass on. */
export function noteHooks(modules: AppModules, id: string, { captured, links }: Compiled): void {
  modules.captured.set(id, captured);
  if (links.length > 0) modules.links.set(id, links);
  else modules.links.delete(id);
}

function noteLive(modules: AppModules, id: string, path: string, compiled: Compiled, plain: ReadonlySet<string>): void {
  const { live, frozen, kept } = compiled;
  noteHooks(modules, id, compiled);
  if (kept.size > 0) modules.kept.add(id);
  if (frozen.length > 0) modules.frozen.set(id, frozen);
  if (!live) return;
  modules.shown.set(id, live.captured);
  modules.live.set(id + LIVE_QUERY, path + LIVE_QUERY);
  if (live.functions.size > 0) modules.functions.set(id + LIVE_QUERY, live.functions);
  const contexts = new Set([...live.hooks].flatMap((hook) => contextIn(`~${hook}`) ?? []));
  if (contexts.size > 0) modules.contexts.set(id + LIVE_QUERY, contexts);
  const hooks = [...live.hooks].filter((hook) => !contexts.has(`~${hook}`));
  if (live.hasSpread || hooks.some((hook) => !plain.has(hook))) modules.always.add(id + LIVE_QUERY);
  modules.readTogether.set(id, [...live.readTogether, ...live.passed.map(({ from }) => from)]);
  const passed = live.passed.flatMap((prop) => withoutHooks(prop, plain));
  if (passed.length > 0) modules.passed.set(id, passed);
}

/** Local names of the hooks and other functions whose results a file shows or passes on; undefined if there are none. */
export function calledFunctions({ live }: Compiled): ReadonlySet<string> | undefined {
  const passed = (live?.passed ?? []).flatMap(({ from }) => from.split(" ").filter(isOfHook).map(hookOf));
  const names = new Set([...(live?.hooks ?? []), ...passed]);
  return names.size > 0 ? names : undefined;
}

/** A prop that contains the result of a hook is live in any case, unless the hook returns no state. */
function withoutHooks(prop: PassedProp, plain: ReadonlySet<string>): PassedProp[] {
  if (prop.from === "") return [prop];
  const names = contextsIn(prop.from)
    .split(" ")
    .filter((name) => !isOfHook(name) || !plain.has(hookOf(name)));
  if (names.length === 0) return [];
  return [{ ...prop, from: names.some(isOfHook) ? "" : names.join(" ") }];
}

function isOfHook(name: string): boolean {
  return isHeld(name) && contextIn(name) === undefined;
}

/** Removes what is known about a file, which has changed. */
export function forgetCompiled(modules: AppModules, id: string): void {
  modules.browser.delete(id);
  forgetContents(modules, id);
}

/** Keeps whether the file has browser code, because code that is imported by browser code alone is compiled without it. */
function forgetContents(modules: AppModules, id: string): void {
  for (const known of [modules.jsx, modules.kept, modules.frozen, modules.captured, modules.links]) known.delete(id);
  for (const known of [modules.shown, modules.readTogether, modules.passed, modules.takers, modules.creators])
    known.delete(id);
  for (const known of [modules.live, modules.functions, modules.always, modules.contexts])
    known.delete(id + LIVE_QUERY);
  modules.values.delete(id + VALUES_QUERY);
  modules.views.delete(id + VIEWS_QUERY);
}
