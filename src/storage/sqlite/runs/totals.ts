/**
 * Number of runs by worker and status, and runs by tag and attribute, updated in the transaction that changes them: counting a million
 * rows takes longer than reading a page.
 */
import type { RunStatus } from "../../../platform/shared/wire.ts";
import type { Database } from "../database.ts";
import { indexAttributes, unindexAttributes, type Indexed } from "./attribute-index.ts";

/** Where a run is counted. */
export interface Counted extends Indexed {
  worker: string;
  /** JSON text. */
  tags: string;
}

const ADD = `
  INSERT INTO graph_total (worker, status, total) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true
  ON CONFLICT (worker, status) DO UPDATE SET total = total + excluded.total`;

const ADD_TAGS = `
  INSERT INTO graph_tag (tag, status, graph_id)
  SELECT tag.value, given.value ->> 1, given.value ->> 2 FROM json_each(?) AS given, json_each(given.value ->> 0) AS tag
  WHERE true ON CONFLICT DO NOTHING`;

const REMOVE_TAGS = `
  DELETE FROM graph_tag WHERE (tag, status, graph_id) IN
  (SELECT tag.value, given.value ->> 1, given.value ->> 2 FROM json_each(?) AS given, json_each(given.value ->> 0) AS tag)`;

/** Within a transaction. @param moved new runs, and those with a changed status or attributes; marks them as stored. */
export function countGraphs(database: Database, moved: readonly Counted[]): void {
  indexAttributes(database, moved);
  const deltas = new Deltas();
  const removed: string[][] = [];
  const added: string[][] = [];
  for (const graph of moved) {
    if (graph.status === graph.stored) continue;
    deltas.add(graph.worker, graph.status, 1);
    if (graph.stored !== undefined) deltas.add(graph.worker, graph.stored, -1);
    if (graph.tags !== "[]") {
      added.push([graph.tags, graph.status, graph.id]);
      if (graph.stored !== undefined) removed.push([graph.tags, graph.stored, graph.id]);
    }
    graph.stored = graph.status;
  }
  const run = (text: string, rows: readonly unknown[]): void => {
    if (rows.length > 0) database.sql(text).run(JSON.stringify(rows));
  };
  run(ADD, deltas.rows());
  run(REMOVE_TAGS, removed);
  run(ADD_TAGS, added);
}

/** Within a transaction: deleted runs. */
export function uncountGraphs(database: Database, gone: readonly Omit<Counted, "stored" | "indexed">[]): void {
  unindexAttributes(database, gone);
  const deltas = new Deltas();
  for (const { worker, status } of gone) deltas.add(worker, status, -1);
  const tagged = gone.filter(({ tags }) => tags !== "[]").map(({ tags, status, id }) => [tags, status, id]);
  database.sql(ADD).run(JSON.stringify(deltas.rows()));
  if (tagged.length > 0) database.sql(REMOVE_TAGS).run(JSON.stringify(tagged));
}

class Deltas {
  readonly #byWorker = new Map<string, Map<RunStatus, number>>();

  add(worker: string, status: RunStatus, delta: number): void {
    let counts = this.#byWorker.get(worker);
    if (!counts) this.#byWorker.set(worker, (counts = new Map()));
    counts.set(status, (counts.get(status) ?? 0) + delta);
  }

  rows(): [worker: string, status: RunStatus, delta: number][] {
    return [...this.#byWorker].flatMap(([worker, counts]) =>
      [...counts]
        .filter(([, delta]) => delta !== 0)
        .map(([status, delta]): [string, RunStatus, number] => [worker, status, delta]),
    );
  }
}
