/** A page: a path, what it needs to know, and what it shows. Owns the definition; render-page.ts answers requests for it. */
import { isPromise } from "../http/iterate.ts";
import type { Context, Middleware, Params } from "../http/types.ts";
import type { OwnSecurityOptions } from "../security/headers.ts";
import { durationMs, type Duration } from "../shared/clock.ts";
import { assertPath, type PathParams } from "./path.ts";

type OrOf<Data, Value, Of extends Params = Params> = Value | ((data: Data, ctx: Context<Of>) => Value);

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
  /** More elements of `<head>`, as JSX. */
  head?: (data: Data, ctx: Context<Of>) => unknown;
  /** Around loading and rendering, outermost first; inside that of groups and app. */
  middleware?: readonly Middleware[];
  /** When the browser fetches code: on intent (default), or ahead of it once the page is idle. */
  prefetch?: "intent" | "idle";
  /** Security headers of this page in place of the app's, such as a frame that only this page shows; error pages keep the app's. */
  security?: OwnSecurityOptions;
  /** How long an `<Await>` of the page may take before it has failed. Default 30 s. */
  deadline?: Duration;
}

export interface PageDefinition {
  readonly kind: "page";
  readonly path: string;
  readonly middleware: readonly Middleware[];
  readonly security: OwnSecurityOptions | undefined;
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
  prefetch: "intent" | "idle";
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
    // Only requests that the path matches come here, so its parameters are there.
    prepare: (ctx) => prepare(options as PageOptions<Data>, deadlineMs, ctx),
  };
}

function prepare<Data>(
  options: PageOptions<Data>,
  deadlineMs: number | undefined,
  ctx: Context,
): PreparedPage | Promise<PreparedPage> {
  // Without `load`, Data is undefined.
  const data = options.load?.(ctx) as Data | Promise<Data>;
  const prepared = (loaded: Data): PreparedPage => preparedWith(options, deadlineMs, ctx, loaded);
  return isPromise(data) ? data.then(prepared) : prepared(data);
}

function preparedWith<Data>(
  options: PageOptions<Data>,
  deadlineMs: number | undefined,
  ctx: Context,
  data: Data,
): PreparedPage {
  keepQuiet(data);
  const of = <Value>(given: OrOf<Data, Value>): Value =>
    typeof given === "function" ? (given as (data: Data, ctx: Context) => Value)(data, ctx) : given;
  const { head, description } = options;
  return {
    title: of(options.title),
    description: description === undefined ? undefined : of<string | undefined>(description),
    get status() {
      return of(options.status ?? 200);
    },
    lang: of(options.lang ?? "en"),
    prefetch: options.prefetch ?? "intent",
    deadlineMs,
    view: () => options.view(data, ctx),
    head: head && (() => head(data, ctx)),
  };
}

/** Promises that `load` hands over unawaited: one that no `<Await>` comes to wait for must not end the process. */
function keepQuiet(data: unknown): void {
  if (typeof data !== "object" || data === null) return;
  for (const value of Object.values(data)) if (value instanceof Promise) value.catch(() => undefined);
}
