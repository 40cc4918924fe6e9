/** Deadlines with the same length: they end in the order in which they began, so one timer is enough. */
import type { Clock, Timer } from "../../platform/shared/clock.ts";

/** Something with a deadline. */
export interface Deadline {
  expire(): void;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #dueMs = new Map<Deadline, number>();
  #timer: Timer | undefined;

  /** @param timeoutMs length of each deadline */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  add(deadline: Deadline): void {
    this.#dueMs.set(deadline, this.#clock.elapsed() + this.#timeoutMs);
    this.#timer ??= this.#clock.schedule(this.#timeoutMs, () => this.#expire());
  }

  /** It has ended in time. */
  remove(deadline: Deadline): void {
    this.#dueMs.delete(deadline);
    if (this.#dueMs.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.elapsed();
    for (const [deadline, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) {
        this.#timer = this.#clock.schedule(dueMs - nowMs, () => this.#expire());
        return;
      }
      this.#dueMs.delete(deadline);
      deadline.expire();
    }
  }
}
