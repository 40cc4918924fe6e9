/**
 * The events with which graphs began that this process has written a moment ago. Whoever starts a graph and follows it asks for
 * these first; asking the database costs as much as one of the graph's transitions. They are told to followers only, who hear when
 * there is more.
 */
import type { GraphEvent } from "../../contract/graph-rows.ts";

/** Followers come right after the start. A thousand graphs are a moment's, and less than a megabyte. */
const MOST = 1000;

export class FirstEvents {
  readonly #byGraph = new Map<string, readonly GraphEvent[]>();

  /** @returns those behind `afterSeq`; undefined where there may be others. */
  after(graphId: string, afterSeq: number): GraphEvent[] | undefined {
    return this.#byGraph.get(graphId)?.filter(({ seq }) => seq > afterSeq);
  }

  /** A graph has begun. */
  keep(graphId: string, events: readonly GraphEvent[]): void {
    this.#byGraph.set(graphId, events);
    if (this.#byGraph.size > MOST) for (const [oldest] of this.#byGraph) return void this.#byGraph.delete(oldest);
  }

  /** It has gone on, here or elsewhere. @param graphId undefined: any may have. */
  forget(graphId?: string): void {
    if (graphId === undefined) this.#byGraph.clear();
    else this.#byGraph.delete(graphId);
  }
}
