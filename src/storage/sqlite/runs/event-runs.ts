/**
 * Events in the file: those that a group adds to a run are one row, under the number of the last. They are written once and read in
 * order, and a row costs more than its content.
 */
import type { GraphEvent, GraphEventType } from "../../contract/graph-rows.ts";
import type { Row, Value } from "../../contract/row.ts";
import type { Database } from "../database.ts";

/** Data is JSON text. */
type Packed = [type: GraphEventType, timestampMs: number, node: string | null, data?: string];

/** Rows to read at a time. */
const ROWS = 64;
/** Maximum number of events in a row, so that a page of events reads little else. */
const MOST = 256;

/** Number of the last event of a run: new events change nothing in the run's own row. */
export const LAST_SEQ = lastSeqOf("graph");

/** @param graph name of the table in the statement. */
export function lastSeqOf(graph: string): string {
  return `coalesce((SELECT last_seq FROM event_run WHERE graph_id = ${graph}.id ORDER BY last_seq DESC LIMIT 1), 0)`;
}

/** Rows of one statement: bound values cost less than JSON for few long ones. */
const SIZES = [32, 8, 1];

/** Within a transaction. @param events by run, consecutive for each. */
export function writeEvents(database: Database, events: Iterable<readonly GraphEvent[]>): void {
  const values: Value[] = [];
  for (const all of events)
    for (let from = 0; from < all.length; from += MOST) {
      const run = all.length <= MOST ? all : all.slice(from, from + MOST);
      const { graphId, seq } = run.at(-1) as GraphEvent;
      values.push(graphId, seq, packed(run));
    }
  let at = 0;
  for (const [index, size] of SIZES.entries()) {
    const width = size * 3;
    for (; at + width <= values.length; at += width)
      database.sql(INSERTS[index] as string).run(...values.slice(at, at + width));
  }
}

const INSERTS = SIZES.map(
  (size) => `INSERT INTO event_run (graph_id, last_seq, events) VALUES ${Array(size).fill("(?, ?, ?)").join(", ")}`,
);

/** JSON of `Packed`, written by hand: `JSON.stringify` of arrays takes twice as long. */
function packed(run: readonly GraphEvent[]): string {
  let text = "[";
  for (const { type, timestampMs, node, data } of run) {
    const own = node === undefined ? "null" : JSON.stringify(node);
    const more = data === undefined ? "" : `,${JSON.stringify(JSON.stringify(data))}`;
    text += `${text.length > 1 ? "," : ""}["${type}",${timestampMs},${own}${more}]`;
  }
  return `${text}]`;
}

/** Events after a number, in order, at most `limit`. */
export function readEvents(database: Database, graphId: string, afterSeq: number, limit: number): GraphEvent[] {
  const rows = database.sql("SELECT * FROM event_run WHERE graph_id = ? AND last_seq > ? ORDER BY last_seq LIMIT ?");
  const found: GraphEvent[] = [];
  for (let seq = afterSeq; found.length < limit; seq = (found.at(-1) as GraphEvent).seq) {
    const page = rows.all(graphId, seq, ROWS);
    for (const row of page) for (const event of eventsOf(row)) if (event.seq > afterSeq) found.push(event);
    if (page.length < ROWS) break;
  }
  return found.slice(0, limit);
}

/** The events of a row. */
export function eventsOf(row: Row): GraphEvent[] {
  const packed = JSON.parse(row["events"] as string) as Packed[];
  const [graphId, before] = [row["graph_id"] as string, Number(row["last_seq"]) - packed.length];
  return packed.map((event, at) => unpack(graphId, before + at + 1, event));
}

/** Omits absent keys, so that all stores return the same shape. */
function unpack(graphId: string, seq: number, [type, timestampMs, node, data]: Packed): GraphEvent {
  const event: GraphEvent = { graphId, seq, type, timestampMs };
  if (node !== null) event.node = node;
  if (data !== undefined) event.data = JSON.parse(data) as GraphEvent["data"] & {};
  return event;
}
