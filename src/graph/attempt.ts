/**
 * One attempt of a node: calls the worker with its context, ends it on timeout or abort, and says how it came out. What
 * the outcome means for the graph is the machine's to decide.
 */
import type { Clock, Duration } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { Failure, NodeRow } from "../store/graph-rows.ts";
import type { Abort } from "./abort.ts";
import type { DurableCalls, MapCallOptions, WaitOptions } from "./context-types.ts";
import { MAX_LOG_LENGTH, toJson } from "./json-value.ts";
import type { Durable } from "./durable.ts";
import { AttemptLimits, AttemptTimeout } from "./limits.ts";
import type { Kept } from "./machine.ts";
import type { Worker } from "./definition-types.ts";
import type { WorkerContext } from "./worker-types.ts";
import type { ToolCalls, WorkerTools } from "./worker-tools.ts";
import type { ValueLimits } from "./value-limits.ts";

export type Outcome =
  | { kind: "done"; result: Json; kept?: Kept | undefined }
  /** `cause` is what was thrown. */
  | { kind: "failed"; error: Failure; cause: unknown; kept?: Kept | undefined }
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
  /** Longest it may tell nothing; undefined: for ever. */
  heartbeat: Duration | undefined;
  input: unknown;
  deps: Record<string, Json>;
  clock: Clock;
  /** Aborted by cancel and shutdown. */
  controller: Abort;
  sink: AttemptSink;
  durable: (limits: AttemptLimits) => Durable;
  tools: WorkerTools;
  values: ValueLimits;
}

/** Never rejects. After an abort it does not wait for a worker that ignores its signal. */
export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { node, timeout, heartbeat, clock, controller, values } = options;
  const limits = new AttemptLimits({ clock, timeout, heartbeat, abort: (reason) => controller.abort(reason) });
  let durable: Durable | undefined;
  // Made when it is first asked for: most workers do without.
  const context = contextOf(options, limits, () => (durable ??= options.durable(limits)));
  try {
    const result = await controller.race(() => run(options, context));
    return {
      kind: "done",
      result: toJson(result, `the result of "${node.id}"`, values.resultBytes),
      kept: durable?.kept(),
    };
  } catch (error) {
    if (controller.reason !== undefined && error === controller.reason) return afterAbort(error, node.id);
    const failure: Failure = { message: messageOf(error), reason: "error", node: node.id };
    return { kind: "failed", error: failure, cause: error, kept: durable?.kept() };
  } finally {
    limits.stop();
  }
}

function afterAbort(reason: unknown, node: string): Outcome {
  if (!(reason instanceof AttemptTimeout)) return { kind: "aborted" };
  return { kind: "failed", error: { message: reason.message, reason: "timeout", node }, cause: reason };
}

/** An async function, so that a worker that throws at once and one that rejects look the same. */
async function run(options: AttemptOptions, context: WorkerContext): Promise<unknown> {
  return options.worker.run(options.input as never, context);
}

function contextOf(
  { node, deps, controller, sink: told, tools, values }: AttemptOptions,
  limits: AttemptLimits,
  durable: () => Durable,
): WorkerContext {
  const sink: AttemptSink = {
    event: (type, data) => {
      limits.beat();
      told.event(type, data);
    },
    progress: (value, note) => {
      limits.beat();
      told.progress(value, note);
    },
  };
  const emit = (name: string, data?: Json): void =>
    sink.event("custom", { name, data: toJson(data, `the data of "${name}"`, values.eventBytes) });
  let calls: ToolCalls | undefined;
  const toolCalls = (): ToolCalls => (calls ??= tools.calls({ signal: controller.signal, emit }));
  return {
    graphId: node.graphId,
    nodeId: node.id,
    attempt: node.attempt,
    epoch: node.epoch,
    get signal() {
      return controller.signal;
    },
    deps,
    idempotencyKey: (part) => [node.graphId, node.id, node.epoch, ...(part === undefined ? [] : [part])].join("/"),
    heartbeat: () => limits.beat(),
    // As text, whatever it is: what is only told must not fail the node.
    log: (level, message) =>
      sink.event("log", { level: String(level), message: String(message).slice(0, MAX_LOG_LENGTH) }),
    emit,
    progress: (value, note) => sink.progress(Math.min(1, Math.max(0, value)), note),
    fetch: (url, init) => toolCalls().fetch(url, init),
    get ai() {
      return toolCalls().ai;
    },
    ...durableCalls(durable),
  };
}

/** Types hold in the worker's code; here all of them are JSON. */
function durableCalls(durable: () => Durable): DurableCalls {
  return {
    state: {
      get: (key: string) => durable().getState(key),
      set: (key: string, value) => durable().setState(key, value),
    },
    checkpoint: () => durable().checkpoint(),
    step: (async (key, fn, options) => durable().step(key, fn, options)) as DurableCalls["step"],
    tx: (async (run, options) => durable().tx(run, options)) as DurableCalls["tx"],
    artifact: async (name, data, type) => durable().artifact(name, data, type),
    sleep: async (until, options) => durable().sleep(until, options),
    waitFor: (async (name: string, options?: WaitOptions) =>
      durable().waitFor(name, options)) as DurableCalls["waitFor"],
    call: (async (key, worker, input, options) =>
      durable().call(key, asWorker(worker), input, options)) as DurableCalls["call"],
    map: (async (key: string, items: readonly unknown[], worker: object, options?: MapCallOptions) =>
      durable().map(key, items, asWorker(worker), options)) as DurableCalls["map"],
  };
}

/** A `Callable` is a worker, as callers see it. */
function asWorker(callable: object): Worker<never, unknown> {
  return callable as Worker<never, unknown>;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
