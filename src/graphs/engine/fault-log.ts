/**
 * Faults of the store, as the log has them. On a full disk, or while a database is away, each graph under way fails once a second, all for
 * one reason: that is told in full once, and then once a minute with how often it was.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";

/** For so long nothing more is said of the same reason. */
const QUIET_MS = 60_000;

export class FaultLog {
  readonly #log: Log;
  readonly #clock: Clock;
  /** By reason: when it was told, and how often it has come since. */
  readonly #told = new Map<string, { atMs: number; more: number }>();

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** @param message what failed, of one graph, and what is done about it */
  failed(graphId: string, err: unknown, message: string): void {
    const reason = err instanceof Error ? err.message : String(err);
    const told = this.#told.get(reason);
    const nowMs = this.#clock.elapsed();
    if (told && nowMs - told.atMs < QUIET_MS) return void told.more++;
    this.#forgetBefore(nowMs - QUIET_MS);
    this.#told.set(reason, { atMs: nowMs, more: 0 });
    const { more = 0 } = told ?? {};
    if (more === 0) this.#log.error({ graphId, err }, message);
    else
      this.#log.error(
        { graphId, err, more },
        `${message} For the same reason ${more} more failed since that was told.`,
      );
  }

  #forgetBefore(ms: number): void {
    for (const [reason, { atMs }] of this.#told) if (atMs <= ms) this.#told.delete(reason);
  }
}
