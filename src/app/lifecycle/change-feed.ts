/** Announces changes within this process, so that screens are fetched again only when they may differ. */

/**
 * A run has new events; a queue or schedule was paused, changed or has run (`controls`); a webhook or a delivery has changed
 * (`webhooks`); a process has joined or left (`processes`); another process may have changed anything (`all`).
 */
export type Change = { of: "graph"; id: string } | { of: "controls" | "webhooks" | "processes" | "all" };

export class ChangeFeed {
  readonly #listeners = new Set<(change: Change) => void>();

  /** @returns a function that stops it. */
  follow(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Announces a run's change at almost no cost without listeners, because every commit calls it. @param id undefined: any run */
  reportGraph(id: string | undefined): void {
    if (this.#listeners.size > 0) this.notify(id === undefined ? { of: "all" } : { of: "graph", id });
  }
}
