/** Tracks the parts of a widget: which of them have changed since a given state. Pure. */
import type { News } from "./topics.ts";

export class Parts {
  #at = 0;
  /** The first state since which changes are known. */
  #first: number | undefined;
  #html = new Map<string, string>();
  readonly #changedAt = new Map<string, number>();

  /** @param at number of the state, higher than the previous one @returns whether anything has changed */
  update(at: number, html: Map<string, string>): boolean {
    this.#first ??= at;
    let hasChanged = false;
    for (const [name, text] of html) {
      if (this.#html.get(name) === text) continue;
      hasChanged = true;
      this.#changedAt.set(name, at);
    }
    this.#html = html;
    this.#at = at;
    return hasChanged;
  }

  /** @param cursor number of the state that the page shows; empty: unknown */
  since(cursor: string): News | undefined {
    if (this.#first === undefined) return undefined;
    const seen = cursor === "" ? -1 : Number(cursor);
    if (seen === this.#at) return undefined;
    // A state from before this feed, or from a previous server.
    const isKnown = seen >= this.#first && seen < this.#at;
    const names = [...this.#html.keys()].filter((name) => !isKnown || (this.#changedAt.get(name) ?? 0) > seen);
    if (names.length === 0) return { cursor: String(this.#at), patch: {} };
    const parts = Object.fromEntries(names.map((name) => [name, this.#html.get(name) ?? ""]));
    return { cursor: String(this.#at), patch: { parts } };
  }
}
