/** A page: a path, what it needs to know, and what it shows. Owns the definition; render-page.ts answers requests for it. */
import { isPromise } from "../../platform/http/response/close-iterator.ts";
import type { Context, Middleware, Params } from "../../platform/http/types.ts";
import type { OwnSecurityOptions } from "../../platform/security/headers.ts";
import type { Navigation } from "../../web/ssr/document.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { readCacheRules, type CacheRules, type PageCache } from "./cache-rules.ts";
import { assertPath, type PathParams } from "./path.ts";

type OrOf<Data, Value, Of extends Params = Params> = Value | ((data: Data, ctx: Context<Of>) => Value);

/** Of one page each; undefined is left out. */
type Entries = Iterable<Readonly<Record<string, string | undefined>>>;

/** `Of` are the parameters of the page's path. */
export interface PageOptions<Data, Of extends Params = Params> {
  /** Of the document; a function of the data where it depends on it. */
  title: OrOf<Data, string, Of>;
  description?: OrOf<Data, string | undefined, Of>;
  /** Fetches what the view shows. May leave by `notFound()` or `redirect(to)`. */
  load?: (ctx: Context<Of>) => Data | Promise<Data>;
  /** The page's JSX, from the data. */
  view: (data: Data, ctx: Context<Of>) => unknown;
  /** Default 200. A function is asked once the page is rendered, of one that is streamed its first part. */
  status?: OrOf<Data, number, Of>;
  /** Default "en". */
  lang?: OrOf<Data, string, Of>;
  /** Direction of the document's text. Default: the browser's, left to right. */
  dir?: OrOf<Data, "ltr" | "rtl" | undefined, Of>;
  /** More elements of `<head>`, as JSX. */
  head?: (data: Data, ctx: Context<Of>) => unknown;
  /** Around loading and rendering, outermost first; inside that of groups and app. */
  middleware?: readonly Middleware[];
  /** When the browser fetches code: on intent (default), or ahead of it once the page is idle. */
  prefetch?: "intent" | "idle";
  /**
   * `"enhanced"`: where a link leads to another such page, that is fetched and put into the document that is there, so that what
   * stands around it lives on (`svckit/fullstack`: layouts). Costs the page one small script. Default `"links"`: they are the browser's.
   */
  navigation?: Navigation;
  /** Security headers of this page in place of the app's, such as a frame that only this page shows; error pages keep the app's. */
  security?: OwnSecurityOptions;
  /**
   * How long answers are good, and for whom. Default: for the visitor, who asks each time. With rules, a page without late pieces
   * has an entity tag, and the policy of its scripts names their hashes in place of a nonce. Not in force while the app is developed.
   */
  cache?: PageCache;
  /**
   * Whether `svc build --static` makes a file of the page. `true`: it must, and `svc start` answers with that file too, until
   * `invalidate`; so the page is public. `false`: it doesn't. Default: it does where nothing of a request is looked at.
   */
  static?: boolean;
  /** Parameters with which `svc build --static` exports the page: `[{ id: "emma" }]`. Without, a page with parameters is left out. */
  entries?: () => Entries | Promise<Entries>;
  /** How long an `<Await>` of the page may take before it has failed. Default 30 s. */
  deadline?: Duration;
}

export interface PageDefinition {
  readonly kind: "page";
  readonly path: string;
  readonly middleware: readonly Middleware[];
  readonly security: OwnSecurityOptions | undefined;
  /** Undefined: the default. */
  readonly cache: CacheRules | undefined;
  /** Undefined: where it can be. */
  readonly isStatic: boolean | undefined;
  readonly entries: (() => Entries | Promise<Entries>) | undefined;
  /** Everything about one request, ready to be rendered. */
  readonly prepare: (ctx: Context) => PreparedPage | Promise<PreparedPage>;
}

/** A page whose data is there. */
export interface PreparedPage {
  title: string;
  description: string | undefined;
  /** To be read when the view has run. */
  readonly status: number;
  lang: string;
  dir: "ltr" | "rtl" | undefined;
  prefetch: "intent" | "idle";
  navigation: Navigation;
  deadlineMs: number | undefined;
  view: () => unknown;
  head: (() => unknown) | undefined;
}

/**
 * @param path `/audits/:id`; which of several that match is asked is told at `route`. Parameters are typed from it:
 * `load: ({ params }) => params.id`.
 * @throws SvcError `SVC_DEFINITION` for a path that can't be one.
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
    // Only requests that the path matches come here, so its parameters are there.
    prepare: (ctx) => prepare(options as PageOptions<Data>, deadlineMs, ctx),
  };
}

/** A page that is made at build is everybody's, and good until it is invalidated. */
function rulesOf(
  path: string,
  { cache, static: isStatic }: Pick<PageOptions<never>, "cache" | "static">,
): CacheRules | undefined {
  const place = `page("${path}")`;
  if (!isStatic) return cache && readCacheRules(place, cache);
  if (cache?.public === false)
    throw new SvcError(
      "SVC_DEFINITION",
      `${place} is static, and its cache says public: false; take one of the two away`,
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
 * A class, made for each request: a getter in a literal would be another kind of object to the engine each time, which keeps
 * all that it closes over until a full collection.
 */
class Prepared<Data> implements PreparedPage {
  readonly title: string;
  readonly description: string | undefined;
  readonly lang: string;
  readonly dir: "ltr" | "rtl" | undefined;
  readonly prefetch: "intent" | "idle";
  readonly navigation: Navigation;
  readonly deadlineMs: number | undefined;
  readonly head: (() => unknown) | undefined;
  readonly #options: PageOptions<Data>;
  readonly #ctx: Context;
  readonly #data: Data;

  constructor(options: PageOptions<Data>, deadlineMs: number | undefined, ctx: Context, data: Data) {
    keepQuiet(data);
    const { title, description, lang = "en", dir, prefetch = "intent", navigation = "links", head } = options;
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

/** Promises that `load` hands over unawaited: one that no `<Await>` comes to wait for must not end the process. */
function keepQuiet(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  for (const value of Object.values(data)) if (value instanceof Promise) value.catch(() => undefined);
}
