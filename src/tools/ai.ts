/**
 * A call of a language model: chat completions, as OpenAI defined them and most servers speak them
 * (https://platform.openai.com/docs/api-reference/chat). Thin on purpose: messages in, text out, what it cost.
 *
 * There is no address built in. Nothing is sent anywhere until an app names its endpoint, and then to that alone: through the
 * guarded fetch, so an endpoint inside the network (a model on the same machine) is named in `allowCidrs`.
 */
import { durationMs, systemClock, type Clock, type Duration } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import { AnswerSoFar, type AiAnswer } from "./ai-answer.ts";
import { aiError, refusedBy } from "./ai-error.ts";
import type { Caller } from "./caller.ts";
import { readEvents } from "./event-lines.ts";
import { createGuardedFetch, type GuardedFetch } from "./guarded-fetch.ts";
import { TextEvents } from "./text-events.ts";

export interface AiOptions {
  /** What stands before `/chat/completions`: `http://127.0.0.1:11434/v1`. */
  url: string;
  /** Sent as a bearer token, and never told in an error. Default: none. */
  key?: string;
  /** Where a request names no other. */
  model?: string;
  /** Ranges inside the network that the endpoint may be in: `["127.0.0.1/32"]`. Default: none. */
  allowCidrs?: readonly string[];
  /** Longest that one answer may take, to its last word. Default "5m". */
  timeout?: Duration;
  /** Default: the system's. */
  clock?: Clock;
}

/** Part of a conversation, as the endpoint takes it: `{ role: "user", content: "Hello" }`. */
export interface AiMessage {
  role: string;
  content?: Json;
  [more: string]: Json | undefined;
}

export interface AiRequest {
  /** A text alone is one message of the user. */
  messages: string | readonly AiMessage[];
  /** Default: that of `createAi`. */
  model?: string;
  /** Whatever else the endpoint takes: `{ temperature: 0, max_tokens: 300, tools: […] }`. */
  params?: Readonly<Record<string, Json>>;
}

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
  const stream: Ai["stream"] = (request, caller = {}) => streamed(options, fetch, toRequest(request), caller);
  return {
    stream,
    async ask(request, caller = {}) {
      const events = new TextEvents(clock, caller);
      const parts = stream(request, caller);
      try {
        for (let next = await parts.next(); ; next = await parts.next()) {
          if (next.done) return next.value;
          events.add(next.value);
        }
      } finally {
        events.end();
      }
    },
    close: () => fetch.close(),
  };
}

function toRequest(request: AiRequest | string): AiRequest {
  return typeof request === "string" ? { messages: request } : request;
}

async function* streamed(
  options: AiOptions,
  fetch: GuardedFetch,
  request: AiRequest,
  caller: Caller,
): AsyncGenerator<string, AiAnswer> {
  const response = await fetch(`${options.url.replace(/\/$/, "")}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(options.key !== undefined && { authorization: `Bearer ${options.key}` }),
    },
    body: JSON.stringify(bodyOf(options, request)),
    ...(caller.signal && { signal: caller.signal }),
    // A key goes to the endpoint that was named, and to no other.
    redirect: "error",
  });
  if (!response.ok) throw await refusedBy(response, options.key);
  const answer = new AnswerSoFar();
  for await (const data of dataOf(response)) {
    if (data === "[DONE]") break;
    const text = answer.add(data);
    if (text !== "") yield text;
  }
  const whole = answer.whole();
  if (whole.usage) caller.emit?.("ai.usage", { model: whole.model, ...whole.usage });
  return whole;
}

function bodyOf(options: AiOptions, { messages, model, params }: AiRequest): object {
  const named = model ?? options.model;
  return {
    ...(named !== undefined && { model: named }),
    messages: typeof messages === "string" ? [{ role: "user", content: messages }] : messages,
    stream: true,
    stream_options: { include_usage: true },
    ...params,
  };
}

/** Some endpoints answer at once, whatever they are asked. */
async function* dataOf(response: Response): AsyncGenerator<string, void> {
  if (response.headers.get("content-type")?.includes("application/json")) yield await response.text();
  else if (response.body) yield* readEvents(response.body);
  else throw aiError("it has sent no body");
}
