/** Builds pages and routes of the base app from the modules below `pages/`. layout-chain.ts loads and renders a page. */
import {
  page,
  route,
  SvcError,
  type Context,
  type Entry,
  type Middleware,
  type PageDefinition,
  type RouteDefinition,
} from "../index.ts";
import { component, html } from "../jsx-runtime.ts";
import { headElements, mergeHeads, type Head } from "./layouts/head.ts";
import type { AnyI18n } from "./i18n/i18n.ts";
import { alternatesOf, directionOf, localPath } from "./i18n/locales.ts";
import { byLanguage, homeRedirect } from "./i18n/routes.ts";
import { loadChain, statusOf, viewChain, type LayoutChain, type Standby } from "./layouts/layout-chain.ts";
import {
  endpointModule,
  errorModule,
  layoutModule,
  METHODS,
  middlewareModule,
  pageModule,
  type ErrorProps,
  type Modules,
  type PageModule,
  type PageSettings,
} from "./modules.ts";
import { respondTwin, holdsTwin, twinPath, withTwin } from "./markdown.ts";
import { outletKey } from "./layouts/outlets.ts";
import { routeName } from "./files/route-names.ts";
import { readRouteFiles, type RouteFile } from "./files/route-files.ts";
import type { PlainPage } from "./seo/seo.ts";

export interface AssembleOptions {
  /** `https://example.com`; undefined if it is not configured. */
  readonly origin: () => string | undefined;
  /** Default navigation of pages. */
  readonly navigation: NonNullable<PageSettings["navigation"]>;
  readonly submits: LayoutChain["submits"];
  readonly routes: LayoutChain["routes"];
  readonly formMessages: LayoutChain["formMessages"];
  readonly log: LayoutChain["log"];
  readonly errorText: LayoutChain["errorText"];
  readonly i18n: AnyI18n | undefined;
}

/** Options for `createApp`. */
export interface Assembled {
  readonly routes: readonly Entry[];
  /** Pages without parameters, for the sitemap and llms.txt. */
  readonly plain: readonly PlainPage[];
  /** Paths of `routes`. */
  readonly paths: ReadonlySet<string>;
  readonly notFound: readonly PageDefinition[];
}

/** @throws SvcError `SVC_DEFINITION` that names the file. */
export function assemble(modules: Modules, options: AssembleOptions): Assembled {
  const read = readRouteFiles(Object.keys(modules));
  refuseSharedGet(modules, read.routes);
  const inAll = (file: RouteFile): RouteFile => (file.kind === "page" ? withLanguages(file, options.i18n) : file);
  const files = {
    routes: read.routes.map(inAll),
    notFound: read.notFound.map((file) => withLanguages(file, options.i18n)),
  };
  return {
    routes: files.routes.flatMap((file): Entry[] =>
      file.kind === "page" ? pagesOf(modules, file, options) : endpointsOf(modules, file),
    ),
    plain: files.routes.flatMap((file) => plainPages(modules, file, options.i18n)),
    paths: new Set(files.routes.flatMap(({ paths }) => paths)),
    notFound: files.notFound.flatMap((file) => notFoundPages(modules, file, options)),
  };
}

function pagesOf(modules: Modules, file: RouteFile, options: AssembleOptions): Entry[] {
  const module = pageModule(modules, file.file);
  return [
    ...placed(modules, file, chainOf(modules, file, module, options), options),
    ...twinsOf(module, file, middlewareOf(modules, file)),
  ];
}

/** Routes of the Markdown twin, if the route of the page does not match its path. */
function twinsOf(module: PageModule, { paths }: RouteFile, middleware: readonly Middleware[]): RouteDefinition[] {
  if (module.markdown === undefined) return [];
  return paths
    .filter((path) => !holdsTwin(path))
    .map((path) => route("GET", twinPath(path), (ctx) => respondTwin(module, ctx, ctx.params), { middleware }));
}

function plainPages(
  modules: Modules,
  { file, kind, paths, around }: RouteFile,
  i18n: AnyI18n | undefined,
): PlainPage[] {
  if (kind !== "page") return [];
  const all = [...around.layout.map((name) => layoutModule(modules, name)), pageModule(modules, file)];
  const heads = all.map(({ head }) => (typeof head === "function" ? undefined : head));
  const head = mergeHeads(heads.filter((one) => one !== undefined));
  const isGuarded = around.middleware.some((name) => name.includes("/"));
  return paths
    .filter((path) => !/[:*]/.test(path))
    .map((path) => {
      const alternates = i18n && alternatesOf(i18n.locales, path);
      return {
        path,
        head,
        isGuarded,
        ...(alternates && { alternates, isTranslation: alternates["x-default"] !== path }),
      };
    });
}

/** Each path once for each language with URLs of its own; the default language first. */
function withLanguages(file: RouteFile, i18n: AnyI18n | undefined): RouteFile {
  if (!i18n || i18n.locales.strategy !== "path") return file;
  const { locales } = i18n;
  return {
    ...file,
    paths: locales.all.flatMap((locale) => file.paths.map((path) => localPath(locales, path, locale))),
  };
}

/** Adds the app's languages to the middleware and rules of a page. */
function languageSettings(
  path: string,
  settings: PageSettings,
  i18n: AnyI18n | undefined,
): PageSettings & { middleware: Middleware[] } {
  if (!i18n) return { ...settings, middleware: [] };
  const { locales, redirectHome } = i18n;
  if (locales.strategy === "path")
    return {
      ...settings,
      middleware: path === "/" && redirectHome && locales.all.length > 1 ? [homeRedirect(locales)] : [],
    };
  const { cache } = settings;
  const vary = ["accept-language", ...(cache?.vary ?? [])];
  return { ...settings, ...(cache && { cache: { ...cache, vary } }), middleware: [byLanguage] };
}

/** Adds the URLs of the page in other languages to its head. */
function localHead(head: Head, ctx: Context, i18n: AnyI18n | undefined): Head {
  if (!i18n) return head;
  const { locales } = i18n;
  const alternates = alternatesOf(locales, encodeURI(ctx.path));
  const { canonical } = head;
  const own = canonical?.startsWith("/") ? localPath(locales, canonical, i18n.of(ctx).locale) : canonical;
  return { ...head, alternates: { ...alternates, ...head.alternates }, ...(own !== undefined && { canonical: own }) };
}

/** One page for each form of its path. */
function placed(modules: Modules, file: RouteFile, chain: LayoutChain, options: AssembleOptions): PageDefinition[] {
  const last = chain.levels.at(-1);
  const { i18n } = options;
  const around = middlewareOf(modules, file);
  const localeOf = (ctx: Context): string => i18n?.of(ctx).locale ?? "en";
  return file.paths.map((path) => {
    const { middleware: byLocale, ...settings } = languageSettings(path, last?.options ?? {}, i18n);
    return page(path, {
      navigation: options.navigation,
      ...settings,
      middleware: [...byLocale, ...around, ...(last?.markdown === undefined ? [] : [withTwin(last, path)])],
      load: (ctx: Context) => loadChain(chain, ctx),
      view: (loaded, ctx) => viewChain(chain, loaded, ctx),
      title: ({ head }) => head.title ?? "",
      description: ({ head }) => head.description,
      lang: ({ head }, ctx) => head.lang ?? localeOf(ctx),
      dir: (_, ctx) => (i18n ? directionOf(localeOf(ctx)) : undefined),
      head: ({ head, failure }, ctx) => headElements(failure ? head : localHead(head, ctx, i18n), options.origin()),
      status: ({ failure }) => (failure ? statusOf(failure.error) : 200),
    });
  });
}

/** A `_404.tsx` answers every path below its folder, inside the layouts of that folder. */
function notFoundPages(modules: Modules, file: RouteFile, options: AssembleOptions): PageDefinition[] {
  const { head, default: view } = errorModule(modules, file.file);
  const nothing = (ctx: Context): ErrorProps => ({
    status: 404,
    message: `Nothing is at ${ctx.path}`,
    requestId: ctx.requestId,
    ctx,
  });
  const last: PageModule = {
    default: ({ ctx }) => html(() => component(view, nothing(ctx))),
    head: { title: "Not Found", ...head },
  };
  return placed(modules, file, chainOf(modules, file, last, options), options);
}

function chainOf(modules: Modules, { around }: RouteFile, last: PageModule, options: AssembleOptions): LayoutChain {
  const { i18n } = options;
  const pages = pageNames(modules);
  const folders = around.layout.map(folderOf);
  // Inside the layout of its own folder and all outer layouts.
  const standby = (name: string): Standby => ({
    depth: folders.filter((folder) => folderOf(name).startsWith(folder)).length,
    module: errorModule(modules, name),
  });
  const isEnhanced = (last.options?.navigation ?? options.navigation) === "enhanced";
  return {
    levels: [...around.layout.map((layout) => layoutModule(modules, layout)), last],
    outlets: isEnhanced ? around.layout.map(outletKey) : [],
    errors: around.error.map(standby),
    notFound: around.notFound.map(standby),
    submits: options.submits,
    routes: options.routes,
    formMessages: options.formMessages,
    languagesOf: i18n && ((ctx) => ({ locales: i18n.locales, locale: i18n.of(ctx).locale, pages })),
    log: options.log,
    errorText: options.errorText,
  };
}

/** Names of routes for `href`: `/users/[id]`. */
function pageNames(modules: Modules): ReadonlySet<string> {
  const files = Object.keys(modules).filter((file) => /\.[jt]sx$/.test(file));
  return new Set(files.map(routeName));
}

function endpointsOf(modules: Modules, file: RouteFile): RouteDefinition[] {
  const endpoint = endpointModule(modules, file.file);
  const middleware = middlewareOf(modules, file);
  return file.paths.flatMap((path) =>
    METHODS.flatMap((method) => {
      const handler = endpoint[method];
      return handler ? [route(method, path, handler, { ...endpoint.options, middleware })] : [];
    }),
  );
}

function middlewareOf(modules: Modules, { around }: RouteFile): Middleware[] {
  return around.middleware.flatMap((name) => middlewareModule(modules, name));
}

/** A page answers GET, so an endpoint with the same path must not. */
function refuseSharedGet(modules: Modules, routes: readonly RouteFile[]): void {
  const pages = new Map(
    routes.flatMap(({ kind, paths, file }) => (kind === "page" ? paths.map((path) => [path, file]) : [])),
  );
  for (const { kind, file, paths } of routes) {
    const shared = kind === "endpoint" ? paths.find((path) => pages.has(path)) : undefined;
    if (shared === undefined || !("GET" in (modules[file] ?? {}))) continue;
    throw new SvcError(
      "SVC_DEFINITION",
      `pages/${file} exports GET for ${shared}, but the page pages/${pages.get(shared)} already answers it; remove one of the two`,
    );
  }
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf("/") + 1);
}
