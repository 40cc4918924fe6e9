/** Events that were sent to the engine: they start runs, resume and cancel them, and are kept for a while. */
import type { Json } from "../../platform/shared/json.ts";
import type { NodeRow } from "./graph-rows.ts";
import { objectsIn, REFERENCE_MARK } from "./object-references.ts";
import type { Row } from "./row.ts";

export interface SentEventRow {
  name: string;
  /** Unique for its name: an event with a known id is not stored again. */
  id: string;
  /** Order of sending: Unix milliseconds times 1,000, plus a count within the millisecond. */
  position: number;
  data: Json;
  /** Whether it may not have reached all its runs yet. */
  isPending: boolean;
}

export type NewSentEvent = Omit<SentEventRow, "isPending">;

/** Positions per millisecond. */
export const POSITIONS_PER_MS = 1000;

export function positionAt(ms: number): number {
  return Math.floor(ms) * POSITIONS_PER_MS;
}

/** The time at which an event was sent, in Unix milliseconds. */
export function sentMsOf({ position }: Pick<SentEventRow, "position">): number {
  return Math.floor(position / POSITIONS_PER_MS);
}

export interface SentEventQuery {
  name?: string;
  /** 1 to 200; default 50. */
  limit?: number;
  /** Events before this position. */
  before?: number;
}

export interface SentEventRows {
  /** Stores an event as pending. @returns false if the id is known for this name; nothing is written then. */
  add(row: NewSentEvent): Promise<boolean>;
  /** Pending events between two positions, oldest first. */
  pending(after: number, before: number, limit: number): Promise<SentEventRow[]>;
  /** Marks an event as handled: it has reached all its runs. */
  handled(name: string, id: string): Promise<void>;
  /** Events of a name after a position, oldest first. */
  after(name: string, position: number, limit: number): Promise<SentEventRow[]>;
  /** Newest first. */
  list(query: SentEventQuery): Promise<SentEventRow[]>;
  /** Deletes handled events that were sent before a position, at most `limit`. */
  purge(before: number, limit: number): Promise<PurgedEvents>;
  /** Names of the objects in a bucket to which events at these positions refer. */
  objects(positions: readonly number[]): Promise<string[]>;
}

export interface PurgedEvents {
  count: number;
  /** Names of the objects in a bucket to which they referred. */
  objects: string[];
}

/** A step that waits for an event. */
export interface AwaitingStep {
  graphId: string;
  nodeId: string;
  /** The fields that the event's data must have; null: any. */
  match: Json;
}

/** Input of a step that waits for an event, in its row. */
export interface EventWaitInput {
  [name: string]: Json;
  event: string;
  match: Json;
}

export function toAwaiting({ graphId, id, input }: NodeRow): AwaitingStep {
  return { graphId, nodeId: id, match: (input as EventWaitInput).match };
}

export function toSentEvent(row: Row): SentEventRow {
  return {
    name: String(row["name"]),
    id: String(row["id"]),
    position: Number(row["position"]),
    data: JSON.parse(String(row["data"])) as Json,
    isPending: Number(row["is_pending"]) === 1,
  };
}

const REFERENCE_START = `"${REFERENCE_MARK}`;

/** SQL for the data of an event as the column `reference`, if it is a reference to an object; else null. Few events are large. */
export const EVENT_REFERENCE = `CASE WHEN substr(data, 1, ${REFERENCE_START.length}) = '${REFERENCE_START}' THEN data END AS reference`;

/** Names of the objects in rows with the column `reference`. */
export function referredObjects(rows: readonly Row[]): string[] {
  return rows.flatMap(({ reference }) => (typeof reference === "string" ? objectsIn(reference) : []));
}
