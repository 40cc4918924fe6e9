/** Progress at most ten times a second per graph; the first and the last value always get through. */
import type { Clock, Timer } from "../shared/clock.ts";

/** 10 Hz: faster than anybody reads, slow enough for a journal. */
const INTERVAL_MS = 100;

export interface ProgressValue {
  value: number;
  note?: string;
}

export class ProgressThrottle {
  readonly #clock: Clock;
  readonly #write: (progress: ProgressValue) => void;
  #lastMs = Number.NEGATIVE_INFINITY;
  #waiting: ProgressValue | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, write: (progress: ProgressValue) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  set(value: number, note: string | undefined): void {
    this.#waiting = note === undefined ? { value } : { value, note };
    const waitMs = this.#lastMs + INTERVAL_MS - this.#clock.now();
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
    this.#lastMs = this.#clock.now();
    this.#write(progress);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#waiting = undefined;
  }
}
