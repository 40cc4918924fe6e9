/**
 * Whether the app should be sent work: its author's checks, each with its own time. Checks may be dear and probes are many, so
 * an outcome counts for a second.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";

/** Passes by returning, fails by throwing; `signal` aborts when its time is over. */
export type ReadyCheck = (signal: AbortSignal) => unknown;
export type ReadyChecks = Readonly<Record<string, ReadyCheck>>;

const CACHE_MS = 1000;
/** Probes usually give up after a few seconds; the answer must come before that. */
const CHECK_TIMEOUT_MS = 2000;

export class Readiness {
  readonly #checks: ReadyChecks;
  readonly #clock: Clock;
  readonly #log: Log;
  #last: { failed: Promise<string[]>; untilMs: number } | undefined;
  #failing = new Set<string>();

  constructor(checks: ReadyChecks, clock: Clock, log: Log) {
    this.#checks = checks;
    this.#clock = clock;
    this.#log = log;
  }

  /** Names of the checks that fail. Asked again within a second, or while it is being found out, it is the same answer. */
  failed(): Promise<string[]> {
    if (this.#last && this.#clock.elapsed() < this.#last.untilMs) return this.#last.failed;
    const last = { failed: this.#run(), untilMs: Number.POSITIVE_INFINITY };
    this.#last = last;
    // From when it is known, not from when it was asked for.
    void last.failed.then(() => (last.untilMs = this.#clock.elapsed() + CACHE_MS));
    return last.failed;
  }

  async #run(): Promise<string[]> {
    const names = Object.keys(this.#checks);
    const errors = await Promise.all(Object.values(this.#checks).map((check) => this.#errorOf(check)));
    const failed = names.filter((_, at) => errors[at] !== undefined);
    names.forEach((name, at) => this.#tell(name, errors[at]?.error, errors[at] !== undefined));
    return failed;
  }

  /** Undefined when it passes. */
  async #errorOf(check: ReadyCheck): Promise<{ error: unknown } | undefined> {
    const controller = new AbortController();
    let timer = { cancel: (): void => undefined };
    const late = new Promise<never>((_, reject) => {
      timer = this.#clock.schedule(CHECK_TIMEOUT_MS, () => {
        controller.abort();
        reject(new Error(`No outcome within ${CHECK_TIMEOUT_MS / 1000} s`));
      });
    });
    try {
      await Promise.race([(async () => check(controller.signal))(), late]);
      return undefined;
    } catch (error) {
      return { error };
    } finally {
      timer.cancel();
    }
  }

  /** Once when it begins to fail and once when it passes again: probes come every few seconds. */
  #tell(check: string, err: unknown, isFailing: boolean): void {
    if (isFailing === this.#failing.has(check)) return;
    if (isFailing) {
      this.#failing.add(check);
      this.#log.warn({ check, err }, "Not ready: a check fails");
    } else {
      this.#failing.delete(check);
      this.#log.info({ check }, "A check passes again");
    }
  }
}
