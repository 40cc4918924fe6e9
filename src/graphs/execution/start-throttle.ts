/**
 * Starts attempts one after the other, with a turn of the event loop after each one that blocked it, so that messages are handled and
 * heartbeats are sent in between.
 */
import type { Clock } from "../../platform/shared/clock.ts";

/** An attempt that blocks the loop for longer is followed by a turn: much more than an empty attempt takes, and a short wait. */
const LONG_MS = 5;

export class Starts {
  readonly #clock: Clock;
  /** In order; those before `#next` have started. */
  #waiting: (() => void)[] = [];
  #next = 0;
  #isHeld = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param begin must not throw. */
  add(begin: () => void): void {
    if (this.#isHeld) this.#waiting.push(begin);
    else this.#begin(begin);
  }

  #begin(begin: () => void): void {
    const startedMs = this.#clock.elapsed();
    begin();
    const heldMs = this.#clock.elapsed() - startedMs;
    if (heldMs < LONG_MS) return;
    this.#isHeld = true;
    setImmediate(() => this.#goOn());
  }

  #goOn(): void {
    this.#isHeld = false;
    while (!this.#isHeld && this.#next < this.#waiting.length) this.#begin(this.#waiting[this.#next++] as () => void);
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
