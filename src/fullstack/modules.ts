/** Exports of modules below `pages/`. Unknown exports are refused: a misspelt `load` must not become a page without data. */
import type { Context, Handler, Middleware, PageOptions, RouteOptions } from "../index.ts";
import { SvcError } from "../index.ts";
import type { Child } from "../jsx-runtime.ts";
import type { Head } from "./layouts/head.ts";
import type { RouteParams } from "./files/params.ts";
import { isSubmit, type AnySubmit } from "./forms/submit.ts";

type Params = Context["params"];
type Load = (ctx: never) => unknown;

/**
 * Props of a page or layout. `Of` is `typeof load`, which determines data and parameters, or the route of a page without data:
 * `PageProps<"/users/[id]">`.
 */
export interface PageProps<Of extends Load | string | undefined = undefined> {
  readonly data: Of extends (ctx: never) => infer Data ? Awaited<Data> : undefined;
  readonly params: Of extends (ctx: Context<infer Found>) => unknown
    ? Found
    : Of extends string
      ? RouteParams<Of>
      : Params;
  readonly ctx: Context;
}

/** Props of a layout: `children` is the page, or the next layout. */
export interface LayoutProps<Of extends Load | string | undefined = undefined> extends PageProps<Of> {
  readonly children: Child;
}

/** Props of `_error.tsx` and `_404.tsx`. */
export interface ErrorProps {
  readonly status: number;
  /** Message for visitors: the message of a client error. Server errors show a general text except in development. */
  readonly message: string;
  /** Id for bug reports: the log lines of this request contain it. */
  readonly requestId: string;
  readonly ctx: Context;
}

/** Settings of a page that differ from the default. */
export type PageSettings = Pick<
  PageOptions<unknown>,
  "prefetch" | "navigation" | "security" | "deadline" | "cache" | "static" | "entries"
>;

export interface PageModule {
  default: (props: PageProps & { children?: Child }) => unknown;
  load?: (ctx: Context) => unknown;
  head?: Head | ((props: PageProps) => Head);
  options?: PageSettings;
  /** The page as Markdown, at its path with `.md` appended. */
  markdown?: string | ((props: PageProps) => string | Promise<string>);
}

/** `_error.tsx` and `_404.tsx`. */
export interface ErrorModule {
  default: (props: ErrorProps) => unknown;
  head?: Head;
}

export interface EndpointModule extends Partial<Record<Method, Handler>> {
  options?: Pick<RouteOptions, "csrf" | "security">;
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** Modules of the app by path below `pages/`. */
export type Modules = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const PAGE = ["default", "load", "head", "options", "markdown"];

export function pageModule(modules: Modules, file: string): PageModule {
  return componentModule<PageModule>(modules, file, PAGE);
}

export function layoutModule(modules: Modules, file: string): PageModule {
  return componentModule<PageModule>(modules, file, ["default", "load", "head"]);
}

export function errorModule(modules: Modules, file: string): ErrorModule {
  return componentModule<ErrorModule>(modules, file, ["default", "head"]);
}

export function endpointModule(modules: Modules, file: string): EndpointModule {
  const exported = only(modules, file, [...METHODS, "options"]);
  const methods = METHODS.filter((method) => method in exported);
  if (methods.length === 0) throw refused(file, `exports no handler; export one or more of ${METHODS.join(", ")}`);
  for (const method of methods) requireFunction(file, method, exported[method]);
  return exported as EndpointModule;
}

export function middlewareModule(modules: Modules, file: string): Middleware[] {
  const { default: given } = only(modules, file, ["default"]);
  const list: unknown[] = Array.isArray(given) ? given : [given];
  for (const middleware of list) requireFunction(file, "default", middleware);
  return list as Middleware[];
}

/** All submits that modules below `pages/` export. @throws SvcError `SVC_DEFINITION` for any other export of a `_submits.ts` */
export function exportedSubmits(modules: Modules): AnySubmit[] {
  return Object.entries(modules).flatMap(([file, exported]) => {
    if (/(?:^|\/)_submits\.ts$/.test(file)) only(modules, file, []);
    return Object.values(exported).filter(isSubmit);
  });
}

function componentModule<Module>(modules: Modules, file: string, names: readonly string[]): Module {
  const exported = only(modules, file, names);
  requireFunction(file, "default", exported["default"]);
  if ("load" in exported) requireFunction(file, "load", exported["load"]);
  return exported as Module;
}

/** @throws SvcError `SVC_DEFINITION` for an unknown export. */
function only(modules: Modules, file: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  const exported = modules[file] ?? {};
  const strange = Object.keys(exported).find((name) => !names.includes(name) && !isSubmit(exported[name]));
  if (strange !== undefined)
    throw refused(
      file,
      `exports "${strange}", which is not allowed there; allowed: ${[...names, "submits"].join(", ")}. Move shared code into a folder that begins with "_"`,
    );
  return exported;
}

function requireFunction(file: string, name: string, value: unknown): void {
  if (typeof value === "function") return;
  const what = name === "default" ? "its default export" : `"${name}"`;
  throw refused(file, `must have a function as ${what}; it has ${value === undefined ? "none" : typeof value}`);
}

function refused(file: string, problem: string): SvcError {
  return new SvcError("SVC_DEFINITION", `pages/${file} ${problem}`);
}
