/**
 * Events in PostgreSQL: those that one commit adds to a run share a row, as JSON. A row costs the server about a hundred bytes of log and
 * an index entry, and a fan-out has three events for each item.
 */
import type { GraphEvent, GraphEventType, NewEvent } from "../../contract/graph-rows.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { Row } from "../../contract/row.ts";

/** Maximum number of events in a row, so that a page of events reads little else. */
const MOST = 256;

/** Format of the column `data`. */
interface Written {
  type: GraphEventType;
  node?: string;
  /** Milliseconds since 1970. */
  at: number;
  data?: Json;
}

export interface EventRow {
  /** Events of this commit in earlier rows. */
  before: number;
  count: number;
  data: string;
}

/** The rows of one commit in order. @param nameOf name of a node as in its own row. */
export function eventRows(events: readonly NewEvent[], nameOf: (node: string) => string): EventRow[] {
  const rows: EventRow[] = [];
  for (let before = 0; before < events.length; before += MOST) {
    const written = events.slice(before, before + MOST).map(({ type, node, timestampMs, data }): Written => ({
      type,
      ...(node !== undefined && { node: nameOf(node) }),
      at: timestampMs,
      ...(data !== undefined && { data }),
    }));
    rows.push({ before, count: written.length, data: JSON.stringify(written) });
  }
  return rows;
}

/** The events of a row. */
export function eventsOf(row: Row): GraphEvent[] {
  const [graphId, first] = [row["graph_id"] as string, Number(row["first"])];
  return (JSON.parse(row["data"] as string) as Written[]).map(({ type, node, at, data }, index) => ({
    graphId,
    seq: first + index,
    type,
    timestampMs: at,
    ...(node !== undefined && { node }),
    ...(data !== undefined && { data }),
  }));
}
