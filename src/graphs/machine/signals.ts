/** Signals of a run that no wait has received. The store has them; they are loaded with the run. */
import type { Json } from "../../platform/shared/json.ts";
import type { SignalRow } from "../../storage/contract/graph-rows.ts";
import { eventIn, startKey, stepOfEventSignal, type EventId } from "./event-signal.ts";
import { ownerOf } from "./step-id.ts";
import type { Change } from "./transition-builder.ts";
import type { Wait } from "./waits.ts";

export interface KeptSignal {
  readonly row: SignalRow;
  /** The worker's value. */
  value: Json;
  /** The wait that will receive it; undefined: none yet. */
  wait: Wait | undefined;
}

export class Signals {
  #kept: KeptSignal[];
  readonly #keys = new Set<string>();

  constructor(rows: readonly SignalRow[]) {
    this.#kept = rows.map((row) => ({ row, value: row.payload, wait: undefined }));
  }

  /** Whether a signal with this idempotency key was sent since the run was loaded. */
  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Whether a signal of this name is kept. */
  hasName(name: string): boolean {
    return this.#kept.some(({ row }) => row.name === name);
  }

  /** Whether a step of this node will receive this event. */
  hasEvent(nodeId: string, event: EventId): boolean {
    return this.#kept.some(({ row }) => {
      const step = stepOfEventSignal(row.name);
      return step !== undefined && ownerOf(step) === nodeId && startKey(eventIn(row.payload)) === startKey(event);
    });
  }

  /** The first unassigned signal of a name. */
  first(name: string): KeptSignal | undefined {
    return this.#kept.find(({ row, wait }) => row.name === name && !wait);
  }

  /** The signal that is assigned to this wait. */
  of(wait: Wait): KeptSignal | undefined {
    return this.#kept.find((signal) => signal.wait === wait);
  }

  add(change: Change, row: SignalRow, wait: Wait | undefined, value: Json): void {
    if (row.key !== undefined) this.#keys.add(row.key);
    (change.transition.signals ??= []).push(row);
    this.#kept.push({ row, value, wait });
  }

  /** @param wait the wait that receives it; undefined: the signal is dropped. */
  take(change: Change, signal: KeptSignal, wait: Wait | undefined): void {
    (change.transition.takenSignals ??= []).push({ seq: signal.row.seq, node: wait?.id ?? "" });
    this.#kept = this.#kept.filter((other) => other !== signal);
  }

  /** Unassigns signals whose attempt is gone, for the next attempt. */
  releaseHeld(isGone: (wait: Wait) => boolean): void {
    for (const signal of this.#kept) {
      if (!signal.wait || !isGone(signal.wait)) continue;
      signal.wait = undefined;
      signal.value = signal.row.payload;
    }
  }
}
