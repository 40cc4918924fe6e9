/**
 * Logs faults of the store. With a full disk or a missing database, every active run fails once a second for the same reason: the first
 * failure is logged in full, then once a minute with a count.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";

/** Time without repeated log lines for the same reason. */
const QUIET_MS = 60_000;

export class FaultLog {
  readonly #log: Log;
  readonly #clock: Clock;
  /** By reason: time of the last log line, and number of failures since. */
  readonly #reported = new Map<string, { atMs: number; more: number }>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** @param message what failed for one run, and what svc does about it */
  failed(graphId: string, err: unknown, message: string): void {
    const reason = err instanceof Error ? err.message : String(err);
    const reported = this.#reported.get(reason);
    const nowMs = this.#clock.elapsed();
    if (reported && nowMs - reported.atMs < QUIET_MS) return void reported.more++;
    this.#forgetBefore(nowMs - QUIET_MS);
    this.#reported.set(reason, { atMs: nowMs, more: 0 });
    const { more = 0 } = reported ?? {};
    if (more === 0) this.#log.error({ graphId, err }, message);
    else
      this.#log.error(
        { graphId, err, more },
        `${message} ${more} more failed for the same reason since the last message.`,
      );
  }

  #forgetBefore(ms: number): void {
    for (const [reason, { atMs }] of this.#reported) if (atMs <= ms) this.#reported.delete(reason);
  }
}
