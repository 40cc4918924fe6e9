/** A transition on its way into the store: what it changes in the rows, gathered as one unit. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphEventType, GraphRow, NewEvent, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/unit.ts";

/** Number of the last event of a mirror, counting those of units that are still to be committed. */
export class LastEvent {
  static #lines = 0;

  seq: number;
  /** Tells the units of this mirror from those of another that had the same rows. */
  readonly line = ++LastEvent.#lines;

  constructor(seq: number) {
    this.seq = seq;
  }
}

/**
 * A unit being made; changes rows of the mirror as it goes. Each has an event, by which the next knows that it was
 * written.
 */
export class Change {
  readonly nowMs: number;
  readonly unit: Transition;
  readonly #last: LastEvent;

  constructor(row: GraphRow, nowMs: number, last: LastEvent, unit?: Transition) {
    this.nowMs = nowMs;
    this.#last = last;
    const { seq, line } = last;
    this.unit = unit ?? { graphId: row.id, fence: { epoch: row.epoch, phases: [row.phase], seq, line } };
  }

  get isEmpty(): boolean {
    return !this.unit.graph && !this.unit.nodes && !this.unit.insertNodes && !this.unit.events;
  }

  /** @param columns with the row's `id` among them they are kept as they are: a copy costs more than all else of a transition. */
  node(node: NodeRow, columns: Partial<NodeRow>): void {
    Object.assign(node, columns);
    (this.unit.nodes ??= []).push(isWhole(columns) ? columns : { ...columns, id: node.id });
  }

  insert(node: NodeRow): void {
    (this.unit.insertNodes ??= []).push({ ...node });
  }

  remove(ids: readonly string[]): void {
    if (ids.length > 0) (this.unit.deleteNodes ??= []).push(...ids);
  }

  /** Keeps a row as it is, for reading, before it begins anew. */
  keep(node: NodeRow): void {
    (this.unit.pastNodes ??= []).push({ ...node });
  }

  event(type: GraphEventType, node?: string, data?: Json): void {
    (this.unit.events ??= []).push(this.#event(type, node, data));
    this.#last.seq++;
  }

  /** Each with all its fields at once: one that is added later costs more than the rest. */
  #event(type: GraphEventType, node: string | undefined, data: Json | undefined): NewEvent {
    const { graphId } = this.unit;
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
