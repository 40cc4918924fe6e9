/**
 * Actions that stream: a line of JSON for each value as soon as it exists, and the envelope at the end. Clients that do not request lines
 * get all values as one array.
 */
import { endEarly } from "../../platform/http/response/close-iterator.ts";
import { orSilence, withHeartbeat, type HeartbeatOptions } from "../../platform/http/response/heartbeat.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { ACTION_STREAM_TYPE, type ActionLine } from "../../platform/shared/wire.ts";
import { startDeadline, type Deadline } from "./action-timeout.ts";
import { withContext } from "../pipeline/current-request.ts";
import { streamSignal } from "../services.ts";
import { outcomeOf, success, type ActionCall } from "./action-response.ts";

/** A stream may be endless; an array must not. */
const MAX_COLLECTED = 10_000;

/** Whether a request asks for lines. */
export function wantsStream(ctx: Context): boolean {
  return (ctx.header("accept") ?? "").split(",").some((part) => part.split(";", 1)[0]?.trim() === ACTION_STREAM_TYPE);
}

/** All values of a stream. @throws SvcError `SVC_TOO_LARGE` */
export async function collectStream(values: AsyncGenerator<unknown, void, void>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const value of values) {
    if (found.length === MAX_COLLECTED)
      throw new SvcError(
        "SVC_TOO_LARGE",
        `The action returned more than ${MAX_COLLECTED} values. Request them one by one with Accept: ${ACTION_STREAM_TYPE}`,
      );
    found.push(value ?? null);
  }
  return found;
}

/** The response as lines. @throws errors from before the first value, so that they have their own status */
export async function streamReply(call: ActionCall, args: readonly Json[]): Promise<Result> {
  const deadline = startDeadline(call);
  const stream = new ActionStream(call, within(call.ctx, call.spec.stream(args)), deadline);
  await stream.open();
  const headers = [
    "content-type",
    ACTION_STREAM_TYPE,
    // A compressing proxy would delay lines.
    "cache-control",
    "no-store, no-transform",
    "x-accel-buffering",
    "no",
    ...call.headers,
  ];
  return { status: 200, headers, body: stream };
}

/** The body of one response. A reader that stops also ends the action, even before the first line. */
class ActionStream implements AsyncIterable<string> {
  readonly #call: ActionCall;
  readonly #source: AsyncIterator<unknown, void>;
  readonly #deadline: Deadline | undefined;
  readonly #signal: AbortSignal;
  readonly #first: Promise<IteratorResult<unknown, void>>;

  constructor(call: ActionCall, source: AsyncIterator<unknown, void>, deadline: Deadline | undefined) {
    this.#call = call;
    this.#source = source;
    this.#deadline = deadline;
    this.#signal = streamSignal(call.ctx, call.services);
    this.#first = source.next();
  }

  /** Waits for the first value, but sends the headers if that takes too long. */
  async open(): Promise<void> {
    try {
      if ((await orSilence(this.#first, this.#options)) === "aborted") throw this.#reason();
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<string, void> {
    const texts = this.#texts();
    return {
      next: () => texts.next(),
      return: () => {
        this.#end();
        return texts.return();
      },
    };
  }

  get #options(): HeartbeatOptions {
    return { clock: this.#call.services.clock, signal: this.#signal };
  }

  async *#texts(): AsyncGenerator<string, void, void> {
    try {
      for await (const text of withHeartbeat(this.#lines(), this.#options)) yield text ?? "\n";
      if (this.#signal.aborted) yield this.#failure(this.#reason());
    } finally {
      this.#end();
    }
  }

  async *#lines(): AsyncGenerator<string, void, void> {
    try {
      for (let step = await this.#first; step.done !== true; step = await this.#source.next())
        yield line({ value: step.value ?? null });
      yield line({ ...success(null), status: 200 });
    } catch (error) {
      yield this.#failure(error);
    }
  }

  #failure(error: unknown): string {
    const { status, reply } = outcomeOf(this.#call, error);
    return line({ ...reply, status });
  }

  /** Why it ends before its action does. */
  #reason(): unknown {
    if (this.#deadline?.signal.aborted === true) return this.#deadline.signal.reason;
    if (this.#call.ctx.signal.aborted) return this.#call.ctx.signal.reason;
    return new SvcError("SVC_UNAVAILABLE", "The server is closing");
  }

  #end(): void {
    this.#deadline?.stop();
    endEarly(this.#source);
  }
}

function line(content: ActionLine): string {
  return `${JSON.stringify(content)}\n`;
}

/** Runs each step of a generator within the request, because a step runs where it is requested. */
function within(ctx: Context, steps: AsyncGenerator<unknown, void, void>): AsyncIterator<unknown, void> {
  return {
    next: () => withContext(ctx, () => steps.next()),
    return: () => withContext(ctx, () => steps.return()),
  };
}
