/** Who wants to know of a graph's events, by graph: telling one follower costs nothing for the others. */
import type { GraphEvent } from "./graph-rows.ts";

export type EventListener = (events: readonly GraphEvent[]) => void;

export class EventListeners {
  readonly #byGraph = new Map<string, Set<EventListener>>();

  /** @returns the way to stop. */
  add(graphId: string, listener: EventListener): () => void {
    const listeners = this.#byGraph.get(graphId) ?? new Set();
    this.#byGraph.set(graphId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byGraph.get(graphId) === listeners) this.#byGraph.delete(graphId);
    };
  }

  /** Those that anybody listens to. */
  followed(): string[] {
    return [...this.#byGraph.keys()];
  }

  has(graphId: string): boolean {
    return this.#byGraph.has(graphId);
  }

  tell(graphId: string, events: readonly GraphEvent[]): void {
    for (const listener of this.#byGraph.get(graphId) ?? []) listener(events);
  }
}
