/**
 * Handles pages with cache rules: returns a cached page, or renders it once for all concurrent requests. Two places check whether a
 * response may be shared: the handler before it caches a page, and `sharing`, around all middleware, before a response is sent as public.
 */
import { createHash } from "node:crypto";
import { RequestContext } from "../../platform/http/request/context.ts";
import { CompressedVariants } from "../../platform/http/response/compress.ts";
import { judgePreconditions } from "../../platform/http/request/preconditions.ts";
import { isForShared } from "../../platform/http/response/shared-caching.ts";
import { readTarget } from "../../platform/http/request/target.ts";
import type { Context, Handler, Middleware, Result } from "../../platform/http/types.ts";
import { toResult } from "../../platform/http/response/write-response.ts";
import { cacheControl, EXPORT_RULES, notCacheableReasons, PRIVATE, type CacheRules } from "./cache-rules.ts";
import { PAGE_MARK } from "../pipeline/page-mark.ts";
import { pathOf, type Asked, type KeptPage } from "./page-cache.ts";
import type { Services } from "../services.ts";
import type { ExportedPage } from "../lifecycle/assets.ts";
import { withoutMetaPolicy } from "./static-export.ts";
import { submitted } from "../forms/submit.ts";

/** A page rendered for a request. */
export interface MadePage {
  readonly result: Result;
  /** Hashes of its inline scripts; undefined if they have a nonce. */
  readonly hashes: readonly string[] | undefined;
  /** Text that represents a response in its entity tag, if the response changes each time. Undefined: no entity tag. */
  readonly tagText: string | undefined;
  /** Whether no part of it has failed. */
  readonly isSound: boolean;
}

interface TaggedPage extends MadePage {
  readonly tags: readonly string[];
}

export interface CachedPage {
  /** The path as defined, for the log. */
  readonly path: string;
  readonly rules: CacheRules;
  readonly services: Pick<Services, "pageCache" | "clock" | "site" | "log" | "config" | "hasCompression">;
  readonly make: (ctx: RequestContext) => Promise<MadePage>;
}

/** Longest total of varying header values that is cached. */
const MAX_VARIANT = 500;

export function cachedPageHandler(page: CachedPage): Handler {
  const { rules, services } = page;
  return async (given) => {
    const ctx = given as RequestContext;
    const asked = askedBy(page, ctx);
    if (!asked) return (await madeFor(page, ctx)).result;
    const { pageCache } = services;
    const kept = pageCache.find(asked);
    if (kept) {
      if (!pageCache.isFresh(kept) && !pageCache.isMaking(asked)) renew(page, asked, ctx);
      return answerWith(kept, ctx, services);
    }
    let own: Promise<TaggedPage> | undefined;
    const shared = await pageCache.fly(asked, async () => {
      // Other requests wait for this page, so it continues even if the first client has left.
      ctx.outlive();
      own = madeFor(page, ctx);
      // An error may depend on the visitor, such as a redirect to a sign-in. So each waiting request retries by itself.
      return own.then((made) => kindOfKept(page, ctx, made, asked)).catch(() => undefined);
    });
    if (own) return (await own).result;
    if (shared) return answerWith(shared, ctx, services);
    // The page turned out to be personal to the first visitor.
    return (await madeFor(page, ctx)).result;
  };

  function renew(of: CachedPage, asked: Asked, ctx: RequestContext): void {
    const apart = ctx.apart();
    services.pageCache
      .fly(asked, async () => kindOfKept(of, apart, await madeFor(of, apart), asked))
      .catch((err: unknown) =>
        services.log.error({ page: of.path, err }, "Failed to render a page again; the cached one stays in use"),
      );
  }

  async function madeFor(of: CachedPage, ctx: RequestContext): Promise<TaggedPage> {
    const made = await of.make(ctx);
    const tags = rules.tags(ctx);
    const isGood = made.result.status === 200 && made.isSound;
    const headers = [...made.result.headers, "cache-control", isGood ? cacheControl(rules) : PRIVATE];
    if (rules.vary.length > 0) headers.push("vary", rules.vary.join(", "));
    if (isGood && made.tagText !== undefined) headers.push("etag", etagOf(made.tagText));
    ctx.scriptHashes = made.hashes;
    return { ...made, tags, result: { ...made.result, headers } };
  }
}

/** A page that the build exported; it is valid until it is invalidated. */
export function keptOf({ path: address, body: file, hashes }: ExportedPage, bornMs: number): KeptPage {
  const body = Buffer.from(withoutMetaPolicy(Buffer.from(file).toString()));
  const about = ["content-type", "text/html; charset=utf-8", "cache-control", cacheControl(EXPORT_RULES)];
  const headers = [...about, ...PAGE_MARK];
  const freshMs = Number.POSITIVE_INFINITY;
  const { path, routed } = readTarget(address);
  const of = { path: pathOf(path), routed };
  const rest = { query: undefined, variant: variantOf([]), tags: [], bornMs, freshMs, staleMs: freshMs };
  return {
    ...of,
    body,
    compressed: new CompressedVariants(body),
    hashes,
    headers: [...headers, "etag", etagOf(body)],
    ...rest,
  };
}

function variantOf(values: readonly (string | undefined)[]): string {
  return JSON.stringify(values.map((value) => value ?? null));
}

/** Undefined if the cache is not used for the request. */
function askedBy({ rules, services }: CachedPage, ctx: RequestContext): Asked | undefined {
  if (!rules.isPublic || services.site.dev || ctx.method !== "GET") return undefined;
  // Middleware that has read the visitor's data may have decided access by it, or pass it on to the page.
  if (notCacheableReasons(rules, looksOf(ctx, services)).length > 0) return undefined;
  return ctx.unseen(() => {
    const variant = variantOf(rules.vary.map((name) => ctx.header(name)));
    const { path, routed, queryText: query } = ctx;
    return variant.length > MAX_VARIANT ? undefined : { path: pathOf(path), routed, query, variant };
  });
}

/** @returns undefined for a page that may not be shared */
function kindOfKept(page: CachedPage, ctx: RequestContext, made: TaggedPage, asked: Asked): KeptPage | undefined {
  const { rules, services } = page;
  const { status, headers, body } = made.result;
  if (status !== 200 || !made.isSound || typeof body !== "string") return undefined;
  if (notCacheableReasons(rules, looksOf(ctx, services)).length > 0 || headers.includes("set-cookie")) return undefined;
  const bornMs = services.clock.now();
  const bytes = Buffer.from(body);
  const freshMs = bornMs + rules.sharedMs;
  return {
    ...asked,
    query: ctx.readings.has("query") ? asked.query : undefined,
    tags: made.tags,
    headers,
    body: bytes,
    compressed: new CompressedVariants(bytes),
    hashes: made.hashes ?? [],
    bornMs,
    freshMs,
    staleMs: freshMs + rules.staleMs,
  };
}

function answerWith(
  kept: KeptPage,
  ctx: RequestContext,
  { clock, hasCompression }: Pick<Services, "clock" | "hasCompression">,
): Result {
  const { headers, body, hashes, bornMs } = kept;
  ctx.scriptHashes = hashes;
  const age = Math.max(0, Math.floor((clock.now() - bornMs) / 1000));
  const chosen = hasCompression ? kept.compressed.choose(ctx.unseen(() => ctx.header("accept-encoding"))) : undefined;
  const all = [...headers, "age", String(age)];
  if (!chosen) return { status: 200, headers: all, body };
  const encoded = [...all, "content-encoding", chosen.encoding, "vary", "accept-encoding"];
  return { status: 200, headers: encoded, body: chosen.body };
}

function looksOf(ctx: RequestContext, { config }: Pick<Services, "config">) {
  const { readings } = ctx;
  return { readings, isOwnOrigin: () => ctx.unseen(() => ctx.url.origin) === config.siteOrigin };
}

function etagOf(text: string | Uint8Array): string {
  // Weak, because compression may change the bytes.
  return `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
}

/**
 * The outermost middleware of a page with cache rules. It records the properties of the visitor that are read from the first middleware to
 * the last, keeps personal responses from being sent as public, and answers 304 if the client already has the response.
 */
export function sharing(page: Omit<CachedPage, "make">): Middleware {
  const { rules, services, path } = page;
  const reported = new Set<string>();
  return async (given, next) => {
    const ctx = given as RequestContext;
    ctx.watch();
    const result = toResult(await next());
    const found = [
      ...notCacheableReasons(rules, looksOf(ctx, services)),
      ...(result.headers.includes("set-cookie") ? ["set-cookie"] : []),
    ];
    // A static file is the same for every query.
    if (services.site.exporting && ctx.readings.has("query")) found.push("the query");
    if (found.length > 0) services.site.exporting?.(ctx.routed, found);
    // Only its sender sees a refused form; the page is public nevertheless.
    const isRefusal = submitted(ctx) !== undefined;
    if (rules.isPublic && found.length > 0 && result.status === 200 && !isRefusal) report(found);
    const isShared = rules.isPublic && found.length === 0 && isRead(ctx) && result.status === 200 && !services.site.dev;
    return unchanged(ctx, isShared ? result : keptToItself(result, services.site.dev !== undefined));
  };

  /** Warns once for each combination of properties, not for each visitor. */
  function report(found: readonly string[]): void {
    if (services.site.exporting) return;
    const text = found.join(", ");
    if (reported.has(text) || reported.size > 20) return;
    reported.add(text);
    services.log.warn(
      { page: path, read: found },
      `The page ${path} is declared public, but its responses are not shared: the page, a layout or middleware used data of the visitor: ${text}`,
    );
  }
}

function isRead({ method }: Pick<Context, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/** Removes headers that allow sharing and, in development, headers that allow reuse without revalidation. */
function keptToItself(result: Result, isDev: boolean): Result {
  const headers = result.headers.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const value = result.headers[at + 1] ?? "";
    if (isForShared(name, value)) return [];
    const isOpen = name === "cache-control" && (isDev || /public|s-maxage/.test(value));
    return isOpen ? [name, PRIVATE] : [name, value];
  });
  return { ...result, headers };
}

/** Answers 304 if the client already has the response. */
function unchanged(ctx: RequestContext, result: Result): Result {
  const at = result.headers.findIndex((name, place) => place % 2 === 0 && name === "etag");
  const etag = result.headers[at + 1]?.replace(/^W\//, "");
  if (at < 0 || etag === undefined || result.status !== 200 || !isRead(ctx)) return result;
  const known = ctx.unseen(() => ctx.header("if-none-match"));
  const verdict = judgePreconditions((name) => (name === "if-none-match" ? known : undefined), { etag });
  if (verdict !== 304) return result;
  // Headers that describe the body stay with the client's copy, as does the policy of that copy.
  const headers = result.headers.flatMap((name, place) =>
    place % 2 === 0 && !name.startsWith("content-") ? [name, result.headers[place + 1] ?? ""] : [],
  );
  return { status: 304, headers, body: null };
}
