/**
 * Begins attempts one after the other, and gives the event loop a turn after each that held it up: what others say is heard between them,
 * and that this process is there is told. Those that hold nothing up begin at once.
 */
import type { Clock } from "../../platform/shared/clock.ts";

/** What holds the loop for longer is not followed by another at once: much more than an attempt that does nothing takes, and little to wait. */
const LONG_MS = 5;
/** Between looks whether what others wait for is done: a round trip to a database that is near. */
const REST_MS = 5;
/** Of the time that the loop was held up, how much is waited for that at the most. */
const LONGEST_REST = 0.5;

export class Starts {
  readonly #clock: Clock;
  /** In their order; those before `#next` have begun. */
  #waiting: (() => void)[] = [];
  #next = 0;
  readonly #isAwaited: () => boolean;
  #isHeld = false;

  /** @param isAwaited whether other processes wait for what is under way here. */
  constructor(clock: Clock, isAwaited: () => boolean) {
    this.#clock = clock;
    this.#isAwaited = isAwaited;
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
    setImmediate(() => this.#rest(this.#clock.elapsed() + heldMs * LONGEST_REST));
  }

  #rest(untilMs: number): void {
    if (!this.#isAwaited() || this.#clock.elapsed() >= untilMs) return this.#goOn();
    this.#clock.schedule(REST_MS, () => this.#rest(untilMs));
  }

  #goOn(): void {
    this.#isHeld = false;
    while (!this.#isHeld && this.#next < this.#waiting.length) this.#begin(this.#waiting[this.#next++] as () => void);
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
