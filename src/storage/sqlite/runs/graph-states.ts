/**
 * What a commit needs to know of the graphs that are under way, kept from one to the next: what a fence looks at, and where a graph
 * is counted. One process has the file, and all that changes these rows passes transition-batch.ts, so nothing here is ever older than
 * the file; after a rollback, and after a commit of another process, who should not have been there, all of it is read again.
 */
import { ChurningMap } from "../../../platform/shared/churning-map.ts";
import type { GraphStatus } from "../../../platform/shared/wire.ts";
import { hasEnded, type GraphEvent, type GraphPhase } from "../../contract/graph-rows.ts";
import type { Row } from "../../contract/row.ts";
import type { Database } from "../database.ts";
import { LAST_SEQ } from "./event-runs.ts";
import type { Counted } from "./totals.ts";

/** What a fence looks at, the number of the last event, and where the graph is counted. */
export interface GraphState {
  epoch: number;
  phase: GraphPhase;
  seq: number;
  readonly counted: Counted;
  /** The events that were added last, up to `seq`; none where they are in the file only. */
  recent: readonly GraphEvent[];
}

/** More than run at once in one process; what is left out is read again. */
const MAX_GRAPHS = 10_000;
/** Events of a graph that are kept for those who begin to follow it. */
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

  /** Events after a number, at most `limit`; undefined where the file has to be asked. */
  eventsOf(id: string, afterSeq: number, limit: number): GraphEvent[] | undefined {
    const state = this.#states.get(id);
    const first = state?.recent[0];
    if (!state || (afterSeq < state.seq && (!first || afterSeq < first.seq - 1))) return undefined;
    return state.recent.filter(({ seq }) => seq > afterSeq).slice(0, limit);
  }

  add(state: GraphState): void {
    this.#states.set(state.counted.id, state);
  }

  /** Inside a transaction: reads those that are not known. */
  read(ids: Iterable<string>): void {
    const missing = new Set<string>();
    for (const id of ids) if (!this.#states.has(id)) missing.add(id);
    if (missing.size === 0) return;
    const rows = this.#database
      .sql(
        `SELECT id, epoch, phase, worker, status, tags, ${LAST_SEQ} AS seq FROM graph WHERE id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify([...missing]));
    for (const row of rows) this.add(stateOf(row));
  }

  /** What is not worth keeping goes. Called once all that is known of the graph is written. */
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
  const status = row["status"] as GraphStatus;
  return {
    epoch: Number(row["epoch"]),
    phase: row["phase"] as GraphPhase,
    seq: Number(row["seq"]),
    counted: { id, worker, tags, status, stored: status },
    recent: [],
  };
}
