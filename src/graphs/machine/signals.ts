/**
 * Signals of a run that no wait has received. The store has them; they are loaded with the run. No operation depends on their number, so a
 * run may receive any number of signals.
 */
import { LazyMap } from "../../platform/shared/collections/lazy-map.ts";
import { LazySet } from "../../platform/shared/collections/lazy-set.ts";
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
  readonly wait: Wait | undefined;
}

interface Kept extends KeptSignal {
  wait: Wait | undefined;
}

export class Signals {
  /** Without a wait, by name, in the order of their numbers. */
  readonly #free = new LazyMap<string, Map<number, Kept>>();
  readonly #assigned = new LazyMap<Wait, Kept>();
  readonly #keys = new LazySet<string>();

  constructor(rows: readonly SignalRow[]) {
    for (const row of rows) this.#release({ row, value: row.payload, wait: undefined });
  }

  /** Whether a signal with this idempotency key was sent since the run was loaded. */
  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Whether a signal of this name is kept. */
  hasName(name: string): boolean {
    return this.#free.has(name) || this.#taken().some(({ row }) => row.name === name);
  }

  /** Whether a step of this node will receive this event. */
  hasEvent(nodeId: string, event: EventId): boolean {
    const kept = [...this.#free.values()].flatMap((byNumber) => [...byNumber.values()]);
    return [...kept, ...this.#taken()].some(({ row }) => {
      const step = stepOfEventSignal(row.name);
      return step !== undefined && ownerOf(step) === nodeId && startKey(eventIn(row.payload)) === startKey(event);
    });
  }

  /** The first unassigned signal of a name. */
  first(name: string): KeptSignal | undefined {
    return this.#free.get(name)?.values().next().value;
  }

  /** The signal that is assigned to this wait. */
  of(wait: Wait): KeptSignal | undefined {
    return this.#assigned.get(wait);
  }

  /** Reserves a signal for a wait, while its payload is validated. */
  assign(signal: KeptSignal, wait: Wait): void {
    this.#forget(signal);
    this.#assigned.set(wait, Object.assign(signal, { wait }));
  }

  add(change: Change, row: SignalRow, wait: Wait | undefined, value: Json): void {
    if (row.key !== undefined) this.#keys.add(row.key);
    (change.transition.signals ??= []).push(row);
    const signal = { row, value, wait };
    if (wait) this.#assigned.set(wait, signal);
    else this.#release(signal);
  }

  /** @param wait the wait that receives it; undefined: the signal is dropped. */
  take(change: Change, signal: KeptSignal, wait: Wait | undefined): void {
    (change.transition.takenSignals ??= []).push({ seq: signal.row.seq, node: wait?.id ?? "" });
    this.#forget(signal);
  }

  /** Unassigns signals whose attempt is gone, for the next attempt. */
  releaseHeld(isGone: (wait: Wait) => boolean): void {
    const gone = [...this.#assigned.values()].filter(({ wait }) => wait && isGone(wait));
    if (gone.length === 0) return;
    for (const signal of gone) {
      this.#forget(signal);
      this.#release(Object.assign(signal, { wait: undefined, value: signal.row.payload }));
    }
    // They were sent before those that stayed free.
    for (const name of new Set(gone.map(({ row }) => row.name))) this.#sort(name);
  }

  /** Those that a wait will receive. */
  #taken(): Kept[] {
    return [...this.#assigned.values()];
  }

  #release(signal: Kept): void {
    const { name, seq } = signal.row;
    const free = this.#free.get(name);
    if (free) free.set(seq, signal);
    else this.#free.set(name, new Map([[seq, signal]]));
  }

  #forget({ row, wait }: KeptSignal): void {
    if (wait) return this.#assigned.delete(wait);
    const free = this.#free.get(row.name);
    free?.delete(row.seq);
    if (free?.size === 0) this.#free.delete(row.name);
  }

  #sort(name: string): void {
    const free = [...(this.#free.get(name) ?? [])].sort(([a], [b]) => a - b);
    this.#free.set(name, new Map(free));
  }
}
