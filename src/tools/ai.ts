/**
 * A call of a language model: chat completions, as OpenAI defined them and most servers speak them
 * (https://platform.openai.com/docs/api-reference/chat). Thin on purpose: messages in, text out, what it cost.
 *
 * There is no address built in. Nothing is sent anywhere until an app names its endpoint, and then to that alone: through the
 * guarded fetch, so an endpoint inside the network (a model on the same machine) is named in `allowCidrs`.
 */
import { durationMs, systemClock } from "../platform/shared/clock.ts";
import type { AiAnswer } from "./ai-answer.ts";
import type { AiOptions, AiRequest } from "./ai-request.ts";
import type { Caller } from "./caller.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/**
 * Calls of a model. Both take a {@link Caller}, such as a worker's context: with its signal the call ends, and it is told
 * `ai.usage` with `{ model, prompt_tokens, completion_tokens, total_tokens }`, where the endpoint says so.
 *
 * Both fail with SvcError `SVC_UPSTREAM` for an endpoint that refuses, breaks off or answers nothing usable, and as the guarded fetch does. A
 * worker that fails so is tried again, unless the endpoint has refused the request itself (400, 401, 404 and the like).
 */
export interface Ai {
  /** The whole answer. While it comes the caller is told `ai.text` with `{ text }`: what has come since, ten times a second at most. */
  ask(request: AiRequest | string, caller?: Caller): Promise<AiAnswer>;
  /** The text as it comes; returns the answer. Leaving the loop ends the call. */
  stream(request: AiRequest | string, caller?: Caller): AsyncGenerator<string, AiAnswer>;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** @throws SvcError `SVC_CONFIG` for a bad range, TypeError for a bad time. */
export function createAi(options: AiOptions): Ai {
  const clock = options.clock ?? systemClock;
  const timeout = durationMs(options.timeout ?? "5m");
  const fetch = createGuardedFetch({ timeout, clock, ...(options.allowCidrs && { allowCidrs: options.allowCidrs }) });
  // Loaded with the first call: most apps make none.
  const calls = () => import("./ai-call.ts");
  return {
    async *stream(request, caller = {}) {
      return yield* (await calls()).streamed(options, fetch, toRequest(request), caller);
    },
    async ask(request, caller = {}) {
      return (await calls()).asked(clock, options, fetch, toRequest(request), caller);
    },
    close: () => fetch.close(),
  };
}

function toRequest(request: AiRequest | string): AiRequest {
  return typeof request === "string" ? { messages: request } : request;
}
