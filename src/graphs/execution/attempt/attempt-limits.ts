/**
 * How long one attempt may run, and how long it may stay silent. Neither counts while the attempt waits for something
 * durable (a sleep, a signal): it holds no place then. What the end means is attempt.ts's to say.
 */
import { durationMs, type Clock, type Duration, type Timer } from "../../../platform/shared/clock.ts";

/** Why an attempt is aborted that took too long, or was silent too long. */
export class AttemptTimeout extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AttemptTimeout";
  }
}

export interface LimitOptions {
  clock: Clock;
  /** Longest it may run; undefined: for ever. */
  timeout: Duration | undefined;
  /** Longest it may tell nothing; undefined: for ever. */
  heartbeat: Duration | undefined;
  /** No time is counted before it tells something, at its beginning and after each wait. */
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

  /** The attempt has told something. Cheap: the timer that watches looks at it when it falls due. */
  beat(): void {
    if (this.#isQueued) return this.#begin();
    this.#lastBeatMs = this.#options.clock.elapsed();
  }

  /** It waits for something durable; until `resume` no time is counted. */
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

  /** One timer for all beats: an attempt may tell something a thousand times a second. */
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
