/**
 * Timers that are due at a time of the wall clock: sleeps, retries, deadlines. One timer of the clock serves all of them. It looks at the
 * wall clock in between, which may be set, and which runs on while a machine is suspended. Timers that are due together fire in slices,
 * with turns of the event loop between them.
 */
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import { Heap } from "./queue/heap.ts";

/** A look costs nothing, so the shortest interval is short. */
const LOOK_MS = 10_000;
/** Longest interval. Timers far in the future are looked at less often: a change of the clock seldom makes them due. */
const MAX_LOOK_MS = 3_600_000;
/** Share of the remaining time between two looks. */
const LOOKS = 64;
/** Time for due timers before a turn of the event loop, in which their commits are written and answered as well. */
const SLICE_MS = 5;
/** Timers per look at the slice's time. */
const STRIDE = 16;
/** Cancelled timers are removed once they are most of all. */
const MIN_GARBAGE = 64;

interface DueTimer extends Timer {
  readonly order: number;
  readonly seq: number;
  run: (() => void) | undefined;
}

export class DueTimers {
  readonly #clock: Clock;
  #heap = new Heap<DueTimer>();
  #seq = 0;
  #cancelled = 0;
  #armed: { timer: Timer; dueMs: number } | undefined;
  #isFiring = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `run` once, when the wall clock has reached this time. It must not throw. */
  at(dueMs: number, run: () => void): Timer {
    const entry: DueTimer = { order: dueMs, seq: this.#seq++, run, cancel: () => this.#cancel(entry) };
    this.#heap.push(entry);
    this.#arm();
    return entry;
  }

  #cancel(entry: DueTimer): void {
    if (!entry.run) return;
    entry.run = undefined;
    if (++this.#cancelled < MIN_GARBAGE || this.#cancelled * 2 < this.#heap.size) return;
    const kept = new Heap<DueTimer>();
    for (let next = this.#heap.pop(); next; next = this.#heap.pop()) if (next.run) kept.push(next);
    this.#heap = kept;
    this.#cancelled = 0;
  }

  /** The first timer that is not cancelled. */
  #first(): DueTimer | undefined {
    let first = this.#heap.peek();
    while (first && !first.run) {
      this.#heap.pop();
      this.#cancelled--;
      first = this.#heap.peek();
    }
    return first;
  }

  #arm(): void {
    const first = this.#first();
    if (this.#isFiring || (first && this.#armed && this.#armed.dueMs <= first.order)) return;
    this.#armed?.timer.cancel();
    this.#armed = undefined;
    if (!first) return;
    const leftMs = Math.max(0, first.order - this.#clock.now());
    const lookMs = Math.min(MAX_LOOK_MS, Math.max(LOOK_MS, leftMs / LOOKS));
    const timer = this.#clock.schedule(Math.min(leftMs, lookMs), () => {
      this.#armed = undefined;
      this.#fire();
    });
    this.#armed = { timer, dueMs: first.order };
  }

  #fire(): void {
    this.#isFiring = true;
    const beganMs = this.#clock.elapsed();
    const nowMs = this.#clock.now();
    let isLate = false;
    for (let fired = 1; !isLate; fired++) {
      const first = this.#first();
      if (!first || first.order > nowMs) break;
      this.#heap.pop();
      const { run } = first;
      first.run = undefined;
      run?.();
      isLate = fired % STRIDE === 0 && this.#clock.elapsed() - beganMs >= SLICE_MS;
    }
    if (isLate) return void setImmediate(() => this.#fire());
    this.#isFiring = false;
    this.#arm();
  }
}
