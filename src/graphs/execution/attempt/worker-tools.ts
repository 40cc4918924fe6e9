/**
 * Gives workers `ctx.fetch`, which follows the SSRF rules. Each engine and each worker thread has its own instance. A request ends with the
 * attempt that made it.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import {
  createGuardedFetch,
  fetchUntil,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedInit,
} from "../../../tools/guarded-fetch.ts";

/** Serializable, so that a thread can receive it. */
export interface WorkerToolOptions {
  /** Limits of `ctx.fetch`. Default: the public internet, "1m", 10 MiB. */
  fetch?: Pick<GuardedFetchOptions, "allowCidrs" | "timeout" | "maxBytes">;
}

/** The part of a worker's context that makes requests. */
export interface ToolCalls {
  /**
   * `fetch` for untrusted URLs: reaches public addresses and the ranges of the app's `tools.fetch` only. Ends with the attempt.
   * @throws SvcError `SVC_SSRF`, `SVC_WEBHOOK_URL`, `SVC_UPSTREAM`.
   */
  fetch(input: string | URL | Request, init?: GuardedInit): Promise<Response>;
}

export class WorkerTools {
  readonly #clock: Clock;
  #fetch: GuardedFetch | undefined;

  /** @throws SvcError `SVC_CONFIG` for an invalid range, when the engine is created and not during a run. */
  constructor(options: WorkerToolOptions, clock: Clock) {
    this.#clock = clock;
    if (options.fetch) this.#fetch = createGuardedFetch({ ...options.fetch, clock });
  }

  /** The tools of one attempt. @param signal aborts its requests */
  calls(signal: AbortSignal): ToolCalls {
    return { fetch: (input, init) => fetchUntil(this.#fetcher(), signal)(input, init) };
  }

  /** Aborts open requests. */
  async close(): Promise<void> {
    await this.#fetch?.close();
  }

  #fetcher(): GuardedFetch {
    return (this.#fetch ??= createGuardedFetch({ clock: this.#clock }));
  }
}
