/**
 * Caches what commits need to know of active runs: the values of fences, and where a run is counted. One process has the file, and all
 * changes of these rows pass transition-batch.ts, so the cache is never older than the file; after a rollback, or an unexpected commit of
 * another process, everything is read again.
 */
import { ChurningMap } from "../../../platform/shared/collections/churning-map.ts";
import type { RunStatus } from "../../../platform/shared/wire.ts";
import type { Attributes } from "../../contract/attributes.ts";
import { hasEnded, type GraphEvent, type GraphPhase } from "../../contract/graph-rows.ts";
import type { Row } from "../../contract/row.ts";
import type { Database } from "../database.ts";
import { LAST_SEQ } from "./event-runs.ts";
import type { Counted } from "./totals.ts";

/** Values of fences, the number of the last event, and where the run is counted. */
export interface GraphState {
  epoch: number;
  phase: GraphPhase;
  seq: number;
  readonly counted: Counted;
  /** The last events up to `seq`; none if they are only in the file. */
  recent: readonly GraphEvent[];
}

/** More than run at once in one process. Others are read again. */
const MAX_GRAPHS = 10_000;
/** Events of a run to keep for new followers. */
const MAX_RECENT = 16;

export class GraphStates {
  readonly #database: Database;
  readonly #states = new ChurningMap<GraphState>();

  constructor(database: Database) {
    this.#database = database;
    database.onStale(() => this.#states.clear());
  }

  get(id: string): GraphState | undefined {
    return this.#states.get(id);
  }

  /** Events after a number, at most `limit`; undefined if the file must be read. */
  eventsOf(id: string, afterSeq: number, limit: number): GraphEvent[] | undefined {
    const state = this.#states.get(id);
    const first = state?.recent[0];
    if (!state || (afterSeq < state.seq && (!first || afterSeq < first.seq - 1))) return undefined;
    return state.recent.filter(({ seq }) => seq > afterSeq).slice(0, limit);
  }

  add(state: GraphState): void {
    this.#states.set(state.counted.id, state);
  }

  /** Within a transaction: reads unknown ones. */
  read(ids: Iterable<string>): void {
    const missing = new Set<string>();
    for (const id of ids) if (!this.#states.has(id)) missing.add(id);
    if (missing.size === 0) return;
    const rows = this.#database
      .sql(
        `SELECT id, epoch, phase, worker, status, tags, attributes, ${LAST_SEQ} AS seq FROM graph WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify([...missing]));
    for (const row of rows) this.add(stateOf(row));
  }

  /** Drops what is not worth caching. Called once everything known about the run is written. */
  settle(state: GraphState): void {
    if (state.recent.length > MAX_RECENT) state.recent = [];
    if (hasEnded(state)) this.#states.delete(state.counted.id);
    else if (this.#states.size > MAX_GRAPHS) this.#forgetOldest(state);
  }

  #forgetOldest(but: GraphState): void {
    for (const id of this.#states.keys()) {
      if (id !== but.counted.id) this.#states.delete(id);
      if (this.#states.size <= MAX_GRAPHS) return;
    }
  }
}

function stateOf(row: Row): GraphState {
  const [id, worker, tags] = [row["id"], row["worker"], row["tags"]].map(String) as [string, string, string];
  const status = row["status"] as RunStatus;
  const attributes = typeof row["attributes"] === "string" ? (JSON.parse(row["attributes"]) as Attributes) : undefined;
  return {
    epoch: Number(row["epoch"]),
    phase: row["phase"] as GraphPhase,
    seq: Number(row["seq"]),
    counted: { id, worker, tags, attributes, status, stored: status, indexed: attributes },
    recent: [],
  };
}
