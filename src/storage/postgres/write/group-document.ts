/**
 * The arguments of `commit_units` for a group of transitions (commit-function.ts). Absent values are omitted, because an empty column
 * costs nothing then.
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
import { waitsForKey } from "../../contract/admission.ts";
import { attributeKeys, type Attributes } from "../../contract/attributes.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphRow } from "../../contract/graph-rows.ts";
import { bitAt } from "./change-mask.ts";
import { ARRAYS, GRAPH_CHANGES, NODE_CHANGES } from "./commit-function.ts";
import type { SqlValue } from "../database.ts";
import type { TransitionDraft } from "./transition-draft.ts";
import { eventRows } from "../runs/event-rows.ts";

type Rec = Record<string, unknown>;

type Arrays = Partial<Record<(typeof ARRAYS)[number], Rec[]>>;

/** The statement for the arguments of `groupDocument`. */
export const COMMIT_UNITS = `SELECT svc.commit_units(${Array.from({ length: ARRAYS.length + 6 }, (_, at) => `$${at + 1}`).join(", ")}) AS seqs`;

/**
 * @param place the slot, its ticket, and its ticket with this group; `registrations` is the version of the registrations of the outbox
 * rows, null without any
 * @param drafts ordered by run id, one for each run
 * @param jobOf job of a run without a holder. One that waits for a key gets its job when it is admitted.
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
    for (const transition of draft.transitions) putRest(put, at, transition);
    const { insert } = draft;
    if (insert && draft.transitions[0]?.heldBy === null && !waitsForKey(insert))
      put("jobs", { at, spec: jobOf(insert) });
    isMoving ||= draft.insert !== undefined || draft.graph.status !== undefined;
  });
  const texts = ARRAYS.map((key) => (arrays[key] ? JSON.stringify(arrays[key]) : null));
  return [slot, ticket, next, registrations, isMoving, drafts.map(({ graphId }) => graphId), ...texts];
}

type Put = (key: (typeof ARRAYS)[number], record: Rec) => void;

function putHead(put: Put, at: number, { graphId, fence, insert, graph }: TransitionDraft): void {
  if (insert) {
    const keys = insert.attributes && { keys: indexKeys(insert.attributes) };
    return put("heads", { at, id: graphId, is_new: true, ...keys });
  }
  const { epoch, phases, seq, lease, node } = fence ?? {};
  const keys = "attributes" in graph && { keys: indexKeys(graph.attributes) };
  put("heads", { at, id: graphId, epoch, phases, seq, lease, ...keys });
  if (node) put("fences", { at, graph_id: graphId, id: node.id, attempt: node.attempt, statuses: node.status });
}

/** Attributes as the index has them. */
function indexKeys(attributes: Attributes | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(attributeKeys(attributes)).map(([name, key]) => [name, clean(key)]));
}

function putRows(
  put: Put,
  at: number,
  { graphId, transitions, insert, graph, insertNodes, nodes, events }: TransitionDraft,
): void {
  const count = events.length;
  const { heldBy } = transitions[0] ?? {};
  const hold = { holder: heldBy ?? null, lease: heldBy ? 1 : 0 };
  // The database parses it, so characters that it can't store must not be in it as escapes either.
  const tags = JSON.stringify(insert?.tags.map(clean));
  if (insert) put("inserts", { at, ...toRecord(GRAPH_COLUMNS, insert), tags, seq: count, ...hold });
  else if (count > 0 || Object.keys(graph).length > 0)
    put("graphs", { at, id: graphId, n: count, ...changeRecord(GRAPH_COLUMNS, GRAPH_CHANGES, graph) });
  for (const node of insertNodes.values()) put("node_inserts", { at, ...toRecord(NODE_COLUMNS, node) });
  for (const change of nodes.values())
    put("nodes", { at, graph_id: graphId, id: change["id"], ...changeRecord(NODE_COLUMNS, NODE_CHANGES, change) });
  for (const row of eventRows(events, clean)) put("events", { at, graph_id: graphId, ...row });
}

/** Rare parts of a transition. */
function putRest(put: Put, at: number, transition: TransitionDraft["transitions"][number]): void {
  const { graphId } = transition;
  for (const id of transition.deleteNodes ?? []) put("deletes", { at, graph_id: graphId, id });
  for (const { epoch, id, ...rest } of transition.pastNodes ?? [])
    put("past_nodes", { at, graph_id: graphId, epoch, id, data: JSON.stringify({ epoch, id, ...rest }) });
  if (transition.audit) put("audit", { at, ...toRecord(AUDIT_COLUMNS, transition.audit) });
  for (const row of transition.artifacts ?? []) put("artifacts", { at, ...toRecord(ARTIFACT_COLUMNS, row) });
  if (transition.dropsUploads) put("loose", { at, graph_id: graphId });
  for (const row of transition.signals ?? []) put("signals", { at, ...toRecord(SIGNAL_COLUMNS, row) });
  for (const { seq, node } of transition.takenSignals ?? []) put("taken", { at, graph_id: graphId, seq, node });
  for (const row of transition.outbox ?? [])
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

/** Columns of a change, and a mask of them: a column that is named without a value becomes empty. */
export function changeRecord(columns: Columns, names: readonly string[], change: object): Rec {
  const record: Rec = { mask: 0 };
  let mask = 0;
  for (const key of Object.keys(change)) {
    const name = columns[key]?.[0];
    const bit = name === undefined ? -1 : names.indexOf(name);
    if (name === undefined || bit < 0) continue;
    mask += bitAt(bit);
    const value = toColumn(columns, key, (change as Rec)[key]);
    if (value !== null) record[name] = clean(value);
  }
  record["mask"] = mask;
  return record;
}

/** Characters that PostgreSQL rejects in a text: U+0000 and lone surrogates. */
const FOREIGN_ALL = /[\0\ud800-\udfff]/gu;
const FOREIGN = /[\0\ud800-\udfff]/u;

export function clean<T>(value: T): T | string {
  return typeof value === "string" && FOREIGN.test(value) ? value.replaceAll(FOREIGN_ALL, "\ufffd") : value;
}
