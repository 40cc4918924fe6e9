/**
 * First events of runs that this process has just started. A caller that starts a run and follows it requests these first, and a query
 * would cost as much as a transition. Only followers use them, and they are notified of more.
 */
import type { GraphEvent } from "../../contract/graph-rows.ts";

/** Followers come right after the start. A thousand runs take less than a megabyte. */
const MOST = 1000;

export class FirstEvents {
  readonly #byGraph = new Map<string, readonly GraphEvent[]>();

  /** @returns events after `afterSeq`; undefined if there may be others. */
  after(graphId: string, afterSeq: number): GraphEvent[] | undefined {
    return this.#byGraph.get(graphId)?.filter(({ seq }) => seq > afterSeq);
  }

  /** A run has started. */
  keep(graphId: string, events: readonly GraphEvent[]): void {
    this.#byGraph.set(graphId, events);
    if (this.#byGraph.size > MOST) for (const [oldest] of this.#byGraph) return void this.#byGraph.delete(oldest);
  }

  /** A run has continued, here or elsewhere. @param graphId undefined: any run. */
  forget(graphId?: string): void {
    if (graphId === undefined) this.#byGraph.clear();
    else this.#byGraph.delete(graphId);
  }
}
