/** One call of a model over HTTP. Loaded with the first one; what it promises is told in ai.ts. */
import type { Clock } from "../platform/shared/clock.ts";
import { AnswerSoFar, type AiAnswer } from "./ai-answer.ts";
import { aiError, refusedBy } from "./ai-error.ts";
import type { AiOptions, AiRequest } from "./ai-request.ts";
import type { Caller } from "./caller.ts";
import { readEvents } from "./event-lines.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { TextEvents } from "./text-events.ts";

/** The whole answer; the caller is told the text in pieces. */
export async function asked(
  clock: Clock,
  options: AiOptions,
  fetch: GuardedFetch,
  request: AiRequest,
  caller: Caller,
): Promise<AiAnswer> {
  const events = new TextEvents(clock, caller);
  const parts = streamed(options, fetch, request, caller);
  try {
    for (let next = await parts.next(); ; next = await parts.next()) {
      if (next.done) return next.value;
      events.add(next.value);
    }
  } finally {
    events.end();
  }
}

/** The text as it comes; returns the answer. */
export async function* streamed(
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
