/** Pages that have been fetched, for a while: those that somebody is about to go to, and those that somebody may go back to. Time is given. */

/** Longest between the intent to follow a link and the click, for which what was fetched is good. */
export const AHEAD_MS = 20_000;
/** How long a page that was left is shown again without asking the server. */
export const BACK_MS = 120_000;
/** Most pages that are kept. */
export const MAX_PAGES = 16;

interface Kept<Page> {
  page: Page;
  /** When it was asked for. */
  at: number;
}

export class KeptPages<Page> {
  readonly #pages = new Map<string, Kept<Page>>();

  /** The page, if it is not older. */
  find(address: string, now: number, maxAgeMs: number): Page | undefined {
    const kept = this.#pages.get(address);
    return kept && now - kept.at <= maxAgeMs ? kept.page : undefined;
  }

  /** The page that was used longest ago goes where there are too many. */
  keep(address: string, page: Page, now: number): void {
    this.#pages.delete(address);
    this.#pages.set(address, { page, at: now });
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MAX_PAGES) break;
      this.#pages.delete(oldest);
    }
  }

  /** @param page only while it is this one; whatever is kept there where none is given. */
  forget(address: string, page?: Page): void {
    if (page === undefined || this.#pages.get(address)?.page === page) this.#pages.delete(address);
  }

  /** What the server has may be something else now. */
  clear(): void {
    this.#pages.clear();
  }

  get size(): number {
    return this.#pages.size;
  }
}
