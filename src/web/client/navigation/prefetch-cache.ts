/** Caches fetched pages for a short time: prefetched pages, and pages to show again on navigation back. The caller passes the time. */

/** Maximum age of a prefetched page when its link is followed. */
export const AHEAD_MS = 20_000;
/** Maximum age of a visited page that navigation back shows without a request. */
export const BACK_MS = 120_000;
/** Maximum number of cached pages. */
export const MAX_PAGES = 16;

interface Kept<Page> {
  page: Page;
  /** When the page was requested. */
  at: number;
}

export class PrefetchCache<Page> {
  readonly #pages = new Map<string, Kept<Page>>();

  /** Returns the page, unless it is older than `maxAgeMs`. */
  find(address: string, now: number, maxAgeMs: number): Page | undefined {
    const kept = this.#pages.get(address);
    return kept && now - kept.at <= maxAgeMs ? kept.page : undefined;
  }

  /** Adds a page. Above the limit the page that was added first is evicted. */
  keep(address: string, page: Page, now: number): void {
    this.#pages.delete(address);
    this.#pages.set(address, { page, at: now });
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      this.#pages.delete(oldest);
    }
  }

  /** @param page removes the entry only if it is still this page; without it, any entry. */
  forget(address: string, page?: Page): void {
    if (page === undefined || this.#pages.get(address)?.page === page) this.#pages.delete(address);
  }

  /** Clears everything, because the server's data may have changed. */
  clear(): void {
    this.#pages.clear();
  }

  get size(): number {
    return this.#pages.size;
  }
}
