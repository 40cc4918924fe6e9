/** Readiness checks of the app, each with a timeout. Checks may be expensive and probes frequent, so a result is used for a second. */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";

/** Passes by returning, fails by throwing; `signal` aborts at the timeout. */
export type ReadyCheck = (signal: AbortSignal) => unknown;
export type ReadyChecks = Readonly<Record<string, ReadyCheck>>;

const CACHE_MS = 1000;
/** Probes usually time out after a few seconds; the result must come before. */
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

  /** Names of failing checks. Cached for a second; concurrent callers share the result. */
  failed(): Promise<string[]> {
    if (this.#last && this.#clock.elapsed() < this.#last.untilMs) return this.#last.failed;
    const last = { failed: this.#run(), untilMs: Number.POSITIVE_INFINITY };
    this.#last = last;
    // Counts from the result, not from the request.
    void last.failed.then(() => (last.untilMs = this.#clock.elapsed() + CACHE_MS));
    return last.failed;
  }

  async #run(): Promise<string[]> {
    const names = Object.keys(this.#checks);
    const errors = await Promise.all(Object.values(this.#checks).map((check) => this.#errorOf(check)));
    const failed = names.filter((_, at) => errors[at] !== undefined);
    names.forEach((name, at) => this.#notify(name, errors[at]?.error, errors[at] !== undefined));
    return failed;
  }

  /** Undefined if it passes. */
  async #errorOf(check: ReadyCheck): Promise<{ error: unknown } | undefined> {
    const controller = new AbortController();
    let timer = { cancel: (): void => undefined };
    const late = new Promise<never>((_, reject) => {
      timer = this.#clock.schedule(CHECK_TIMEOUT_MS, () => {
        controller.abort();
        reject(new Error(`The check timed out after ${CHECK_TIMEOUT_MS / 1000} s`));
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

  /** Logs the start and the end of a failure once each, because probes come every few seconds. */
  #notify(check: string, err: unknown, isFailing: boolean): void {
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
