/**
 * Helpers of the compiler's tests: they compile TSX, render the server module with the real JSX runtime, and
 * running the browser module against functions that note what they are asked to write. Holds no test.
 */
import { transformWithOxc } from "vite";
import { classText, styleText } from "../../platform/shared/html/class-style.ts";
import { undoable } from "../reactivity/cleanup.ts";
import { html } from "../ssr/html.ts";
import { component } from "../ssr/compiled.ts";
import { renderInto } from "../ssr/current-page.ts";
import { ValueNames } from "../ssr/resume/value-names.ts";
import { Render } from "../ssr/render.ts";

import { LIVE_QUERY } from "./emit/derived-values.ts";
import { VALUES_QUERY } from "./emit/emit-component-values.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { PATHS } from "../../platform/shared/wire.ts";
import { compile, type Compiled, type CompileOptions } from "./compile.ts";

export { batch, computed, signal, untrack } from "../reactivity/signal.ts";
export { onCleanup } from "../reactivity/cleanup.ts";
export { effect } from "../ssr/resume/effect.ts";
export { store } from "../reactivity/server-store.ts";
export { createRef } from "../jsx/ref.ts";
export { resource } from "../ssr/resume/resource.ts";
export { Await } from "../ssr/components/await.ts";
export { createContext, useContext } from "../ssr/context.ts";
export { Dynamic } from "../ssr/components/dynamic.ts";
export { Island } from "../ssr/components/island.ts";
export { Portal } from "../ssr/components/portal.ts";
export { Toasts } from "../ssr/components/toasts.ts";
export { Slot } from "../ssr/components/slot.ts";
export { ErrorBoundary } from "../ssr/components/error-boundary.ts";

const IMPORTS =
  'import { signal, computed, effect, untrack, onCleanup, store, onLoad, onVisible, onIdle, onMedia, For, Show, Match, Case, createRef, createContext, useContext, Dynamic, ErrorBoundary, Slot, Island, Portal, Toasts } from "svckit";\n';
export const MODULE = "pages/test.tsx";

/** Compiles TSX in which the names of "svckit" are there already. */
export function compileTsx(text: string, options: CompileOptions = {}): Compiled {
  return compile(IMPORTS + text, MODULE, options);
}

/** The server module from the first line of `text` on, without what the compiler put in front. */
export function serverBody(text: string): string {
  const { code } = compileTsx(text).server;
  return code.slice(code.indexOf(IMPORTS) + IMPORTS.length).trim();
}

/** Declarations that the compiler added before the server module. */
export function serverHead(text: string): string {
  const { code } = compileTsx(text).server;
  return code.slice(0, code.indexOf(IMPORTS)).trim();
}

/** The browser module without its imports. */
export function browserBody(text: string): string {
  const code = compileTsx(text).client?.code ?? "";
  return code.replaceAll(/^import .*\n/gm, "").trim();
}

export function browserImports(text: string): string[] {
  return compileTsx(text).client?.code.match(/^import .*$/gm) ?? [];
}

/** The error that compiling throws. */
export function compileError(text: string): SvcError {
  try {
    compileTsx(text);
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error("it compiled");
}

const RUNTIME_ASSETS: ReadonlySet<string> = new Set([
  PATHS.core,
  PATHS.region,
  PATHS.select,
  PATHS.virtual,
  PATHS.attr,
  PATHS.store,
  PATHS.act,
  PATHS.data,
  PATHS.form,
  PATHS.effect,
]);

async function evaluate(code: string, resolve: (source: string) => string): Promise<Record<string, unknown>> {
  const { code: plain } = await transformWithOxc(code, "test.ts", { lang: "ts", target: "es2022", tsconfig: false });
  const linked = plain.replaceAll(/(from|import) "([^"]+)"/g, (_all, word: string, source: string) => {
    return `${word} ${JSON.stringify(resolve(source))}`;
  });
  return (await import(`data:text/javascript,${encodeURIComponent(linked)}`)) as Record<string, unknown>;
}

const fileOf = (path: string): string => new URL(path, import.meta.url).href;

async function rendered(
  text: string,
  props: Record<string, unknown>,
  name: string,
  options: CompileOptions,
): Promise<{ page: Render; written: string }> {
  const module = await evaluate(compileTsx(text, options).server.code, (source) =>
    fileOf(source === "svckit" ? "./harness.testkit.js" : "../../jsx-runtime.js"),
  );
  const view = module[name] as (props: Record<string, unknown>) => unknown;
  const page = new Render(
    {
      build: "b",
      chunks: { [MODULE]: "test-1", [MODULE + LIVE_QUERY]: "live-1", [MODULE + VALUES_QUERY]: "values-1" },
      actions: [],
    },
    () => "token",
    options.isDevelopment ? { names: new ValueNames() } : {},
  );
  return { page, written: renderInto(page, () => html(() => component(view, props))) };
}

/** HTML of the component `name`, rendered by the real runtime. @param name default: `A`. */
export async function render(
  text: string,
  props: Record<string, unknown> = {},
  name = "A",
  options: CompileOptions = {},
): Promise<string> {
  const { page, written } = await rendered(text, props, name, options);
  // As a page does: it serializes the captured values.
  if (options.isDevelopment) page.state();
  return written;
}

/** The state from which the component `A` resumes. */
export async function stateOf(text: string, props: Record<string, unknown>): Promise<string> {
  const { page } = await rendered(text, props, "A", {});
  return page.state();
}

/** Evaluates the browser module; its runtime is the functions below. @param modules values of the app's imports. */
export async function browser(text: string, modules: Record<string, string> = {}): Promise<Browser> {
  const exported = await evaluate(compileTsx(text).client?.code ?? "", (source) => {
    return RUNTIME_ASSETS.has(source) ? fileOf("./harness.testkit.js") : (modules[source] ?? source);
  });
  return {
    run: (symbol, ...args) => (exported[symbol] as (...args: unknown[]) => unknown)(...args),
    bind(symbol, slots) {
      written.length = 0;
      (exported[symbol] as (slots: unknown, root: unknown) => void)(slots, place("root"));
      return [...written];
    },
  };
}

export interface Browser {
  /** Calls a handler: slots, event, element. */
  run(symbol: string, ...args: unknown[]): unknown;
  /** Writes of the bindings, one line each: place and value. */
  bind(symbol: string, slots: unknown[]): string[];
}

const written: string[] = [];
const PATH = Symbol("path");

/** An element that knows only how it was reached, spelled as a position among children: from the front, `[-1]` from the back. */
function place(path: string): Record<PropertyKey, unknown> {
  return new Proxy(
    {},
    { get: (_target, key) => (key === PATH ? path : place(`${path}.${String(key)}`.replace(STEP, position))) },
  );
}

const STEP =
  /(?:\.children\[(-?\d+)\])?\.(firstElementChild|lastElementChild|nextElementSibling|previousElementSibling)$/;

function position(_all: string, from: string | undefined, step: string): string {
  const before = from === undefined ? "" : `.children[${from}]`;
  if (step === "firstElementChild") return `${before}.children[0]`;
  if (step === "lastElementChild") return `${before}.children[-1]`;
  return `.children[${Number(from) + (step === "nextElementSibling" ? 1 : -1)}]`;
}

type Place = Record<PropertyKey, unknown>;
type Read = () => unknown;
const text = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(text).join("");
  return value == null || typeof value === "boolean" ? "" : String(value);
};
const write = (at: Place, name: string, value: unknown): void => {
  written.push(`${String(at[PATH])}${name}: ${JSON.stringify(value)}`);
};

export const T = (element: Place, read: Read): void => write(element, " text", text(read()));
export const A = (element: Place, name: string, read: Read): void => write(element, ` @${name}`, read());
export const U = (element: Place, name: string, read: Read): void => write(element, ` @${name} (URL)`, read());
export const B = (element: Place, name: string, read: Read): void => write(element, ` @${name}`, String(read()));
export const P = (element: Place, name: string, read: Read): void => write(element, ` .${name}`, read());
export const C = (element: Place, read: Read): void => write(element, " class", classText(read()));
export const S = (element: Place, read: Read): void => write(element, " style", styleText(read()));
export const E = (run: Read, reads: Read[]): void => {
  written.push(`effect that may read ${JSON.stringify(reads.map((read) => read()))}`);
  run();
};
export const L = (element: unknown, run: (element: unknown) => unknown): void => {
  const undo = undoable(() => run(element));
  if (undo) cleanups.push(undo);
};
/** Cleanup functions of lifecycle callbacks. */
export const cleanups: (() => void)[] = [];
export const F = (field: Place, property: string, get: Read, set: (value: unknown) => void): void => {
  write(field, ` bind:${property}`, get());
  set("kept");
  write(field, ` kept`, get());
};
export const is = (signal: { value: unknown }, key: unknown): boolean => signal.value === key;
export const eq = (key: unknown, signal: { value: unknown }): boolean => key === signal.value;
export const keep = (field: unknown): void => void written.push(`keeps ${String(field)}`);
export const keepTouched = (): void => void written.push("keeps what was touched");
export const K = (parent: Place, key: number): Place => place(`${String(parent[PATH])}#${key}`);
export const X = (parent: Place, key: number, read: Read): void => write(K(parent, key), " text before", text(read()));
export const tpl = (markup: string) => (): string => markup;
export const raw = (value: unknown): unknown => value;
export const act = (name: string) => (): string => `called ${name}`;

export function For(
  parent: Place,
  key: number,
  list: () => unknown[],
  by: (item: unknown) => unknown,
  make: () => string,
  bind: 0 | ((slots: unknown, root: unknown) => void),
  $: unknown,
): void {
  written.push(`rows of ${String((key ? K(parent, key) : parent)[PATH])} from ${make()}`);
  list().forEach(
    (item, at) => bind && bind({ $, i: { value: item }, n: { value: at } }, place(`row ${String(by(item))}`)),
  );
}

export function Branch(
  parent: Place,
  key: number,
  pick: () => number,
  branches: [make: () => string, bind: 0 | ((slots: unknown, root: unknown) => void)][],
  $: unknown,
): void {
  const branch = branches[pick()];
  written.push(`branch ${pick()} of ${branches.length} before ${String(K(parent, key)[PATH])}`);
  if (branch?.[1]) branch[1]($, place(`branch ${pick()}`));
}
