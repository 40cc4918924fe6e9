/** Columns of graphs and nodes whose values may stand beside their row (payloads.ts). */
import { graphFrom, nodeFrom } from "../../contract/columns.ts";
import type { GraphRow, NodeRow } from "../../contract/graph-rows.ts";
import type { Row } from "../../contract/row.ts";
import type { Payloads } from "./payloads.ts";

/** Values of graphs and nodes that may stand beside their row. */
export const LONG: ReadonlySet<string> = new Set(["input", "result", "state"]);

export function toGraph(row: Row, payloads: Payloads): GraphRow {
  return graphFrom(row, (text) => payloads.get(String(row["id"]), text));
}

export function toNode(row: Row, payloads: Payloads): NodeRow {
  return nodeFrom(row, (text) => payloads.get(String(row["graph_id"]), text));
}
