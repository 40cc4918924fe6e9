/**
 * The Vite plugin. It passes TSX files to compile.ts, replaces modules of actions by stubs in the browser, and keeps server-only code
 * out of browser chunks.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import path from "node:path";
import type { Plugin, Rollup } from "vite";
import { PATHS } from "../../platform/shared/wire.ts";
import { actionStubs, exportedActions, type ExportedAction } from "./build/action-modules.ts";
import { CREATE_QUERY, type ClientImport } from "./emit/client-module.ts";
import { VALUES_QUERY } from "./emit/emit-component-values.ts";
import { VIEWS_QUERY } from "./emit/emit-child-views.ts";
import { LIVE_QUERY } from "./emit/derived-values.ts";
import { liveNames } from "./emit/passed-props.ts";
import { compile, compileCreate, compileHooks, type Compiled, type CompileOptions } from "./compile.ts";
import type { Output } from "./model.ts";
import { stripTypes } from "./build/strip-types.ts";
import { PropImports } from "./build/prop-imports.ts";
import type { KeptByName, KeptPlace } from "./analyze/kept-props.ts";
import type { PlacesByName, PropPlace } from "./analyze/prop-places.ts";
import { mayCreate, otherExports, refuseServerComponents, type CreateSource } from "./build/create-modules.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { diagnostic, type SourceFile } from "./diagnostics.ts";
import {
  FrameworkImports,
  type FrameworkAliases,
  importsFramework,
  nameFrameworkImports,
  nodeResolve,
  runtimeOf,
  type Resolve,
} from "./framework-imports.ts";
import { Problems } from "./problems.ts";
import { calledNames, newAppModules, type AppModules } from "./build/app-modules.ts";
import { calledFunctions, noteCompiled, noteHooks } from "./build/compiled-modules.ts";
import { compiledFrom, compileTsx, mayHoldHooks } from "./build/compile-module.ts";
import { plainHooks } from "./build/state-hooks.ts";
import { browserSvc, SERVER_NAME, withServerNames } from "./build/browser-names.ts";
import { ImportChain, relativePath } from "./build/import-chain.ts";
import { SVC } from "./analyze/declaration-kinds.ts";
import { refuseOtherHooks } from "./analyze/other-frameworks.ts";
import { refuseUnsupportedSyntax } from "./analyze/refused-source.ts";
import { importsOf } from "./parse/imports.ts";
import { parse } from "./parse/parse.ts";
import { functionImports } from "./build/function-imports.ts";
import { factoryProblem, spreadProblem } from "./build/given-imports.ts";
import { contextNames } from "./analyze/contexts.ts";
import { refuseModuleState } from "./analyze/module-state.ts";
import type { ActionUse } from "./build/manifest.ts";
import { IMAGE_QUERY } from "./assets/images.ts";
import { withModuleUrls } from "./assets/module-urls.ts";
import { ASSETS, mayCallAsset, withPublicFiles } from "./assets/public-files.ts";
import { emptyModuleOf, hasClassNames, isStyle, styleOf } from "./styles/style-files.ts";
import type { ResolveFile } from "./styles/style-imports.ts";
import { withAppArguments } from "./build/app-calls.ts";
import {
  ACTIONS_MODULE,
  actionsModule,
  findHandlerActions,
  withRegistrations,
  type ActionSearch,
} from "./build/handler-actions.ts";

/** Query of an import that requests the browser module of a TSX file. */
export const CLIENT_QUERY = "?svc-client";

/** The entry point that works on the server and in the browser. */
const I18N = `${SVC}/i18n`;
const RESOLVED_ACTIONS = `\0${ACTIONS_MODULE}`;
/** Replaces "svckit" in helper modules that run in the browser. */
const BROWSER_SVC = "\0svc-browser";
/** Replaces "svckit/assets" in browser code, once for each importer. The bundler drops it, because the compiler replaces the calls of `asset`. */
const BROWSER_ASSETS = "\0svc-browser-assets:";

const RUNTIME_PATHS: ReadonlySet<string> = new Set([
  PATHS.core,
  PATHS.region,
  PATHS.create,
  PATHS.context,
  PATHS.builtins,
  PATHS.spread,
  PATHS.dynamic,
  PATHS.errorBoundary,
  PATHS.createdMoments,
  PATHS.widgets,
  PATHS.image,
  PATHS.portals,
  PATHS.attr,
  PATHS.store,
  PATHS.act,
  PATHS.lines,
  PATHS.call,
  PATHS.navigate,
  PATHS.form,
  PATHS.effect,
  PATHS.portal,
  PATHS.ref,
  PATHS.resource,
  PATHS.boundary,
  PATHS.raw,
  PATHS.select,
  PATHS.virtual,
  PATHS.toast,
  PATHS.prop,
]);
const BUILTINS = new Set(builtinModules);

export interface PluginOptions {
  /** Filled while modules are compiled; shared between a server and a browser build. */
  modules?: AppModules;
}

/**
 * The plugin of one Vite build or server.
 * @example
 * await createServer({ plugins: [svc()] }); // `createServer` of Vite
 */
export function svc(options: PluginOptions = {}): Plugin {
  const modules = options.modules ?? newAppModules();
  const chain = new ImportChain();
  let keptImports: PropImports<KeptPlace> | undefined;
  let createdImports: PropImports<PropPlace> | undefined;
  const imports = new FrameworkImports();
  /** Modules of actions by module id. The browser has stubs of them. */
  const stubs = new Map<string, { path: string; actions: ExportedAction[] }>();
  let root = process.cwd();
  let cacheDir = root;

  const fileOf = async (context: Resolver, id: string, given?: string): Promise<SourceFile> => {
    const absolute = id.split("?")[0] ?? id;
    const text = given ?? (await readFile(absolute, "utf8"));
    const file = { path: relativePath(root, absolute), text };
    if (absolute.includes("/node_modules/") || !mayCallAsset(text)) return file;
    const aliases = await imports.aliasesIn(text, absolute, resolverOf(context));
    return withPublicFiles(file, path.join(root, "public"), modules.publicFiles, aliases);
  };

  return {
    name: "svc",
    enforce: "pre",
    config: (own) => (own.resolve?.tsconfigPaths === undefined ? { resolve: { tsconfigPaths: true } } : undefined),
    configResolved(config) {
      ({ root, cacheDir } = config);
    },
    async resolveId(source, importer) {
      if (source.endsWith(CLIENT_QUERY)) return source;
      if (source.endsWith(CREATE_QUERY)) return createdId(this, source, importer);
      if (importer !== undefined && isStyle(source) && !hasClassNames(source) && !isServed(this.environment)) {
        const resolved = await this.resolve(source, importer, { skipSelf: true });
        return resolved && !resolved.external ? { id: emptyModuleOf(resolved.id), moduleSideEffects: false } : resolved;
      }
      if (source === ACTIONS_MODULE) return RESOLVED_ACTIONS;
      if (RUNTIME_PATHS.has(source) && this.environment.config.consumer === "client")
        return { id: source, external: true, moduleSideEffects: false };
      const own = await imports.canonical(source, importer ?? path.join(root, "app.ts"), resolverOf(this));
      if (this.environment.config.consumer !== "client") {
        if (own === undefined) return undefined;
        if (this.environment.mode === "build") return { id: externalOf(source, own, importer), external: true };
        // The app must use the instance of the framework that runs it. Vite leaves the real package name to Node (dev-host.ts).
        return own === source ? undefined : { id: import.meta.resolve(own), external: true };
      }
      if (own === SVC) return BROWSER_SVC;
      if (own === ASSETS) return { id: BROWSER_ASSETS + (importer ?? root), moduleSideEffects: false };
      if (importer === undefined) return undefined;
      if (importer.startsWith(BROWSER_ASSETS)) return chain.external(ASSETS, importer.slice(BROWSER_ASSETS.length));
      if (source.startsWith(SERVER_NAME))
        return chain.external(`${source.slice(SERVER_NAME.length)} of ${SVC}`, importer);
      if (source.startsWith("node:") || BUILTINS.has(source) || (own !== undefined && own !== I18N)) {
        return chain.external(source, importer);
      }
      const resolved = await this.resolve(source, importer, { skipSelf: true });
      if (!resolved || resolved.external) return resolved;
      chain.note(resolved.id, importer);
      if (/\.server\.[cm]?[jt]sx?$/.test(resolved.id) && !(await actionsOf(this, resolved.id))) {
        return chain.external(source, importer);
      }
      return resolved;
    },
    async load(id) {
      if (id === BROWSER_SVC) return browserSvc();
      if (id.startsWith(BROWSER_ASSETS))
        return `export const asset = (path) => path; export { Image } from "${SERVER_NAME}Image";`;
      if (id.endsWith(IMAGE_QUERY)) {
        const code = await modules.images.moduleOf(id.slice(0, -IMAGE_QUERY.length), cacheDir);
        return { code, moduleType: "js" };
      }
      if (id.endsWith(CREATE_QUERY)) return loadCreate(this, id);
      if (styleOf(id) !== undefined) return 'export default "";';
      if (id === RESOLVED_ACTIONS) return actionsModule;
      if (!id.endsWith(CLIENT_QUERY)) return undefined;
      const file = await fileOf(this, id);
      const module = id.slice(0, -CLIENT_QUERY.length);
      if (module.endsWith(VALUES_QUERY)) return loadValues(this, module.slice(0, -VALUES_QUERY.length), file);
      if (module.endsWith(VIEWS_QUERY)) return loadViews(this, module.slice(0, -VIEWS_QUERY.length), file);
      const isLive = module.endsWith(LIVE_QUERY);
      const source = isLive ? module.slice(0, -LIVE_QUERY.length) : module;
      const aliases = await imports.aliasesIn(file.text, source, resolverOf(this));
      const compiled = await compiledWithImports(this, source, compiledFrom, file, {
        aliases,
        liveNames: isLive ? liveNames(modules.passed.values()) : undefined,
        plainHooks: isLive ? await plainHooksOf(this, file, source) : undefined,
        calledNames: isLive ? calledNames(modules) : undefined,
        frozen: await frozenImports(this, file, source),
        kept: isLive && this.environment.mode === "build" ? await keptImportsOf(this, file, source) : undefined,
      });
      if (isLive) {
        const { live } = compiled ?? {};
        if (!live) return { code: "export {};" };
        await checkImports(this, live.imports, file, id);
        await refuseServerComponents(createOf(this), live.imports, source, file.path);
        const output = await stripTypes(live.output, file);
        // Handlers of instances with live props are those of the file's other chunk.
        return compiled?.client
          ? { ...output, code: `${output.code}\nexport * from ${JSON.stringify(source + CLIENT_QUERY)};` }
          : output;
      }
      if (compiled) await checkImports(this, compiled.clientImports, file, id);
      if (compiled) await refuseServerComponents(createOf(this), compiled.clientImports, module, file.path);
      return compiled?.client ? stripTypes(compiled.client, file) : { code: "export {};" };
    },
    async transform(code, id) {
      if (id.endsWith(CLIENT_QUERY) || id.endsWith(CREATE_QUERY) || id.startsWith("\0") || !/\.[cm]?[jt]sx?$/.test(id))
        return undefined;
      const isBrowser = this.environment.config.consumer === "client";
      const aliases = await imports.aliasesIn(code, id, resolverOf(this));
      const written = await fileOf(this, id, code);
      const isOwn = !id.includes("/node_modules/");
      const own = isBrowser || !isOwn ? written : withModuleUrls(written, runtimeOf(aliases, id));
      const completed = isBrowser || !isOwn ? undefined : withAppArguments(own, aliases);
      if (importsFramework(code, aliases)) modules.framework.add(id);
      else modules.framework.delete(id);
      const file = completed === undefined ? own : { ...own, text: completed };
      if (isBrowser) {
        if (importsFramework(code, aliases)) refuseModuleState(own, aliases);
        if (isOwn && !lowersDecorators(root)) checkSyntax(own);
        const actions = isOwn ? exportedActions(file, aliases) : undefined;
        if (actions) {
          stubs.set(id, { path: file.path, actions });
          return { code: actionStubs(actions), map: { mappings: "" } };
        }
      }
      if (!/\.[jt]sx$/.test(id)) {
        if (isOwn) refuseOtherHooks(own);
        if (completed !== undefined && this.environment.mode === "build")
          await modules.styles.read(id, fileResolverOf(this));
        const hooks =
          isBrowser || !mayHoldHooks(id, file, aliases)
            ? undefined
            : compileHooks(file.text, file.path, { aliases, runtime: runtimeOf(aliases, id) });
        if (hooks) {
          if (hooks.client) modules.browser.set(id, file.path);
          noteHooks(modules, id, hooks);
          return hooks.server;
        }
        const text = isBrowser ? withServerNames(withContextNames(file, aliases), aliases) : file.text;
        return text === code ? undefined : { code: text, map: null };
      }
      const isDevelopment = this.environment.mode === "dev";
      if (!isBrowser && !isDevelopment) await modules.styles.read(id, fileResolverOf(this));
      // In development the stylesheets of a module may change without an edit of the module.
      const hasStyles = isDevelopment || modules.styles.stylesOf([id]).length > 0;
      const runtime = runtimeOf(aliases, id);
      const options = { isDevelopment, aliases, runtime, hasStyles, isBrowser };
      const compiled = await compiledWithImports(this, id, compileTsx, file, options);
      if (!isBrowser) await refuseImports(this, compiled, file, id);
      // In development a hook may begin to return state without an edit of this module.
      const asked = this.environment.mode === "build" ? calledFunctions(compiled) : undefined;
      noteCompiled(modules, id, file.path, compiled, asked ? await plainHooksOf(this, file, id, asked) : new Set());
      const server = await stripTypes(compiled.server, file);
      if (isBrowser) return { ...server, code: withServerNames(server.code, aliases) };
      const found = await findHandlerActions(
        id,
        [
          ...compiled.clientImports,
          ...(compiled.live?.imports ?? []),
          ...(compiled.values?.imports ?? []),
          ...(compiled.views?.imports ?? []),
        ],
        searchOf(this),
      );
      modules.searched.set(id, found.searched);
      return { ...server, code: withRegistrations(server.code, found, id, root) };
    },
    renderChunk(code) {
      chain.refuseServerOnly(code, root);
      return null;
    },
    generateBundle: {
      // After Vite has added its files.
      order: "post",
      handler(_options, bundle) {
        for (const [name, file] of Object.entries(bundle)) {
          if (file.type === "chunk") noteActions(file);
          // Of CSS modules. Pages link the stylesheets of a build of their own (build-styles.ts).
          else if (name.endsWith(".css")) delete bundle[name];
        }
      },
    },
  };

  /** Local names of imported hooks that return no state. Packages other than the framework may return some. */
  function plainHooksOf(
    context: Resolver,
    file: SourceFile,
    id: string,
    others?: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    return plainHooks(
      {
        moduleOf: (source, importer) => moduleBehind(context, source, importer),
        textOf: async (module) => (await fileOf(context, module)).text,
      },
      file,
      id,
      others,
    );
  }

  async function moduleBehind(context: Resolver, source: string, importer: string): Promise<string | undefined> {
    if ((await imports.canonical(source, importer, resolverOf(context))) !== undefined) return undefined;
    const found = await context.resolve(source, importer, { skipSelf: true });
    if (!found || source.startsWith("node:") || BUILTINS.has(source)) return undefined;
    return found.external ? `/node_modules/${source}.js` : found.id.split("?")[0];
  }

  /** Compiles a module, and again if it gives components, contexts or hooks functions of other modules. */
  async function compiledWithImports<Result extends Compiled | undefined>(
    context: Resolver,
    id: string,
    compiler: (file: SourceFile, options: CompileOptions) => Result,
    file: SourceFile,
    options: CompileOptions,
  ): Promise<Result> {
    const compiled = compiler(file, options);
    const found = await functionImports(
      {
        moduleOf: (source, importer) => moduleBehind(context, source, importer),
        fileOf: (module) => fileOf(context, module),
        hasActions: async (module) => (await actionsOf(context, module)) !== undefined,
      },
      compiled?.given ?? [],
      id,
    );
    return found ? compiler(file, { ...options, functionImports: found }) : compiled;
  }

  /** Local names of the imported components that can't follow props. The server's modules are compiled first, so all are known. */
  async function frozenImports(context: Resolver, file: SourceFile, id: string): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    if (modules.frozen.size === 0) return names;
    for (const { source, imported, local } of importsOf(parse(file))) {
      const from = (await context.resolve(source, id))?.id;
      if (from !== undefined && modules.frozen.get(from)?.includes(imported)) names.add(local);
    }
    return names;
  }

  /** What imported components keep of their props. `svc dev` reports it when a page is rendered (SVC205). */
  async function keptImportsOf(context: Resolver, file: SourceFile, id: string): Promise<KeptByName | undefined> {
    if (modules.kept.size === 0) return undefined;
    keptImports ??= propImports(
      context,
      (compiled) => compiled.kept,
      (kept) => ({ kept }),
    );
    return keptImports.of(id, file);
  }

  /** What imported components create of their children. */
  async function createdImportsOf(context: Resolver, file: SourceFile, id: string): Promise<PlacesByName> {
    createdImports ??= propImports(
      context,
      (compiled) => compiled.created,
      (created) => ({ created }),
    );
    return createdImports.of(id, file);
  }

  /** @param usedBy what the components of a compiled module use. @param given options for what the imported ones use */
  function propImports<Place extends PropPlace>(
    context: Resolver,
    usedBy: (compiled: Compiled) => PlacesByName<Place>,
    given: (imported: PlacesByName<Place>) => CompileOptions,
  ): PropImports<Place> {
    return new PropImports<Place>({
      async moduleOf(source, importer) {
        const found = await moduleBehind(context, source, importer);
        return found !== undefined && mayCreate(found) ? found : undefined;
      },
      fileOf: (module) => fileOf(context, module),
      async compiled(module, { text, path: shown }, imported) {
        const aliases = await imports.aliasesIn(text, module, resolverOf(context));
        try {
          return usedBy(compile(text, shown, { aliases, ...given(imported) }));
        } catch (error) {
          // The build reports the errors of each module.
          if (error instanceof SvcError) return undefined;
          throw error;
        }
      },
    });
  }

  /** Children of the file that the components of the app may create in the browser. */
  async function loadViews(context: Resolver, module: string, file: SourceFile): Promise<Output> {
    const aliases = await imports.aliasesIn(file.text, module, resolverOf(context));
    const created = await createdImportsOf(context, file, module);
    const { views } = compile(file.text, file.path, { aliases, created });
    if (!views) return { code: "export {};", map: "" };
    await checkImports(context, views.imports, file, module);
    await refuseServerComponents(createOf(context), views.imports, module, file.path);
    return stripTypes(views.output, file);
  }

  /** The build accepts a value that only the server can run. The browser throws where a row or branch shows it. */
  async function loadValues(context: Resolver, module: string, file: SourceFile): Promise<Output> {
    const aliases = await imports.aliasesIn(file.text, module, resolverOf(context));
    const all = compile(file.text, file.path, { aliases }).values;
    const serverOnly = new Set<string>();
    for (const item of all?.imports ?? [])
      await refuseServerComponents(createOf(context), [item], module, file.path).catch((error: unknown) => {
        if (!(error instanceof SvcError)) throw error;
        serverOnly.add(item.local.replace(/^\$+c_/, ""));
      });
    const values = serverOnly.size > 0 ? compile(file.text, file.path, { aliases, serverOnly }).values : all;
    if (!values) return { code: "export {};", map: "" };
    await checkImports(context, values.imports, file, module);
    return stripTypes(values.output, file);
  }

  /** The bundle shows which stubs browser code still uses, however it imports them. */
  function noteActions(chunk: Rollup.OutputChunk): void {
    const uses = Object.entries(chunk.modules).flatMap(([id, { renderedExports }]) => {
      const { path: module = "", actions = [] } = stubs.get(id) ?? {};
      return actions
        .filter(({ exported }) => renderedExports.includes(exported))
        .map(({ name, isStream }): ActionUse => ({ name, isStream, module }));
    });
    if (uses.length > 0) modules.actions.set(chunk.facadeModuleId ?? chunk.fileName, uses);
  }

  /** @param id absolute path of a module. @returns undefined if it is not a module of server actions. */
  async function actionsOf(context: Resolver, id: string): Promise<ExportedAction[] | undefined> {
    const file = await fileOf(context, id);
    return exportedActions(file, await imports.aliasesIn(file.text, id, resolverOf(context)));
  }

  async function createdId(context: Resolver, source: string, importer: string | undefined) {
    const base = source.slice(0, -CREATE_QUERY.length);
    const from = importer ?? root;
    const own = await imports.canonical(base, from, resolverOf(context));
    if (own !== undefined) return chain.external(own, from);
    const resolved = await context.resolve(base, from);
    const id = resolved?.id ?? base;
    if (/\.server\.[cm]?[jt]sx?$/.test(id)) return chain.external(base, from);
    chain.note(id, from);
    return mayCreate(id) ? id + CREATE_QUERY : id;
  }

  function createOf(context: Resolver): CreateSource {
    return {
      async moduleOf(source, importer) {
        const id = (await context.resolve(source, importer))?.id;
        return id !== undefined && mayCreate(id) ? id : undefined;
      },
      async compiled(module) {
        const file = await fileOf(context, module);
        const aliases = await imports.aliasesIn(file.text, module, resolverOf(context));
        return { ...compileCreate(file.text, file.path, aliases), path: file.path };
      },
    };
  }

  async function loadCreate(context: Resolver, id: string): Promise<{ code: string; map: string }> {
    const module = id.slice(0, -CREATE_QUERY.length);
    const file = await fileOf(context, module);
    const created = await createOf(context).compiled(module);
    await checkImports(context, created.imports, file, id);
    const { code, map } = await stripTypes(created.output, file);
    return { code: code + otherExports(created, module), map };
  }

  function searchOf(context: Resolver): ActionSearch {
    return {
      async moduleOf(source, importer) {
        if ((await imports.canonical(source, importer, resolverOf(context))) !== undefined) return undefined;
        const resolved = await context.resolve(source, importer, { skipSelf: true });
        const id = resolved && !resolved.external ? resolved.id.split("?")[0] : undefined;
        if (id === undefined || !path.isAbsolute(id) || id.includes("/node_modules/")) return undefined;
        return /\.[cm]?[jt]sx?$/.test(id) && (!/\.server\.\w+$/.test(id) || (await actionsOf(context, id)))
          ? id
          : undefined;
      },
      actionsOf: (module) => actionsOf(context, module),
    };
  }

  /** @throws SvcError SVC103, SVC107 for imports whose values the browser can't get */
  async function refuseImports(
    context: Resolver,
    { factories, spreads }: Compiled,
    file: SourceFile,
    id: string,
  ): Promise<void> {
    const problems = new Problems();
    for (const item of [...factories, ...spreads]) {
      const resolved = await context.resolve(item.source, id);
      if (!resolved || resolved.external || !/\.[cm]?[jt]sx?$/.test(resolved.id)) continue;
      const target = await fileOf(context, resolved.id);
      const problem = factories.includes(item) ? factoryProblem(item, target) : spreadProblem(item, target);
      if (problem) problems.add(diagnostic(file, problem.code, item, problem.text));
    }
    problems.throwAny();
  }

  /** A browser module may import only actions from a module of actions. */
  async function checkImports(
    context: Resolver,
    used: readonly ClientImport[],
    file: SourceFile,
    id: string,
  ): Promise<void> {
    const problems = new Problems();
    for (const item of used) {
      const resolved = await context.resolve(item.source, id);
      if (!resolved || resolved.external || !path.isAbsolute(resolved.id)) continue;
      const target = await fileOf(context, resolved.id);
      const actions = /\.[cm]?[jt]sx?$/.test(target.path) ? await actionsOf(context, resolved.id) : undefined;
      if (!actions) continue;
      if (!actions.some(({ exported }) => exported === item.imported)) {
        const error = diagnostic(
          file,
          "SVC104",
          item,
          `"${item.local}" comes from ${target.path}, a module of server actions, but is not an action, so it stays on the server. Actions of the module: ${actions.map(({ exported }) => exported).join(", ") || "none"}. Move what the browser needs into another module.`,
        );
        problems.add(error);
      }
    }
    problems.throwAny();
  }
}

/** @throws SvcError SVC124 */
function checkSyntax(file: SourceFile): void {
  const problems = new Problems();
  refuseUnsupportedSyntax(file, parse(file), problems);
  problems.throwAny();
}

/** Whether Vite lowers decorators, as the app's TypeScript settings ask. */
function lowersDecorators(root: string): boolean {
  const settings = path.join(root, "tsconfig.json");
  return existsSync(settings) && /"experimentalDecorators"\s*:\s*true/.test(readFileSync(settings, "utf8"));
}

/** Names the contexts that a module declares, in the browser as on the server. */
function withContextNames(file: SourceFile, aliases: FrameworkAliases): string {
  if (!file.text.includes("createContext")) return file.text;
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  const declared = contextNames(program, file.path);
  return declared.reduceRight((text, { at, code }) => text.slice(0, at) + code + text.slice(at), file.text);
}

/** The specifier that built server code imports: the one in the source if Node can resolve it. Node cannot resolve an alias of Vite. */
function externalOf(source: string, own: string, importer: string | undefined): string {
  return importer !== undefined && source !== own && nodeResolve(source, importer) === undefined ? own : source;
}

/** Whether Vite's own server serves the files of an environment, as `svc dev` does for stylesheets. */
function isServed({ mode, config }: { mode: string; config: { consumer: string } }): boolean {
  return mode === "dev" && config.consumer === "client";
}

function fileResolverOf(context: Resolver): ResolveFile {
  return async (specifier, importer) => {
    const found = await context.resolve(specifier, importer);
    return found && !found.external ? found.id : undefined;
  };
}

interface Resolver {
  resolve(
    source: string,
    importer: string,
    options?: { skipSelf: boolean },
  ): Promise<{ id: string; external: boolean | string } | null>;
}

function resolverOf(context: Resolver): Resolve {
  return async (specifier, importer) => {
    const id = (await context.resolve(specifier, importer, { skipSelf: true }))?.id;
    // An alias of Vite comes back here under the package's name, which the browser build replaces.
    return id === BROWSER_SVC ? SVC : id;
  };
}
