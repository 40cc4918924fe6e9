/** Progress no more often than it may be told for one graph; the first and the last value always get through. */
import type { Clock, Timer } from "../../shared/clock.ts";

export interface ProgressValue {
  value: number;
  note?: string;
}

export class ProgressThrottle {
  readonly #clock: Clock;
  readonly #write: (progress: ProgressValue) => void;
  readonly #intervalMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #waiting: ProgressValue | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, perSecond: number, write: (progress: ProgressValue) => void) {
    this.#clock = clock;
    this.#intervalMs = 1000 / perSecond;
    this.#write = write;
  }

  set(value: number, note: string | undefined): void {
    this.#waiting = note === undefined ? { value } : { value, note };
    const waitMs = this.#lastMs + this.#intervalMs - this.#clock.elapsed();
    if (value === 0 || value === 1 || waitMs <= 0) this.flush();
    else this.#timer ??= this.#clock.schedule(waitMs, () => this.flush());
  }

  /** Writes what waits. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const progress = this.#waiting;
    this.#waiting = undefined;
    if (!progress) return;
    this.#lastMs = this.#clock.elapsed();
    this.#write(progress);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#waiting = undefined;
  }
}
