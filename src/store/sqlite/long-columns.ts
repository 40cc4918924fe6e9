/** Columns of graphs and nodes whose values may stand beside their row (payloads.ts). */
import { graphFrom, nodeFrom, toColumn, type Columns } from "../columns.ts";
import type { GraphRow, NodeRow } from "../graph-rows.ts";
import type { Row, Value } from "../row.ts";
import type { Payloads } from "./payloads.ts";

/** Values of graphs and nodes that may stand beside their row. */
export const LONG: ReadonlySet<string> = new Set(["input", "result", "state"]);

/** A column of a graph or a node, whose long values go beside the row. */
export function toShortColumn(payloads: Payloads, columns: Columns, key: string, record: object): Value {
  const value = toColumn(columns, key, (record as Record<string, unknown>)[key]);
  if (!LONG.has(key) || typeof value !== "string") return value;
  const { graphId, id } = record as { graphId?: string; id: string };
  // Of a node the row is found by its graph, which is the row itself otherwise.
  return graphId === undefined
    ? payloads.put(id, `graph/${key}`, value)
    : payloads.put(graphId, `node/${id}/${key}`, value);
}

export function toGraph(row: Row, payloads: Payloads): GraphRow {
  return graphFrom(row, (text) => payloads.get(String(row["id"]), text));
}

export function toNode(row: Row, payloads: Payloads): NodeRow {
  return nodeFrom(row, (text) => payloads.get(String(row["graph_id"]), text));
}
