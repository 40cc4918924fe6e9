/**
 * Rendered pages that many visitors share, in memory: as many as fit into so many bytes, the longest unused go first. Owns
 * what is kept and until when; whether a page may be kept is cache-rules.ts, who makes it is cached-page.ts.
 */
import type { Squeezed } from "../../platform/http/response/compress.ts";
import type { Clock } from "../../platform/shared/clock.ts";

/** A page as it was made. */
export interface KeptPage {
  /** What it is invalidated by: decoded, without a slash at its end. */
  readonly path: string;
  /** What tells it from others: two paths that differ in an encoded slash alone are decoded to the same text. */
  readonly routed: string;
  /** Of the address, where the page looked at it; undefined: the same for any. */
  readonly query: string | undefined;
  /** Values of the headers that it varies by. */
  readonly variant: string;
  readonly tags: readonly string[];
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** The body as it goes out to most. */
  readonly squeezed: Squeezed;
  readonly hashes: readonly string[];
  readonly bornMs: number;
  /** Until when it is answered with. */
  readonly freshMs: number;
  /** Until when it is answered with while a new one is made. */
  readonly staleMs: number;
}

/** What a request asks for, as far as pages are told apart by it. */
export type Asked = Pick<KeptPage, "path" | "routed" | "variant"> & { readonly query: string };

/** Most pages of one path, so that nobody who makes queries up fills the memory with one page. */
const MAX_OF_PATH = 100;

/** Key and bookkeeping of a page, in bytes, roughly. */
const OVERHEAD = 500;

export class PageCache {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  /** The longest unused first. */
  readonly #kept = new Map<string, KeptPage>();
  readonly #keysByPath = new Map<string, Set<string>>();
  /** Pages that are being made, by what was asked for. */
  readonly #flights = new Map<string, Promise<KeptPage | undefined>>();
  /** Counts what was invalidated: a page that was begun before may show what was. */
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
   * Makes a page, or waits for who is making it.
   * @param make gives what may be kept; undefined where that turned out not to be for all. What it throws, those who wait get too.
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

  /** Keeps what was made before. */
  seed(pages: Iterable<KeptPage>): void {
    for (const page of pages) this.#keep(page);
  }

  isMaking(asked: Asked): boolean {
    return this.#flights.has(keyOf(asked));
  }

  /** Forgets the pages of these tags and paths; `/books/*` is `/books` and all below. What is being made is not kept. */
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

/** As routes do, `/books/emma/` means `/books/emma`. */
export function pathOf(decoded: string): string {
  return decoded.length > 1 && decoded.endsWith("/") ? decoded.slice(0, -1) : decoded;
}

function keyOf({ routed, query, variant }: Pick<KeptPage, "routed" | "query" | "variant">): string {
  return JSON.stringify([routed, query ?? null, variant]);
}

function bytesOf({ path, routed, query = "", variant, tags, headers, body, hashes }: KeptPage): number {
  const texts = [path, routed, query, variant, variant, ...tags, ...headers, ...hashes];
  // Compressed in both ways, HTML takes a third more.
  return texts.reduce((sum, text) => sum + 2 * text.length, Math.ceil(body.byteLength * 1.4) + OVERHEAD);
}

function isBelow(path: string, pattern: string): boolean {
  if (!pattern.endsWith("/*")) return path === pattern;
  return pattern === "/*" || path === pattern.slice(0, -2) || path.startsWith(pattern.slice(0, -1));
}
