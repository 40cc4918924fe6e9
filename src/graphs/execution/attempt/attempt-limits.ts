/**
 * Timeout and heartbeat of an attempt. Both stop while the attempt waits for a sleep or a signal, because it holds no slot then.
 * attempt.ts decides what an expired limit means.
 */
import { durationMs, type Clock, type Duration, type Timer } from "../../../platform/shared/clock.ts";

/** Abort reason of an attempt that exceeded its timeout or its heartbeat. */
export class AttemptTimeout extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AttemptTimeout";
  }
}

export interface LimitOptions {
  clock: Clock;
  /** Timeout; undefined: none. */
  timeout: Duration | undefined;
  /** Longest time without a heartbeat; undefined: none. */
  heartbeat: Duration | undefined;
  /** The time starts with the first heartbeat, at the beginning and after each wait. */
  isQueued?: boolean;
  abort: (reason: AttemptTimeout) => void;
}

export class AttemptLimits {
  readonly #options: LimitOptions;
  #timeoutLeftMs: number;
  readonly #silenceMs: number;
  #runningSinceMs: number;
  #lastBeatMs: number;
  #isQueued: boolean;
  #timeout: Timer | undefined;
  #watch: Timer | undefined;

  constructor(options: LimitOptions) {
    this.#options = options;
    this.#timeoutLeftMs = options.timeout === undefined ? Infinity : durationMs(options.timeout);
    this.#silenceMs = options.heartbeat === undefined ? Infinity : durationMs(options.heartbeat);
    this.#runningSinceMs = this.#lastBeatMs = options.clock.elapsed();
    this.#isQueued = options.isQueued === true;
    if (!this.#isQueued) this.#arm();
  }

  /** Records a heartbeat. Cheap: the timer reads it when it fires. */
  beat(): void {
    if (this.#isQueued) return this.#begin();
    this.#lastBeatMs = this.#options.clock.elapsed();
  }

  /** Stops the time while the attempt waits, until `resume`. */
  hold(): void {
    this.stop();
    if (!this.#isQueued) this.#timeoutLeftMs -= this.#options.clock.elapsed() - this.#runningSinceMs;
  }

  resume(): void {
    this.#isQueued = this.#options.isQueued === true;
    if (!this.#isQueued) this.#begin();
  }

  #begin(): void {
    this.#isQueued = false;
    this.#runningSinceMs = this.#lastBeatMs = this.#options.clock.elapsed();
    this.#arm();
  }

  stop(): void {
    this.#timeout?.cancel();
    this.#watch?.cancel();
  }

  #arm(): void {
    const { clock, timeout, abort } = this.#options;
    if (this.#timeoutLeftMs !== Infinity) {
      const late = (): void => abort(new AttemptTimeout(`No result within ${timeout}`));
      this.#timeout = clock.schedule(Math.max(0, this.#timeoutLeftMs), late);
    }
    if (this.#silenceMs !== Infinity) this.#watchFor(this.#silenceMs);
  }

  /** One timer for all heartbeats, because an attempt may send a thousand in a second. */
  #watchFor(inMs: number): void {
    const { clock, heartbeat, abort } = this.#options;
    this.#watch = clock.schedule(inMs, () => {
      const leftMs = this.#lastBeatMs + this.#silenceMs - clock.elapsed();
      if (leftMs > 0) this.#watchFor(leftMs);
      else
        abort(new AttemptTimeout(`No heartbeat within ${heartbeat}: no progress, log, event, step or ctx.heartbeat()`));
    });
  }
}
