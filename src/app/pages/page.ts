/** Defines a page: a path, its data and its view. render-page.ts handles requests for it. */
import { isPromise } from "../../platform/http/response/close-iterator.ts";
import type { Context, Middleware, Params } from "../../platform/http/types.ts";
import type { OwnSecurityOptions } from "../../platform/security/headers.ts";
import type { Navigation, Prefetch } from "../../web/ssr/document.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { readCacheRules, type CacheRules, type PageCache } from "./cache-rules.ts";
import { assertPath, type PathParams } from "./path.ts";

type OrOf<Data, Value, Of extends Params = Params> = Value | ((data: Data, ctx: Context<Of>) => Value);

/** Parameters of one page each; undefined values are omitted. */
type Entries = Iterable<Readonly<Record<string, string | undefined>>>;

/** Options of `page`. `Of` is the type of the path parameters. */
export interface PageOptions<Data, Of extends Params = Params> {
  /** Title of the document; a function if it depends on the data. */
  title: OrOf<Data, string, Of>;
  /** Meta description of the document. Default: none. */
  description?: OrOf<Data, string | undefined, Of>;
  /** Loads the data of the view. May end with `notFound()` or `redirect(to)`. Default: no data. */
  load?: (ctx: Context<Of>) => Data | Promise<Data>;
  /** Renders the data as JSX. */
  view: (data: Data, ctx: Context<Of>) => unknown;
  /** HTTP status. A function is called after the page is rendered, or for a streamed page, after its first part. Default 200. */
  status?: OrOf<Data, number, Of>;
  /** Language of the document. Default `"en"`. */
  lang?: OrOf<Data, string, Of>;
  /** Text direction of the document. Default: the browser's, left to right. */
  dir?: OrOf<Data, "ltr" | "rtl" | undefined, Of>;
  /** Additional elements of `<head>`, as JSX. Default: none. */
  head?: (data: Data, ctx: Context<Of>) => unknown;
  /** Middleware around loading and rendering, outermost first; inside that of groups and app. Default: none. */
  middleware?: readonly Middleware[];
  /** When the browser fetches code, if not as the app's option `prefetch` says: `"intent"`, `"idle"` or `"none"`. */
  prefetch?: Prefetch;
  /**
   * `"enhanced"`: a link to another such page fetches it and changes the current document into it, so that shared layouts stay alive
   * (`svckit/fullstack`: layouts). Costs the page one small script. Default `"links"`: the browser loads pages.
   */
  navigation?: Navigation;
  /** Security headers that replace the app's for this page, such as an exception for a frame. Error pages keep the app's. */
  security?: OwnSecurityOptions;
  /**
   * Caching rules. Default: only the visitor's browser caches the page, and revalidates it each time. With rules, a page without deferred
   * content has an entity tag, and its policy contains hashes of its scripts instead of a nonce. Ignored in development.
   */
  cache?: PageCache;
  /**
   * Whether `svc build --static` exports the page as a file. `true`: the export is required, and `svc start` serves the file until
   * `invalidate`, so the page is public. `false`: never. Default: exported if the page reads nothing of a request.
   */
  static?: boolean;
  /** Parameters for which `svc build --static` exports the page: `[{ id: "emma" }]`. Default: a page with parameters is not exported. */
  entries?: () => Entries | Promise<Entries>;
  /** Timeout of each `<Await>` of the page, such as `"10s"`; after it, the `<Await>` fails. Default `"30s"`. */
  deadline?: Duration;
}

export interface PageDefinition {
  readonly kind: "page";
  readonly path: string;
  readonly middleware: readonly Middleware[];
  readonly security: OwnSecurityOptions | undefined;
  /** Undefined: the default. */
  readonly cache: CacheRules | undefined;
  /** Undefined: exported if possible. */
  readonly isStatic: boolean | undefined;
  readonly entries: (() => Entries | Promise<Entries>) | undefined;
  /** Loads and prepares a request for rendering. */
  readonly prepare: (ctx: Context) => PreparedPage | Promise<PreparedPage>;
}

/** A page whose data is loaded. */
export interface PreparedPage {
  title: string;
  description: string | undefined;
  /** Read it after the view has run. */
  readonly status: number;
  lang: string;
  dir: "ltr" | "rtl" | undefined;
  /** Undefined: as the app's option says. */
  prefetch: Prefetch | undefined;
  navigation: Navigation;
  deadlineMs: number | undefined;
  view: () => unknown;
  head: (() => unknown) | undefined;
}

/**
 * @param path `/audits/:id`; `route` explains which of several matching paths applies. Its parameters are typed:
 * `load: ({ params }) => params.id`.
 * @throws SvcError `SVC_DEFINITION` for an invalid path.
 * @example
 * page("/books/:id", {
 *   load: (ctx) => books.get(ctx.params.id) ?? notFound(),
 *   title: (book) => book.title,
 *   view: (book) => <h1>{book.title}</h1>,
 * });
 */
export function page<Data = undefined, const Path extends string = string>(
  path: Path,
  options: PageOptions<Data, PathParams<Path>>,
): PageDefinition {
  assertPath("page", path);
  const deadlineMs = options.deadline === undefined ? undefined : durationMs(options.deadline);
  return {
    kind: "page",
    path,
    middleware: options.middleware ?? [],
    security: options.security,
    cache: rulesOf(path, options),
    isStatic: options.static,
    entries: options.entries,
    // The router calls it only for matching paths, so the parameters exist.
    prepare: (ctx) => prepare(options as PageOptions<Data>, deadlineMs, ctx),
  };
}

/** A page exported at build time is public, and valid until it is invalidated. */
function rulesOf(
  path: string,
  { cache, static: isStatic }: Pick<PageOptions<never>, "cache" | "static">,
): CacheRules | undefined {
  const place = `page("${path}")`;
  if (!isStatic) return cache && readCacheRules(place, cache);
  if (cache?.public === false)
    throw new SvcError(
      "SVC_DEFINITION",
      `${place} has static: true, but its cache has public: false. Remove one of the two`,
    );
  const rules = readCacheRules(place, { ...cache, public: true });
  return cache?.sharedMaxAge === undefined ? { ...rules, sharedMs: Number.POSITIVE_INFINITY } : rules;
}

function prepare<Data>(
  options: PageOptions<Data>,
  deadlineMs: number | undefined,
  ctx: Context,
): PreparedPage | Promise<PreparedPage> {
  // Without `load`, Data is undefined.
  const data = options.load?.(ctx) as Data | Promise<Data>;
  if (isPromise(data)) return data.then((loaded) => new Prepared(options, deadlineMs, ctx, loaded));
  return new Prepared(options, deadlineMs, ctx, data);
}

/**
 * A class instance for each request: an object literal with a getter would have a new hidden class each time, and V8 would retain its
 * closure until a full garbage collection.
 */
class Prepared<Data> implements PreparedPage {
  readonly title: string;
  readonly description: string | undefined;
  readonly lang: string;
  readonly dir: "ltr" | "rtl" | undefined;
  readonly prefetch: Prefetch | undefined;
  readonly navigation: Navigation;
  readonly deadlineMs: number | undefined;
  readonly head: (() => unknown) | undefined;
  readonly #options: PageOptions<Data>;
  readonly #ctx: Context;
  readonly #data: Data;

  constructor(options: PageOptions<Data>, deadlineMs: number | undefined, ctx: Context, data: Data) {
    keepQuiet(data);
    const { title, description, lang = "en", dir, prefetch, navigation = "links", head } = options;
    this.#options = options;
    this.#ctx = ctx;
    this.#data = data;
    this.title = this.#of(title);
    this.description = description === undefined ? undefined : this.#of<string | undefined>(description);
    this.lang = this.#of(lang);
    this.dir = dir === undefined ? undefined : this.#of<"ltr" | "rtl" | undefined>(dir);
    this.prefetch = prefetch;
    this.navigation = navigation;
    this.deadlineMs = deadlineMs;
    this.head = head && (() => head(data, ctx));
  }

  get status(): number {
    return this.#of(this.#options.status ?? 200);
  }

  view = (): unknown => this.#options.view(this.#data, this.#ctx);

  #of<Value>(given: OrOf<Data, Value>): Value {
    if (typeof given !== "function") return given;
    return (given as (data: Data, ctx: Context) => Value)(this.#data, this.#ctx);
  }
}

/** Marks promises in the data as handled: one that no `<Await>` uses must not end the process with an unhandled rejection. */
function keepQuiet(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  for (const value of Object.values(data)) if (value instanceof Promise) value.catch(() => undefined);
}
