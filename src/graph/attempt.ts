/**
 * One attempt of a node: calls the worker with its context, ends it on timeout or abort, and says how it came out. What
 * the outcome means for the graph is the machine's to decide.
 */
import { durationMs, type Clock, type Duration } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { Failure, NodeRow } from "../store/contract.ts";
import { isFinalError } from "./final-error.ts";
import { toJson } from "./json-value.ts";
import type { Worker, WorkerContext } from "./types.ts";

export type Outcome =
  | { kind: "done"; result: Json }
  | { kind: "failed"; error: Failure; isFinal: boolean }
  | { kind: "aborted" };

/** Where an attempt tells of itself; what comes after its end is not taken. */
export interface AttemptSink {
  event(type: "log" | "custom", data: Json): void;
  progress(value: number, note: string | undefined): void;
}

export interface AttemptOptions {
  node: NodeRow;
  worker: Worker<never, unknown>;
  /** Longest it may run; undefined: for ever. */
  timeout: Duration | undefined;
  input: unknown;
  deps: Record<string, Json>;
  clock: Clock;
  /** Aborted by cancel and shutdown. */
  controller: AbortController;
  sink: AttemptSink;
}

/** Never rejects. After an abort it does not wait for a worker that ignores its signal. */
export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { node, timeout, clock, controller } = options;
  const timer =
    timeout === undefined
      ? undefined
      : clock.schedule(durationMs(timeout), () => controller.abort(new AttemptTimeout(String(timeout))));
  const aborted = whenAborted(controller.signal);
  try {
    const result = await Promise.race([run(options), aborted.promise]);
    return { kind: "done", result: toJson(result, `the result of "${node.id}"`) };
  } catch (error) {
    if (controller.signal.aborted && error === controller.signal.reason) return afterAbort(error, node.id);
    return {
      kind: "failed",
      error: { message: messageOf(error), reason: "error", node: node.id },
      isFinal: isFinalError(error),
    };
  } finally {
    timer?.cancel();
    aborted.stop();
  }
}

class AttemptTimeout extends Error {
  constructor(limit: string) {
    super(`No result within ${limit}`);
  }
}

function afterAbort(reason: unknown, node: string): Outcome {
  if (!(reason instanceof AttemptTimeout)) return { kind: "aborted" };
  return { kind: "failed", error: { message: reason.message, reason: "timeout", node }, isFinal: false };
}

/** An async function, so that a worker that throws at once and one that rejects look the same. */
async function run(options: AttemptOptions): Promise<unknown> {
  return options.worker.run(options.input as never, contextOf(options));
}

function whenAborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    stop = () => signal.removeEventListener("abort", onAbort);
  });
  // The race may have been decided before; a late rejection is not news.
  promise.catch(() => undefined);
  return { promise, stop };
}

function contextOf({ node, deps, controller, sink }: AttemptOptions): WorkerContext {
  return {
    graphId: node.graphId,
    nodeId: node.id,
    attempt: node.attempt,
    epoch: node.epoch,
    signal: controller.signal,
    deps,
    idempotencyKey: (part) => [node.graphId, node.id, node.epoch, ...(part === undefined ? [] : [part])].join("/"),
    // As text, whatever it is: what is only told must not fail the node.
    log: (level, message) => sink.event("log", { level: String(level), message: String(message) }),
    emit: (name, data) => sink.event("custom", { name, data: toJson(data, `the data of "${name}"`) }),
    progress: (value, note) => sink.progress(Math.min(1, Math.max(0, value)), note),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
