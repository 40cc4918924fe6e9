/**
 * Rules for caching a page: for how long and for whom. Pure functions: they validate rules, format `Cache-Control`, and find reasons
 * against sharing. RFC 9111 (HTTP caching), RFC 5861 (`stale-while-revalidate`); docs/decisions/027 explains the design.
 */
import type { Context } from "../../platform/http/types.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS } from "../../platform/shared/wire.ts";

export interface PageCache {
  /**
   * Whether the page is the same for all visitors, so that this server and shared caches may reuse it. A response is not shared if the page
   * read a property of the visitor (cookies, session, headers missing in `vary`, address, …); the log then names that property. Default
   * false: only the visitor's browser may cache it.
   */
  public?: boolean;
  /**
   * Time that browsers and caches may reuse it without revalidation. Default 0: they revalidate each time, and get 304 if it is unchanged.
   */
  maxAge?: Duration;
  /**
   * For a public page: time that this server and shared caches may reuse it when browsers ask. `invalidate` ends it for this server.
   * Default: `maxAge`.
   */
  sharedMaxAge?: Duration;
  /** Additional time in which the stale page may be reused while a new one is rendered. Sent to browsers only with `maxAge`. Default 0. */
  staleWhileRevalidate?: Duration;
  /** Names of request headers that the page depends on, such as `accept-language`: one cached response for each value. Default: none. */
  vary?: readonly string[];
  /** Names for `invalidate`, in addition to the path. Default: none. */
  tags?: readonly string[] | ((ctx: Context) => readonly string[]);
}

export interface CacheRules {
  readonly isPublic: boolean;
  readonly maxAgeMs: number;
  readonly sharedMs: number;
  readonly staleMs: number;
  /** In lower case. */
  readonly vary: readonly string[];
  readonly tags: (ctx: Context) => readonly string[];
}

/** Headers that identify a visitor, or by which no cache may distinguish responses. */
const PERSONAL = new Set(["cookie", "authorization", "proxy-authorization", "set-cookie", HEADERS.csrf]);

/** @param place for errors: `page("/books")`. @throws SvcError `SVC_DEFINITION` */
export function readCacheRules(place: string, cache: PageCache): CacheRules {
  const { public: isPublic = false, maxAge = 0, sharedMaxAge = maxAge, staleWhileRevalidate = 0, tags = [] } = cache;
  if (!isPublic && (cache.sharedMaxAge !== undefined || cache.tags !== undefined))
    throw refused(
      place,
      "has sharedMaxAge or tags, which only apply to public pages. Add public: true, or remove them",
    );
  const ms = (name: string, value: Duration): number => {
    try {
      return durationMs(value);
    } catch (cause) {
      throw refused(place, `has ${name}: ${(cause as Error).message}`);
    }
  };
  const list = Array.isArray(tags) ? (tags as readonly string[]) : undefined;
  if (list) requireTags(place, list);
  return {
    isPublic,
    maxAgeMs: ms("maxAge", maxAge),
    sharedMs: ms("sharedMaxAge", sharedMaxAge),
    staleMs: ms("staleWhileRevalidate", staleWhileRevalidate),
    vary: (cache.vary ?? []).map((name) => readVary(place, name)),
    tags: (ctx) => {
      if (typeof tags !== "function") return tags;
      const found = tags(ctx);
      requireTags(place, found);
      return found;
    },
  };
}

function readVary(place: string, given: string): string {
  const name = given.toLowerCase();
  if (PERSONAL.has(name) || !/^[a-z0-9-]+$/.test(name))
    throw refused(
      place,
      `varies by "${given}". Use request headers with values that many visitors share, such as accept-language`,
    );
  return name;
}

/** A name with a leading slash is a path for `invalidate`. */
function requireTags(place: string, tags: readonly string[]): void {
  const wrong = tags.find((tag) => tag === "" || tag.startsWith("/"));
  if (wrong !== undefined)
    throw refused(place, `has the invalid tag ${JSON.stringify(wrong)}; a tag must not be empty or start with a slash`);
}

function refused(place: string, problem: string): SvcError {
  return new SvcError("SVC_DEFINITION", `The cache of ${place} ${problem}`);
}

/** Rules of exported pages: public, and revalidated each time. */
export const EXPORT_RULES: CacheRules = readCacheRules("an export", { public: true });

/** Pages may be personal, so browsers revalidate them each time. */
export const PRIVATE = "private, no-cache";

/** Text of `Cache-Control`. */
export function cacheControl({ isPublic, maxAgeMs, sharedMs, staleMs }: CacheRules): string {
  const age = seconds(maxAgeMs);
  if (!isPublic) return age === 0 ? PRIVATE : `private, max-age=${age}`;
  const shared = seconds(sharedMs);
  return [
    "public",
    `max-age=${age}`,
    // "Until `invalidate`" applies to this server only.
    ...(shared === age || shared === Number.POSITIVE_INFINITY ? [] : [`s-maxage=${shared}`]),
    // Without a max-age, it would let a browser show a stale page that it must revalidate.
    ...(age > 0 && staleMs > 0 ? [`stale-while-revalidate=${seconds(staleMs)}`] : []),
    ...(age === 0 ? ["must-revalidate"] : []),
  ].join(", ");
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Properties of the visitor that a page has read. */
export interface Looks {
  readonly readings: ReadonlySet<string>;
  /** Whether the request's origin is that of the site; an attacker may have chosen another one. */
  readonly isOwnOrigin: () => boolean;
}

/**
 * The reasons against sharing a response, for the author; empty if there are none. Caches distinguish responses by path and query, so
 * reading those is no reason. All other properties belong to the visitor.
 */
export function notCacheableReasons({ vary }: CacheRules, { readings, isOwnOrigin }: Looks): string[] {
  return [...readings].filter((reading) => {
    if (reading === "query") return false;
    if (reading === "url") return !isOwnOrigin();
    return !(reading.startsWith("header ") && vary.includes(reading.slice("header ".length).toLowerCase()));
  });
}
