/** A page: a path, what it needs to know, and what it shows. Owns the definition; render-page.ts answers requests for it. */
import type { Context } from "../http/types.ts";
import type { OwnSecurityOptions } from "../security/headers.ts";
import { durationMs, type Duration } from "../shared/clock.ts";
import { assertPath } from "./path.ts";

type OrOf<Data, Value> = Value | ((data: Data, ctx: Context) => Value);

export interface PageOptions<Data> {
  /** Of the document; a function of the data where it depends on it. */
  title: OrOf<Data, string>;
  description?: OrOf<Data, string | undefined>;
  /** Fetches what the view shows. May leave by `notFound()` or `redirect(to)`. */
  load?: (ctx: Context) => Data | Promise<Data>;
  /** The page's JSX, from the data. */
  view: (data: Data, ctx: Context) => unknown;
  /** Default 200. */
  status?: OrOf<Data, number>;
  /** Default "en". */
  lang?: OrOf<Data, string>;
  /** More elements of `<head>`, as JSX. */
  head?: (data: Data, ctx: Context) => unknown;
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
  readonly security: OwnSecurityOptions | undefined;
  /** Everything about one request, ready to be rendered. */
  readonly prepare: (ctx: Context) => Promise<PreparedPage>;
}

/** A page whose data is there. */
export interface PreparedPage {
  title: string;
  description: string | undefined;
  status: number;
  lang: string;
  prefetch: "intent" | "idle";
  deadlineMs: number | undefined;
  view: () => unknown;
  head: (() => unknown) | undefined;
}

/** @param path `/audits/:id`. @throws SvcError `SVC_DEFINITION` for a path that can't be one. */
export function page<Data = undefined>(path: string, options: PageOptions<Data>): PageDefinition {
  assertPath("page", path);
  const deadlineMs = options.deadline === undefined ? undefined : durationMs(options.deadline);
  return { kind: "page", path, security: options.security, prepare: (ctx) => prepare(options, deadlineMs, ctx) };
}

async function prepare<Data>(
  options: PageOptions<Data>,
  deadlineMs: number | undefined,
  ctx: Context,
): Promise<PreparedPage> {
  // Without `load`, Data is undefined.
  const data = (await options.load?.(ctx)) as Data;
  keepQuiet(data);
  const of = <Value>(given: OrOf<Data, Value>): Value =>
    typeof given === "function" ? (given as (data: Data, ctx: Context) => Value)(data, ctx) : given;
  const { head, description } = options;
  return {
    title: of(options.title),
    description: description === undefined ? undefined : of<string | undefined>(description),
    status: of(options.status ?? 200),
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
