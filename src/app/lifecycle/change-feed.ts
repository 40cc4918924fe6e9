/** What may show something else now, told in this process as it happens: for screens that are fetched again only then. */

/**
 * A graph has new events; a queue or a schedule was paused, changed or has started something (`controls`); a webhook has changed, or a
 * delivery of one (`webhooks`); a process has come or gone (`processes`); another process may have written what it told nobody (`all`).
 */
export type Change = { of: "graph"; id: string } | { of: "controls" | "webhooks" | "processes" | "all" };

export class ChangeFeed {
  readonly #listeners = new Set<(change: Change) => void>();

  /** @returns the way to stop. */
  follow(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** As `tell`, and next to nothing while nobody listens: called with each commit. @param id undefined: of any */
  tellGraph(id: string | undefined): void {
    if (this.#listeners.size > 0) this.tell(id === undefined ? { of: "all" } : { of: "graph", id });
  }
}
