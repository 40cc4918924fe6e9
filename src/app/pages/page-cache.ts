/**
 * Rendered pages that visitors share, in memory: a byte limit applies, and the least recently used pages are evicted first. Stores pages
 * and their expiry. cache-rules.ts decides whether a page may be cached; cached-page.ts renders it.
 */
import type { CompressedVariants } from "../../platform/http/response/compress.ts";
import type { Clock } from "../../platform/shared/clock.ts";

/** A cached page. */
export interface KeptPage {
  /** Path for invalidation: decoded, without a final slash. */
  readonly path: string;
  /** Path for lookup: paths that differ only in an encoded slash have the same decoded text. */
  readonly routed: string;
  /** The query, if the page has read it; undefined: the page is the same for every query. */
  readonly query: string | undefined;
  /** Values of the headers that it varies by. */
  readonly variant: string;
  readonly tags: readonly string[];
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** The compressed body, as most clients get it. */
  readonly compressed: CompressedVariants;
  readonly hashes: readonly string[];
  readonly bornMs: number;
  /** End of the time in which it is fresh. */
  readonly freshMs: number;
  /** End of the time in which it may be reused while a new one is rendered. */
  readonly staleMs: number;
}

/** The properties of a request that select a page. */
export type Asked = Pick<KeptPage, "path" | "routed" | "variant"> & { readonly query: string };

/** Most cached pages per path, so that invented queries can't fill the memory with one page. */
const MAX_OF_PATH = 100;

/** Approximate size of a page's key and bookkeeping, in bytes. */
const OVERHEAD = 500;

export class PageCache {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #kept = new Map<string, KeptPage>();
  readonly #keysByPath = new Map<string, Set<string>>();
  /** Pages that are being rendered, by request properties. */
  readonly #flights = new Map<string, Promise<KeptPage | undefined>>();
  /** Number of invalidations. A page whose rendering started before one may be outdated. */
  #invalidations = 0;
  #bytes = 0;

  constructor({ maxBytes, clock }: { maxBytes: number; clock: Clock }) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#kept.size;
  }

  find(asked: Asked): KeptPage | undefined {
    for (const key of [keyOf({ ...asked, query: undefined }), keyOf(asked)]) {
      const page = this.#kept.get(key);
      if (!page) continue;
      if (page.staleMs <= this.#clock.now()) this.#drop(key, page);
      else {
        this.#kept.delete(key);
        this.#kept.set(key, page);
        return page;
      }
    }
    return undefined;
  }

  isFresh({ freshMs }: KeptPage): boolean {
    return freshMs > this.#clock.now();
  }

  /**
   * Renders a page, or waits for the request that is rendering it.
   * @param make returns the page to cache; undefined if it turned out to be personal. All waiting requests get its errors.
   */
  async fly(asked: Asked, make: () => Promise<KeptPage | undefined>): Promise<KeptPage | undefined> {
    const key = keyOf(asked);
    const under = this.#flights.get(key);
    if (under) return under;
    const begun = this.#invalidations;
    const flight = make().then((page) => {
      if (page && begun === this.#invalidations) this.#keep(page);
      return page;
    });
    this.#flights.set(key, flight);
    const land = (): void => void (this.#flights.get(key) === flight && this.#flights.delete(key));
    flight.then(land, land);
    return flight;
  }

  /** Adds pages of the build. */
  seed(pages: Iterable<KeptPage>): void {
    for (const page of pages) this.#keep(page);
  }

  isMaking(asked: Asked): boolean {
    return this.#flights.has(keyOf(asked));
  }

  /** Removes pages by tag and path; `/books/*` is `/books` and everything below. Pages that are being rendered are not cached. */
  invalidate(names: readonly string[]): void {
    this.#invalidations++;
    this.#flights.clear();
    const tags = new Set(names.filter((name) => !name.startsWith("/")));
    const paths = names.filter((name) => name.startsWith("/")).map(pathOf);
    for (const [key, page] of this.#kept)
      if (page.tags.some((tag) => tags.has(tag)) || paths.some((path) => isBelow(page.path, path)))
        this.#drop(key, page);
  }

  #keep(page: KeptPage): void {
    const key = keyOf(page);
    const before = this.#kept.get(key);
    if (before) this.#drop(key, before);
    const keys = this.#keysByPath.get(page.path) ?? new Set();
    const bytes = bytesOf(page);
    if (bytes > this.#maxBytes) return;
    const [first] = keys.size < MAX_OF_PATH ? [] : keys;
    const oldest = first === undefined ? undefined : this.#kept.get(first);
    if (first !== undefined && oldest) this.#drop(first, oldest);
    this.#kept.set(key, page);
    this.#keysByPath.set(page.path, (this.#keysByPath.get(page.path) ?? keys).add(key));
    this.#bytes += bytes;
    for (const [unused, other] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(unused, other);
    }
  }

  #drop(key: string, page: KeptPage): void {
    this.#kept.delete(key);
    this.#bytes -= bytesOf(page);
    const keys = this.#keysByPath.get(page.path);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByPath.delete(page.path);
  }
}

/** As in routes, `/books/emma/` means `/books/emma`. */
export function pathOf(decoded: string): string {
  return decoded.length > 1 && decoded.endsWith("/") ? decoded.slice(0, -1) : decoded;
}

function keyOf({ routed, query, variant }: Pick<KeptPage, "routed" | "query" | "variant">): string {
  return JSON.stringify([routed, query ?? null, variant]);
}

function bytesOf({ path, routed, query = "", variant, tags, headers, body, hashes }: KeptPage): number {
  const texts = [path, routed, query, variant, variant, ...tags, ...headers, ...hashes];
  // Both compressed forms of HTML together add a third.
  return texts.reduce((sum, text) => sum + 2 * text.length, Math.ceil(body.byteLength * 1.4) + OVERHEAD);
}

function isBelow(path: string, pattern: string): boolean {
  if (!pattern.endsWith("/*")) return path === pattern;
  return pattern === "/*" || path === pattern.slice(0, -2) || path.startsWith(pattern.slice(0, -1));
}
