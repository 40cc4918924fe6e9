/**
 * How long an answer of a page is good, and for whom. Pure: rules, the header that says them, and what rules sharing out.
 * RFC 9111 (HTTP caching), RFC 5861 (`stale-while-revalidate`); docs/decisions/027 tells why shared pages are made as they are.
 */
import type { Context } from "../../platform/http/types.ts";
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { HEADERS } from "../../platform/shared/wire.ts";

export interface PageCache {
  /**
   * Whether the page is the same for all visitors: this server and the caches between may answer with it. An answer in which
   * anything of a visitor was looked at (cookies, session, headers that `vary` does not name, address, …) is not shared, and the
   * log says what it was. Default false: kept by the visitor's browser alone.
   */
  public?: boolean;
  /** How long browsers and caches may show it without asking. Default 0: they ask each time, and hear 304 where nothing has changed. */
  maxAge?: Duration;
  /**
   * Of a public page: how long this server, and the caches between, may answer with it where browsers ask. `invalidate` ends
   * it for this server before. Default: `maxAge`.
   */
  sharedMaxAge?: Duration;
  /** How long after that it may still be shown while a new one is made. Browsers are told where `maxAge` is given. Default 0. */
  staleWhileRevalidate?: Duration;
  /** Names of request headers that the page depends on, such as `accept-language`: one answer for each of their values. */
  vary?: readonly string[];
  /** By which `invalidate` finds it, beside its path. */
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

/** What a visitor is known by, and what no cache may tell answers apart by. */
const PERSONAL = new Set(["cookie", "authorization", "proxy-authorization", "set-cookie", HEADERS.csrf]);

/** @param place for errors: `page("/books")`. @throws SvcError `SVC_DEFINITION` */
export function readCacheRules(place: string, cache: PageCache): CacheRules {
  const { public: isPublic = false, maxAge = 0, sharedMaxAge = maxAge, staleWhileRevalidate = 0, tags = [] } = cache;
  if (!isPublic && (cache.sharedMaxAge !== undefined || cache.tags !== undefined))
    throw refused(place, "has sharedMaxAge or tags, which are for what is shared; add public: true, or take them away");
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
      `varies by "${given}"; allowed: names of headers that many visitors send alike, such as accept-language`,
    );
  return name;
}

/** What begins with a slash is a path to `invalidate`. */
function requireTags(place: string, tags: readonly string[]): void {
  const wrong = tags.find((tag) => tag === "" || tag.startsWith("/"));
  if (wrong !== undefined)
    throw refused(place, `has the tag ${JSON.stringify(wrong)}; a tag is not empty and begins with no slash`);
}

function refused(place: string, problem: string): SvcError {
  return new SvcError("SVC_DEFINITION", `The cache of ${place} ${problem}`);
}

/** Of pages that are exported: for all, and to be asked about each time. */
export const EXPORT_RULES: CacheRules = readCacheRules("an export", { public: true });

/** Pages may be personal, so they are asked for anew each time. */
export const PRIVATE = "private, no-cache";

/** Text of `Cache-Control`. */
export function cacheControl({ isPublic, maxAgeMs, sharedMs, staleMs }: CacheRules): string {
  const age = seconds(maxAgeMs);
  if (!isPublic) return age === 0 ? PRIVATE : `private, max-age=${age}`;
  const shared = seconds(sharedMs);
  return [
    "public",
    `max-age=${age}`,
    // Until `invalidate` is for this server alone.
    ...(shared === age || shared === Number.POSITIVE_INFINITY ? [] : [`s-maxage=${shared}`]),
    // To a browser it would be leave to show what is old although it is to ask.
    ...(age > 0 && staleMs > 0 ? [`stale-while-revalidate=${seconds(staleMs)}`] : []),
    ...(age === 0 ? ["must-revalidate"] : []),
  ].join(", ");
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** What was looked at that another visitor may have otherwise. */
export interface Looks {
  readonly readings: ReadonlySet<string>;
  /** Whether the address that was asked for is that of the site: another one may be an attacker's. */
  readonly isOwnOrigin: () => boolean;
}

/**
 * What keeps an answer from being shared, in words for its author; empty where nothing does. The path and the query are in the
 * address that caches go by; whatever else was looked at is the visitor's.
 */
export function notCacheableReasons({ vary }: CacheRules, { readings, isOwnOrigin }: Looks): string[] {
  return [...readings].filter((reading) => {
    if (reading === "query") return false;
    if (reading === "url") return !isOwnOrigin();
    return !(reading.startsWith("header ") && vary.includes(reading.slice("header ".length).toLowerCase()));
  });
}
