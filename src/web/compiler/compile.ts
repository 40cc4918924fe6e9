/** Compiles a TSX file into a server module and a browser module. Both still contain TypeScript. */
import { parse } from "./parse/parse.ts";
import { analyze } from "./analyze/analyze.ts";
import { newExtraction } from "./extract/extract.ts";
import { refuseComponentCalls } from "./analyze/components.ts";
import { ClientModule, exportedName, type ClientImport } from "./emit/client-module.ts";
import type { SourceFile } from "./diagnostics.ts";
import type { Output } from "./model.ts";
import { NO_ALIASES, nameFrameworkImports, type FrameworkAliases } from "./framework-imports.ts";
import { importOf, RUNTIME, svcImport } from "./analyze/declaration-kinds.ts";
import type { Node } from "./parse/ast.ts";
import type { Binding } from "./parse/scopes.ts";
import { emitCreateModule, type CreateModule } from "./emit/emit-create.ts";
import { BrowserEmitter } from "./emit/emit-browser.ts";
import { refusePropMutation } from "./analyze/prop-writes.ts";
import { refuseDoubleKeys } from "./analyze/row-keys.ts";
import { frozenComponents } from "./analyze/frozen-components.ts";
import type { KeptByName } from "./analyze/kept-props.ts";
import type { PlacesByName } from "./analyze/prop-places.ts";
import { refuseOtherFrameworks } from "./analyze/other-frameworks.ts";
import { refuseUnsupportedSyntax } from "./analyze/refused-source.ts";
import { refuseStaleReads } from "./analyze/stale-reads.ts";
import { ServerEmitter } from "./emit/emit-server.ts";
import { emitContexts } from "./emit/emit-contexts.ts";
import type { LivePropsEmitter } from "./emit/emit-live-props.ts";
import type { PassedProp } from "./emit/passed-props.ts";
import { LiftedEmitter } from "./emit/emit-lifted.ts";
import { ServerOutput } from "./emit/server-output.ts";

export interface Compiled {
  server: Output;
  /** Undefined if no code of this file runs in the browser. */
  client: Output | undefined;
  /** Imports of the browser module: the app's modules and packages. */
  clientImports: readonly ClientImport[];
  /** Imported functions whose results browser code captures. */
  factories: readonly ClientImport[];
  /** Imports whose objects, or the objects that they return, are spread on elements. The browser does not get handlers in them. */
  spreads: readonly ClientImport[];
  /** Whether the module contains JSX. */
  hasJsx: boolean;
  /** The browser module of components that are values. Undefined if the file has none. */
  values: { output: Output; imports: readonly ClientImport[] } | undefined;
  /** The browser module of children that the browser creates. Undefined if the file has none. */
  views: { output: Output; imports: readonly ClientImport[] } | undefined;
  /** Whether the file gives components children that the browser can create. */
  hasViews: boolean;
  /** Whether components of the file may create their children in the browser. */
  isCreating: boolean;
  /** Children that exported components may create in the browser, by name of the export. */
  created: PlacesByName;
  /** Whether rows or branches of the file show components that are values of the server. */
  takesComponents: boolean;
  /** The browser module for live props. Undefined if the file shows and passes none. */
  live: LiveModule | undefined;
  /** Names of exported components that can't follow props. */
  frozen: readonly string[];
  /** Props that exported components show only once, by name of the export (analyze/kept-props.ts). */
  kept: KeptByName;
  /** Names of the props that browser code captures. */
  captured: ReadonlySet<string>;
}

/** Browser code that only instances with live props need (emit-live-props.ts). */
export interface LiveModule {
  output: Output;
  imports: readonly ClientImport[];
  /** Props that the file passes as derived values. */
  passed: readonly PassedProp[];
  /** Whether an element of the file gets props in a spread, which may contain handlers. */
  hasSpread: boolean;
  /** Local names of the hooks whose results may contain stores that instances follow although no prop is live. */
  hooks: ReadonlySet<string>;
  /** Names of the props that are functions, which the browser may call. */
  functions: ReadonlySet<string>;
  /** Names of the props that its code captures, which runs only if they are live. */
  captured: ReadonlySet<string>;
}

export interface CompileOptions {
  /** Whether the server module checks for mistakes that only rendering can detect. The HTML is the same. Default false. */
  isDevelopment?: boolean;
  /** Names under which the module imports the framework. Default: its own name. */
  aliases?: FrameworkAliases;
  /** Module that the compiled server code imports. Default: `svckit/jsx-runtime`. */
  runtime?: string;
  /** Whether browser code imports the module, and nothing renders it. Default false. */
  isBrowser?: boolean;
  /** Whether pages link the stylesheets of the module when one of its components is rendered. Default false. */
  hasStyles?: boolean;
  /** Names of the props that the app passes as derived values. Default: any. */
  liveNames?: ReadonlySet<string> | undefined;
  /** Local names of imported hooks that return no state. Default: none. */
  plainHooks?: ReadonlySet<string> | undefined;
  /** Names of the props whose functions the app's browser code may call. Default: none. */
  calledNames?: ReadonlySet<string> | undefined;
  /** Names of components that the browser can't create, although they are values. Default: none. */
  serverOnly?: ReadonlySet<string>;
  /** Local names of imported components that can't follow props (analyze/frozen-components.ts). Default: none. */
  frozen?: ReadonlySet<string> | undefined;
  /** Local names of imported components -> props that they show only once. Default: none. */
  kept?: KeptByName | undefined;
  /** Local names of imported components -> children that they may create in the browser. Default: none. */
  created?: PlacesByName | undefined;
}

/**
 * Compiles one TSX file (docs/resume-protocol.md sections 4 and 5).
 * @param text the source.
 * @param path path relative to the app root, with forward slashes: it names the module in pages and diagnostics.
 * @throws SvcError SVC101 … SVC125 with a code frame; several errors of the file as one.
 * @example
 * const { server, client } = compile("export const View = () => <p>Hello</p>;", "view.tsx");
 */
export function compile(text: string, path: string, options: CompileOptions = {}): Compiled {
  return compileFile(text, path, options).compiled;
}

/**
 * Compiles the create functions of one TSX file: its components for rows and branches that the browser creates.
 * @param text the source.
 * @param path as in `compile`.
 * @example
 * const { output, problems } = compileCreate("export const View = () => <p>Hello</p>;", "view.tsx");
 */
export function compileCreate(text: string, path: string, aliases: FrameworkAliases = NO_ALIASES): CreateModule {
  const file: SourceFile = { path, text };
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  return emitCreateModule(analyze(file, program));
}

/**
 * Compiles a module without JSX that may contain hooks: functions that create signals and return functions of them.
 * @returns undefined if the module stays as it is.
 */
export function compileHooks(
  text: string,
  path: string,
  { aliases = NO_ALIASES, runtime = RUNTIME }: CompileOptions = {},
): Compiled | undefined {
  const file: SourceFile = { path, text };
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  const module = analyze(file, program);
  const client = new ClientModule(module);
  const out = new ServerOutput(file, client.names, { runtime, hasStyles: false });
  new LiftedEmitter(module, client, new BrowserEmitter(module, client), out).emit();
  const isNeeded = emitContexts(module, out);
  module.problems.throwAny();
  if (client.isEmpty && !isNeeded) return undefined;
  const browser = client.isEmpty ? undefined : client.render();
  return {
    server: out.render(),
    client: browser,
    clientImports: client.imports,
    hasJsx: false,
    live: undefined,
    frozen: [],
    kept: new Map(),
    captured: client.captured,
    factories: [],
    spreads: [],
    values: undefined,
    views: undefined,
    hasViews: false,
    isCreating: false,
    created: new Map(),
    takesComponents: false,
  };
}

function importedAs(binding: Binding, { start, end }: Node): ClientImport[] {
  const declaration = importOf(binding);
  if (!declaration || svcImport(binding) !== undefined) return [];
  return [{ source: declaration.source.value, imported: exportedName(binding), local: binding.name, start, end }];
}

function liveModule({ client, passed, hasSpread, hooks, functions }: LivePropsEmitter): LiveModule | undefined {
  if (client.isEmpty && functions.size === 0 && passed.length === 0) return undefined;
  const { imports, captured } = client;
  return { output: client.render(), imports, passed, hasSpread, hooks, functions, captured };
}

/** Compiles a file, and also returns the analysis for `svc explain`. */
export function compileFile(
  text: string,
  path: string,
  {
    isDevelopment = false,
    aliases = NO_ALIASES,
    runtime = RUNTIME,
    hasStyles = false,
    isBrowser = false,
    liveNames,
    plainHooks,
    calledNames,
    serverOnly,
    frozen,
    kept,
    created,
  }: CompileOptions = {},
) {
  const file: SourceFile = { path, text };
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  const module = analyze(file, program);
  refuseOtherFrameworks(module);
  refuseUnsupportedSyntax(file, program, module.problems);
  refuseComponentCalls(module);
  refuseStaleReads(module);
  refusePropMutation(module);
  refuseDoubleKeys(module);
  const client = new ClientModule(module);
  const browser = new BrowserEmitter(module, client);
  const emitter = new ServerEmitter(
    newExtraction(module, () => client.names.nextSymbol("h"), module.problems),
    client,
    browser,
    {
      isDevelopment,
      runtime,
      hasStyles,
      isBrowser,
      ...(serverOnly && { serverOnly }),
      ...(liveNames && { liveNames }),
      ...(plainHooks && { plainHooks }),
      ...(frozen && { frozen }),
      ...(kept && { kept }),
      ...(created && { created }),
      ...(calledNames && { calledNames }),
    },
  );
  const server = emitter.emit();
  const { client: values } = emitter.values;
  const { client: views } = emitter.views;
  const compiled: Compiled = {
    server,
    client: client.isEmpty ? undefined : client.render(),
    clientImports: client.imports,
    factories: client.factories,
    spreads: emitter.live.spreadImports.flatMap(({ binding, node }) => importedAs(binding, node)),
    values: values.isEmpty ? undefined : { output: values.render(), imports: values.imports },
    views: views.isEmpty ? undefined : { output: views.render(), imports: views.imports },
    hasViews: emitter.views.isAny,
    isCreating: emitter.views.isCreating,
    created: emitter.views.exported,
    takesComponents: client.takesComponents || emitter.live.client.takesComponents,
    hasJsx: emitter.hasJsx,
    live: liveModule(emitter.live),
    frozen: frozenComponents(module),
    kept: emitter.kept.exported,
    captured: client.captured,
  };
  return { compiled, module, client, templates: emitter.templates };
}
