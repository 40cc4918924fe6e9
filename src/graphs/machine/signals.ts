/** Signals of one graph that no wait has taken yet. Kept by the store; read from there as the graph is taken up. */
import type { Json } from "../../platform/shared/json.ts";
import type { SignalRow } from "../../storage/contract/graph-rows.ts";
import type { Change } from "./transition-builder.ts";
import type { Wait } from "./waits.ts";

export interface KeptSignal {
  readonly row: SignalRow;
  /** What the worker gets of it. */
  value: Json;
  /** The wait it is for; undefined: nobody's yet. */
  wait: Wait | undefined;
}

export class Signals {
  #kept: KeptSignal[];
  readonly #keys = new Set<string>();

  constructor(rows: readonly SignalRow[]) {
    this.#kept = rows.map((row) => ({ row, value: row.payload, wait: undefined }));
  }

  /** Whether one with this idempotency key was sent since the graph was taken up. */
  hasKey(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The first of a name that nobody has. */
  first(name: string): KeptSignal | undefined {
    return this.#kept.find(({ row, wait }) => row.name === name && !wait);
  }

  /** The one that is for this wait. */
  of(wait: Wait): KeptSignal | undefined {
    return this.#kept.find((signal) => signal.wait === wait);
  }

  add(change: Change, row: SignalRow, wait: Wait | undefined, value: Json): void {
    if (row.key !== undefined) this.#keys.add(row.key);
    (change.unit.signals ??= []).push(row);
    this.#kept.push({ row, value, wait });
  }

  /** @param wait which takes it; undefined: nobody can, it is done with. */
  take(change: Change, signal: KeptSignal, wait: Wait | undefined): void {
    (change.unit.takenSignals ??= []).push({ seq: signal.row.seq, node: wait?.id ?? "" });
    this.#kept = this.#kept.filter((other) => other !== signal);
  }

  /** The attempts that waited are gone: what was theirs is for the next to take. */
  letGo(isGone: (wait: Wait) => boolean): void {
    for (const signal of this.#kept) {
      if (!signal.wait || !isGone(signal.wait)) continue;
      signal.wait = undefined;
      signal.value = signal.row.payload;
    }
  }
}
