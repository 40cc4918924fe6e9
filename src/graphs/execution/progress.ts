/** Progress and summary of a run from its workers, at a limited rate. The last call wins; progress of 0 and 1 is always written. */
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { RunMessage } from "../machine/run-message.ts";
import type { Said } from "../machine/progress-events.ts";

export class ProgressThrottle {
  readonly #clock: Clock;
  readonly #run: { post(message: RunMessage): void };
  readonly #intervalMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #waiting: Said | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, perSecond: number, run: { post(message: RunMessage): void }) {
    this.#clock = clock;
    this.#intervalMs = 1000 / perSecond;
    this.#run = run;
  }

  set(value: number, note: string | undefined): void {
    this.#waiting = { ...this.#waiting, progress: note === undefined ? { value } : { value, note } };
    this.#report(value === 0 || value === 1);
  }

  summarize(summary: string): void {
    this.#waiting = { ...this.#waiting, summary };
    this.#report(false);
  }

  #report(isAtOnce: boolean): void {
    const waitMs = this.#lastMs + this.#intervalMs - this.#clock.elapsed();
    if (isAtOnce || waitMs <= 0) this.flush();
    else this.#timer ??= this.#clock.schedule(waitMs, () => this.flush());
  }

  /** Writes a pending summary, so that it is stored before the node's result. */
  flushSummary(): void {
    if (this.#waiting?.summary !== undefined) this.flush();
  }

  /** Writes pending values. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const said = this.#waiting;
    this.#waiting = undefined;
    if (!said) return;
    this.#lastMs = this.#clock.elapsed();
    this.#run.post({ type: "progressed", said });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#waiting = undefined;
  }
}
