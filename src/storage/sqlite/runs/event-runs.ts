/**
 * Events as they stand in the file: those that a group adds to a graph are one row, under the number of the last of them. They are
 * written once and read in order, and a row costs more than what is in it.
 */
import type { GraphEvent, GraphEventType } from "../../contract/graph-rows.ts";
import type { Row, Value } from "../../contract/row.ts";
import type { Database } from "../database.ts";

/** Data is JSON text. */
type Packed = [type: GraphEventType, timestampMs: number, node: string | null, data?: string];

/** Rows that are read at once. */
const ROWS = 64;
/** Events of one row: a page of events is read without much that is not asked for. */
const MOST = 256;

/** Number of the last event of a row of `graph`: what is added to a graph changes nothing in its own row. */
export const LAST_SEQ = lastSeqOf("graph");

/** @param graph the name of the table in the statement. */
export function lastSeqOf(graph: string): string {
  return `coalesce((SELECT last_seq FROM event_run WHERE graph_id = ${graph}.id ORDER BY last_seq DESC LIMIT 1), 0)`;
}

/** Rows of one statement: the values are bound, which costs less than JSON where there are few and long ones. */
const SIZES = [32, 8, 1];

/** Inside a transaction. @param events by graph, those of each one after the other. */
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

/** JSON of `Packed`, put together by hand: `JSON.stringify` of arrays made for it takes twice as long. */
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

/** Optional keys are left out, so that every store gives the same shape. */
function unpack(graphId: string, seq: number, [type, timestampMs, node, data]: Packed): GraphEvent {
  const event: GraphEvent = { graphId, seq, type, timestampMs };
  if (node !== null) event.node = node;
  if (data !== undefined) event.data = JSON.parse(data) as GraphEvent["data"] & {};
  return event;
}
