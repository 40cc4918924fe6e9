/**
 * Begins attempts one after the other, and gives the event loop a turn after each that held it up: what others say is heard between them,
 * and that this process is there is told. Those that hold nothing up begin at once.
 */
import type { Clock } from "../../platform/shared/clock.ts";

/** What holds the loop for longer is not followed by another at once: much more than an attempt that does nothing takes, and little to wait. */
const LONG_MS = 5;

export class Starts {
  readonly #clock: Clock;
  /** In their order; those before `#next` have begun. */
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
