/** Events that wait to start a run together or later, by graph and key. */
import type { Json } from "../../platform/shared/json.ts";
import type { Row } from "./row.ts";

/** An event in a group. */
export interface GroupedEvent {
  [name: string]: Json;
  id: string;
  name: string;
  sentMs: number;
  /** The data for the run's input. */
  data: Json;
}

export interface StartGroupRow {
  graph: string;
  key: string;
  /** Distinguishes groups of a key: the id of the first event. */
  generation: string;
  /** Whether further events may join. A key has one open group. */
  isOpen: boolean;
  /** Time at which an open group closes, or the earliest start of a closed one. */
  dueMs: number;
  /** Events of the run to start; empty: the row only counts the starts of its key. */
  events: GroupedEvent[];
  /** Whether the run's input is a list. */
  isList: boolean;
  /** A number that the rule keeps: the time of the first event, or the starts of a period. */
  count: number;
}

/** The changes that an event makes. */
export type GroupChange = readonly StartGroupRow[];

export interface StartGroupRows {
  /**
   * Decides, in one transaction, what an event does in a graph, and records with the event that this is decided.
   * @param decide gets the open group of the key, and returns rows to insert or replace. Called again if the transaction is.
   * @returns the rows; undefined if it was decided before
   */
  join(
    event: { name: string; id: string },
    graph: string,
    key: string,
    decide: (open: StartGroupRow | undefined) => GroupChange,
  ): Promise<GroupChange | undefined>;
  /** As `join`, for a start that no event causes. The changed rows only count. */
  count(graph: string, key: string, decide: (open: StartGroupRow | undefined) => GroupChange): Promise<void>;
  /** Closed groups, and open ones that are due, by due time. */
  due(nowMs: number, limit: number): Promise<StartGroupRow[]>;
  /** Closes a group that is due. @returns its last state; undefined if it is gone or is not due any more. */
  close(row: StartGroupRow, nowMs: number): Promise<StartGroupRow | undefined>;
  /** Deletes a closed group. */
  remove(row: StartGroupRow): Promise<void>;
  /** Due time of the next open group; undefined: there is none. */
  nextDueMs(): Promise<number | undefined>;
}

/** Values in the order graph, key, generation, is_open, due_ms, data. */
export function groupValues(row: StartGroupRow): [string, string, string, number, number, string] {
  const { graph, key, generation, isOpen, dueMs, events, isList, count } = row;
  return [graph, key, generation, isOpen ? 1 : 0, dueMs, JSON.stringify({ events, isList, count })];
}

export function toStartGroup(row: Row): StartGroupRow {
  const data = JSON.parse(String(row["data"])) as Pick<StartGroupRow, "events" | "isList" | "count">;
  return {
    graph: String(row["graph"]),
    key: String(row["key"]),
    generation: String(row["generation"]),
    isOpen: Number(row["is_open"]) === 1,
    dueMs: Number(row["due_ms"]),
    ...data,
  };
}

/** Adds a graph to those that have decided about an event. @returns undefined if it has. */
export function decidedWith(decided: unknown, graph: string): string | undefined {
  const known = typeof decided === "string" ? (JSON.parse(decided) as string[]) : [];
  return known.includes(graph) ? undefined : JSON.stringify([...known, graph]);
}
