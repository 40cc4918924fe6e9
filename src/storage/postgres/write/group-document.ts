/**
 * A group of units as the arguments that `commit_units` takes (commit-function.ts). What is absent is left out: an empty
 * column costs nothing on the way.
 */
import {
  ARTIFACT_COLUMNS,
  AUDIT_COLUMNS,
  DELIVERY_COLUMNS,
  GRAPH_COLUMNS,
  NODE_COLUMNS,
  SIGNAL_COLUMNS,
  toColumn,
  type Columns,
} from "../../contract/columns.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphRow } from "../../contract/graph-rows.ts";
import { ARRAYS, GRAPH_CHANGES, NODE_CHANGES } from "./commit-function.ts";
import type { SqlValue } from "../database.ts";
import type { TransitionDraft } from "./transition-draft.ts";
import { eventRows } from "../runs/event-rows.ts";

type Rec = Record<string, unknown>;

type Arrays = Partial<Record<(typeof ARRAYS)[number], Rec[]>>;

/** The statement that takes what `groupDocument` gives. */
export const COMMIT_UNITS = `SELECT svc.commit_units(${Array.from({ length: ARRAYS.length + 6 }, (_, at) => `$${at + 1}`).join(", ")}) AS seqs`;

/**
 * @param place the slot, the ticket it has and the one it gets with this group; `registrations` is the version of those that the rows
 *   of the outbox are for, null where nothing is told of
 * @param drafts in the order of their graphs' ids, one of each
 * @param jobOf the job of a graph that nobody holds
 */
export function groupDocument(
  { slot, ticket, next, registrations }: { slot: string; ticket: number; next: number; registrations: number | null },
  drafts: readonly TransitionDraft[],
  jobOf: (row: GraphRow) => Json,
): SqlValue[] {
  const arrays: Arrays = {};
  const put: Put = (key, record) => void (arrays[key] ??= []).push(record);
  let isMoving = false;
  drafts.forEach((draft, index) => {
    const at = index + 1;
    putHead(put, at, draft);
    putRows(put, at, draft);
    for (const unit of draft.units) putRest(put, at, unit);
    if (draft.insert && draft.units[0]?.heldBy === null) put("jobs", { at, spec: jobOf(draft.insert) });
    isMoving ||= draft.insert !== undefined || draft.graph.status !== undefined;
  });
  const texts = ARRAYS.map((key) => (arrays[key] ? JSON.stringify(arrays[key]) : null));
  return [slot, ticket, next, registrations, isMoving, drafts.map(({ graphId }) => graphId), ...texts];
}

type Put = (key: (typeof ARRAYS)[number], record: Rec) => void;

function putHead(put: Put, at: number, { graphId, fence, insert }: TransitionDraft): void {
  if (insert) return put("heads", { at, id: graphId, is_new: true });
  const { epoch, phases, seq, lease, node } = fence ?? {};
  put("heads", { at, id: graphId, epoch, phases, seq, lease });
  if (node) put("fences", { at, graph_id: graphId, id: node.id, attempt: node.attempt, statuses: node.status });
}

function putRows(
  put: Put,
  at: number,
  { graphId, units, insert, graph, insertNodes, nodes, events }: TransitionDraft,
): void {
  const count = events.length;
  const { heldBy } = units[0] ?? {};
  const hold = { holder: heldBy ?? null, lease: heldBy ? 1 : 0 };
  // Taken apart by the database, so what it can't keep must not stand in them as an escape either.
  const tags = JSON.stringify(insert?.tags.map(clean));
  if (insert) put("inserts", { at, ...toRecord(GRAPH_COLUMNS, insert), tags, seq: count, ...hold });
  else if (count > 0 || Object.keys(graph).length > 0)
    put("graphs", { at, id: graphId, n: count, ...changeRecord(GRAPH_COLUMNS, GRAPH_CHANGES, graph) });
  for (const node of insertNodes.values()) put("node_inserts", { at, ...toRecord(NODE_COLUMNS, node) });
  for (const change of nodes.values())
    put("nodes", { at, graph_id: graphId, id: change["id"], ...changeRecord(NODE_COLUMNS, NODE_CHANGES, change) });
  for (const row of eventRows(events, clean)) put("events", { at, graph_id: graphId, ...row });
}

/** What few units have. */
function putRest(put: Put, at: number, unit: TransitionDraft["units"][number]): void {
  const { graphId } = unit;
  for (const id of unit.deleteNodes ?? []) put("deletes", { at, graph_id: graphId, id });
  for (const { epoch, id, ...rest } of unit.pastNodes ?? [])
    put("past_nodes", { at, graph_id: graphId, epoch, id, data: JSON.stringify({ epoch, id, ...rest }) });
  if (unit.audit) put("audit", { at, ...toRecord(AUDIT_COLUMNS, unit.audit) });
  for (const row of unit.artifacts ?? []) put("artifacts", { at, ...toRecord(ARTIFACT_COLUMNS, row) });
  if (unit.dropsUploads) put("loose", { at, graph_id: graphId });
  for (const row of unit.signals ?? []) put("signals", { at, ...toRecord(SIGNAL_COLUMNS, row) });
  for (const { seq, node } of unit.takenSignals ?? []) put("taken", { at, graph_id: graphId, seq, node });
  for (const row of unit.outbox ?? [])
    put("outbox", { at, ...toRecord(DELIVERY_COLUMNS, { ...row, status: "pending", attempts: 0 }) });
}

function toRecord(columns: Columns, row: object): Rec {
  const record: Rec = {};
  for (const [key, [name]] of Object.entries(columns)) {
    const value = toColumn(columns, key, (row as Rec)[key]);
    if (value !== null) record[name] = clean(value);
  }
  return record;
}

/** The columns that a change names, and which these are: one that is named and absent becomes empty. */
function changeRecord(columns: Columns, names: readonly string[], change: object): Rec {
  const record: Rec = { mask: 0 };
  let mask = 0;
  for (const key of Object.keys(change)) {
    const name = columns[key]?.[0];
    const bit = name === undefined ? -1 : names.indexOf(name);
    if (name === undefined || bit < 0) continue;
    mask |= 1 << bit;
    const value = toColumn(columns, key, (change as Rec)[key]);
    if (value !== null) record[name] = clean(value);
  }
  record["mask"] = mask;
  return record;
}

/** What PostgreSQL does not take in a text: the character 0, and halves of surrogate pairs. */
const FOREIGN_ALL = /[\0\ud800-\udfff]/gu;
const FOREIGN = /[\0\ud800-\udfff]/u;

export function clean<T>(value: T): T | string {
  return typeof value === "string" && FOREIGN.test(value) ? value.replaceAll(FOREIGN_ALL, "\ufffd") : value;
}
