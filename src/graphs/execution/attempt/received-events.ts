/**
 * The events that a node has received, and those that it may still receive although they were sent before it waited. The engine
 * brings later events to its steps (engine/events/route-event.ts).
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphRow } from "../../../storage/contract/graph-rows.ts";
import { positionAt, type SentEventRow, type SentEventRows } from "../../../storage/contract/sent-events.ts";
import { matchesEvent } from "../../definition/event-match.ts";
import type { SentEvent } from "../../definition/event-types.ts";
import { startKey } from "../../machine/event-signal.ts";

/** Events to read at a time. */
const SLICE = 200;
/** Clocks of processes may differ by this much, so that an earlier event may have a later time. */
const SKEW_MS = 60_000;

export class ReceivedEvents {
  readonly #rows: SentEventRows;
  readonly #run: GraphRow;
  readonly #known = new Set<string>();
  /** Time of the last received event by name and match. */
  readonly #lastMs = new Map<string, number>();

  constructor(rows: SentEventRows, run: GraphRow) {
    this.#rows = rows;
    this.#run = run;
    // A run does not wait for the event that has started it.
    if (run.origin?.kind === "event" && run.idempotencyKey !== undefined) this.#known.add(run.idempotencyKey);
  }

  /** A wait of this node has received an event. */
  received(match: Json, event: SentEvent<Json>): void {
    this.#known.add(startKey(event));
    this.#lastMs.set(keyOf(event.name, match), event.sentMs);
  }

  /** Stored events that match and that this node has not received, oldest first. @param lookbackMs time before the run's start that counts */
  async *earlier(name: string, match: Json, lookbackMs: number): AsyncGenerator<SentEventRow> {
    const sinceMs = (this.#run.origin?.sentMs ?? this.#run.createdMs) - lookbackMs;
    const lastMs = this.#lastMs.get(keyOf(name, match)) ?? -Infinity;
    let after = positionAt(Math.max(0, sinceMs, lastMs - SKEW_MS)) - 1;
    for (let rows: SentEventRow[]; ; after = rows.at(-1)?.position ?? after) {
      rows = await this.#rows.after(name, after, SLICE);
      yield* rows.filter((row) => !this.#known.has(startKey(row)) && matchesEvent(row.data, match));
      if (rows.length < SLICE) return;
    }
  }
}

function keyOf(name: string, match: Json): string {
  return name + JSON.stringify(match);
}
