/** Followers of events by run: notifying one costs nothing for the others. */
import { ChurningMap } from "../../platform/shared/collections/churning-map.ts";
import type { GraphEvent } from "./graph-rows.ts";

export type EventListener = (events: readonly GraphEvent[]) => void;

/** @param graphId undefined: another process may have written events of any run */
export type AnyListener = (graphId: string | undefined) => void;

export class EventListeners {
  readonly #byGraph = new ChurningMap<Set<EventListener>>();
  readonly #ofAll = new Set<AnyListener>();

  /** @returns a function that removes it. */
  add(graphId: string, listener: EventListener): () => void {
    const listeners = this.#byGraph.get(graphId) ?? new Set();
    this.#byGraph.set(graphId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#byGraph.get(graphId) === listeners) this.#byGraph.delete(graphId);
    };
  }

  /** Follows all runs. @returns a function that removes it. */
  addToAll(listener: AnyListener): () => void {
    this.#ofAll.add(listener);
    return () => void this.#ofAll.delete(listener);
  }

  notify(graphId: string, events: readonly GraphEvent[]): void {
    for (const listener of this.#byGraph.get(graphId) ?? []) listener(events);
    for (const listener of this.#ofAll) listener(graphId);
  }

  /** Another process may have written events of any run. */
  doubt(): void {
    for (const listeners of this.#byGraph.values()) for (const listener of listeners) listener([]);
    for (const listener of this.#ofAll) listener(undefined);
  }
}
