/** Builds a transition: collects its changes of rows. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphEventType, GraphRow, NewEvent, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { isSuspended } from "./suspension.ts";

/** Number of the last event of a run in memory, including uncommitted transitions. */
export class LastEvent {
  static #lines = 0;

  seq: number;
  /** Distinguishes transitions of this copy of the run from those of another copy with the same rows. */
  readonly line = ++LastEvent.#lines;

  constructor(seq: number) {
    this.seq = seq;
  }
}

/**
 * A transition that is being built. Changes the rows in memory at once. Each has an event, by which the next one knows that it was
 * written.
 */
export class Change {
  readonly nowMs: number;
  readonly transition: Transition;
  readonly #last: LastEvent;

  constructor(row: GraphRow, nowMs: number, last: LastEvent, transition?: Transition) {
    this.nowMs = nowMs;
    this.#last = last;
    const { seq, line } = last;
    this.transition = transition ?? { graphId: row.id, fence: { epoch: row.epoch, phases: [row.phase], seq, line } };
  }

  /** Number of the last event, including those of this transition. */
  get seq(): number {
    return this.#last.seq;
  }

  get isEmpty(): boolean {
    return !this.transition.graph && !this.transition.nodes && !this.transition.insertNodes && !this.transition.events;
  }

  /** @param columns with the row's `id`, they are stored without a copy, which would cost more than the rest of a transition. */
  node(node: NodeRow, columns: Partial<NodeRow>): void {
    // It does more than wait from now on.
    const changed = isSuspended(node) && !("dueMs" in columns) ? { ...columns, dueMs: undefined } : columns;
    Object.assign(node, changed);
    (this.transition.nodes ??= []).push(isWhole(changed) ? changed : { ...changed, id: node.id });
  }

  insert(node: NodeRow): void {
    (this.transition.insertNodes ??= []).push({ ...node });
  }

  remove(ids: readonly string[]): void {
    if (ids.length > 0) (this.transition.deleteNodes ??= []).push(...ids);
  }

  /** Stores a copy of a row for reading, before it is reset. */
  keep(node: NodeRow): void {
    (this.transition.pastNodes ??= []).push({ ...node });
  }

  event(type: GraphEventType, node?: string, data?: Json): void {
    (this.transition.events ??= []).push(this.#event(type, node, data));
    this.#last.seq++;
  }

  /** Sets all fields at once: adding one later costs more than the rest. */
  #event(type: GraphEventType, node: string | undefined, data: Json | undefined): NewEvent {
    const { graphId } = this.transition;
    const timestampMs = this.nowMs;
    if (node === undefined)
      return data === undefined ? { graphId, type, timestampMs } : { graphId, type, timestampMs, data };
    return data === undefined ? { graphId, type, timestampMs, node } : { graphId, type, timestampMs, node, data };
  }
}

type WholeChange = Partial<NodeRow> & Pick<NodeRow, "id">;

function isWhole(columns: Partial<NodeRow>): columns is WholeChange {
  return columns.id !== undefined;
}
