/** Columns of runs and nodes whose values may be stored outside their row (payloads.ts). */
import { graphFrom, nodeFrom } from "../../contract/columns.ts";
import type { GraphRow, NodeRow } from "../../contract/graph-rows.ts";
import type { Row } from "../../contract/row.ts";
import type { Payloads } from "./payloads.ts";

/** Columns with possibly long values. */
export const LONG: ReadonlySet<string> = new Set(["input", "result", "state"]);

export function toGraph(row: Row, payloads: Payloads): GraphRow {
  return graphFrom(row, (text) => payloads.get(String(row["id"]), text));
}

export function toNode(row: Row, payloads: Payloads): NodeRow {
  return nodeFrom(row, (text) => payloads.get(String(row["graph_id"]), text));
}
