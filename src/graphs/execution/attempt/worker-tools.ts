/**
 * What a worker's context reaches the outside with: `ctx.fetch` under the SSRF rules, `ctx.ai` to the endpoint the app names. Each engine
 * and each thread has one of these; what is called through it ends with the attempt that called.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { AiAnswer } from "../../../tools/ai-answer.ts";
import type { AiOptions, AiRequest } from "../../../tools/ai-request.ts";
import { createAi, type Ai } from "../../../tools/ai.ts";
import type { Caller } from "../../../tools/caller.ts";
import {
  createGuardedFetch,
  fetchUntil,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedInit,
} from "../../../tools/guarded-fetch.ts";

/** All of it can be handed to a thread. */
export interface WorkerToolOptions {
  /** What `ctx.fetch` may reach, how long it may take and how much it may read. Default: the public internet, "1m", 10 MiB. */
  fetch?: Pick<GuardedFetchOptions, "allowCidrs" | "timeout" | "maxBytes">;
  /** The endpoint of `ctx.ai`. Default: none, and nothing is sent to anyone. */
  ai?: Omit<AiOptions, "clock">;
}

/** Calls of a language model for one attempt: events `ai.text` and `ai.usage` are the graph's, as docs/guide/agents.md tells. */
export interface WorkerAi {
  /** The whole answer. @throws SvcError `SVC_UPSTREAM`; `SVC_CONFIG` where the app names no endpoint. */
  ask(request: AiRequest | string): Promise<AiAnswer>;
  /** The text as it comes; returns the answer. Leaving the loop ends the call. @throws as `ask`. */
  stream(request: AiRequest | string): AsyncGenerator<string, AiAnswer>;
}

/** The part of a worker's context that reaches the outside. */
export interface ToolCalls {
  /**
   * `fetch` for URLs that may come from anyone: it reaches public addresses alone, and what the app's `tools.fetch` adds. Ends with the
   * attempt. @throws SvcError `SVC_SSRF`, `SVC_WEBHOOK_URL`, `SVC_UPSTREAM`.
   */
  fetch(url: string | URL, init?: GuardedInit): Promise<Response>;
  /** The language model that the app's `tools.ai` names. */
  readonly ai: WorkerAi;
}

export class WorkerTools {
  readonly #clock: Clock;
  #fetch: GuardedFetch | undefined;
  #ai: Ai | undefined;

  /** @throws SvcError `SVC_CONFIG` for a bad range: as the engine is made, and not in the middle of a graph. */
  constructor(options: WorkerToolOptions, clock: Clock) {
    this.#clock = clock;
    if (options.fetch) this.#fetch = createGuardedFetch({ ...options.fetch, clock });
    if (options.ai) this.#ai = createAi({ ...options.ai, clock });
  }

  /** The tools as one attempt has them. */
  calls(caller: Required<Caller>): ToolCalls {
    return {
      fetch: (url, init) => fetchUntil(this.#fetcher(), caller.signal)(url, init),
      ai: {
        ask: async (request) => this.#model().ask(request, caller),
        stream: (request) => this.#model().stream(request, caller),
      },
    };
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    await Promise.all([this.#fetch?.close(), this.#ai?.close()]);
  }

  #fetcher(): GuardedFetch {
    return (this.#fetch ??= createGuardedFetch({ clock: this.#clock }));
  }

  #model(): Ai {
    if (this.#ai) return this.#ai;
    const todo = 'name one: createApp({ tools: { ai: { url: "http://127.0.0.1:11434/v1", model: "…" } } })';
    throw new SvcError("SVC_CONFIG", `ctx.ai was called, and the app has no endpoint for it; ${todo}`);
  }
}
