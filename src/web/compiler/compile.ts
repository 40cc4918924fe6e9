/** Compiles a TSX file into a server module and a browser module. Both still contain TypeScript. */
import { readFragments } from "./parse/fragments.ts";
import { parse } from "./parse/parse.ts";
import { parseWithSpreadChildren, type Parsed } from "./parse/spread-children.ts";
import { originLinks, type OriginLink } from "./analyze/origins.ts";
import { resourcesElsewhere } from "./analyze/escaping.ts";
import { analyze } from "./analyze/analyze.ts";
import type { FunctionImports } from "./analyze/returned-functions.ts";
import { givenImports } from "./analyze/given-functions.ts";
import { newExtraction } from "./extract/extract.ts";
import { refuseControlFlowMistakes } from "./extract/control-flow-attributes.ts";
import { returnedFormEdits } from "./extract/returned-forms.ts";
import { firstFormEdits } from "./extract/forms.ts";
import { refuseComponentCalls } from "./analyze/components.ts";
import { ClientModule, exportedName, type ClientImport } from "./emit/client-module.ts";
import { changed, type SourceFile } from "./diagnostics.ts";
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
import { refuseStoreMembers } from "./analyze/store-members.ts";
import { ServerEmitter } from "./emit/emit-server.ts";
import { emitContexts } from "./emit/emit-contexts.ts";
import type { LivePropsEmitter } from "./emit/emit-live-props.ts";
import type { CalledNames, PassedProp } from "./emit/passed-props.ts";
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
  /** What the file's hooks and components pass on. */
  links: readonly OriginLink[];
  /** Imports that components, contexts and hooks get as values. */
  given: readonly ClientImport[];
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
  /** Names of the props that one piece of its code reads, separated by spaces. It runs if one of them is live. */
  readTogether: ReadonlySet<string>;
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
  calledNames?: CalledNames | undefined;
  /** Names of components that the browser can't create, although they are values. Default: none. */
  serverOnly?: ReadonlySet<string>;
  /** Local names of imported components that can't follow props (analyze/frozen-components.ts). Default: none. */
  frozen?: ReadonlySet<string> | undefined;
  /** Local names of imported components -> props that they show only once. Default: none. */
  kept?: KeptByName | undefined;
  /** Local names of imported components -> children that they may create in the browser. Default: none. */
  created?: PlacesByName | undefined;
  /** Imports that are functions, or objects with functions. Default: none. */
  functionImports?: FunctionImports | undefined;
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
  const parsed = parseForms({ path, text }, aliases);
  const edits = returnedFormEdits(parsed.program);
  if (edits.length === 0) return emitCreateModule(analyze(parsed.file, parsed.program));
  const file = changed(parsed.file, edits);
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  readFragments(program, RUNTIME);
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
  const { file, program } = parseForms({ path, text }, aliases);
  const module = analyze(file, program);
  refuseStoreMembers(module);
  const client = new ClientModule(module);
  const out = new ServerOutput(file, client.names, { runtime, hasStyles: false });
  new LiftedEmitter(module, client, new BrowserEmitter(module, client), out).emit();
  const isNeeded = emitContexts(module, out) || resourcesElsewhere(module).length > 0;
  module.problems.throwAny();
  const links = originLinks(module);
  if (client.isEmpty && !isNeeded && links.length === 0) return undefined;
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
    links,
    given: [],
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

/** Parses a file whose forms of JSX are written as those that the next steps know. */
function parseForms(source: SourceFile, aliases: FrameworkAliases): Parsed {
  let parsed = parseWithSpreadChildren(source);
  for (;;) {
    nameFrameworkImports(parsed.program, aliases);
    readFragments(parsed.program, RUNTIME);
    const edits = firstFormEdits(parsed.file, parsed.program);
    if (edits === undefined) return parsed;
    const file = changed(parsed.file, edits);
    parsed = { file, program: parse(file) };
  }
}

function importedAs(binding: Binding, { start, end }: Node): ClientImport[] {
  const declaration = importOf(binding);
  if (!declaration || svcImport(binding) !== undefined) return [];
  return [{ source: declaration.source.value, imported: exportedName(binding), local: binding.name, start, end }];
}

function liveModule(emitter: LivePropsEmitter): LiveModule | undefined {
  const { client, passed, spreads, hooks, functions, readTogether } = emitter;
  if (client.isEmpty && functions.size === 0 && passed.length === 0) return undefined;
  const { imports, captured } = client;
  return {
    output: client.render(),
    imports,
    passed,
    hasSpread: spreads.isAny,
    hooks,
    functions,
    readTogether,
    captured,
  };
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
    functionImports,
  }: CompileOptions = {},
) {
  const { file, program } = parseForms({ path, text }, aliases);
  const module = analyze(file, program, functionImports);
  refuseOtherFrameworks(module);
  refuseUnsupportedSyntax(file, program, module.problems);
  refuseComponentCalls(module);
  refuseStaleReads(module);
  refuseStoreMembers(module);
  refusePropMutation(module);
  refuseDoubleKeys(module);
  refuseControlFlowMistakes(module);
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
    spreads: emitter.live.spreads.imports.flatMap(({ binding, node }) => importedAs(binding, node)),
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
    links: originLinks(module),
    given: givenImports(module).flatMap((binding) => importedAs(binding, binding.node)),
  };
  return { compiled, module, client, templates: emitter.templates };
}
