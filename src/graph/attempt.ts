/**
 * One attempt of a node: calls the worker with its context, ends it on timeout or abort, and says how it came out. What
 * the outcome means for the graph is the machine's to decide.
 */
import type { Clock, Duration } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { Failure, NodeRow } from "../store/contract.ts";
import type { Abort } from "./abort.ts";
import { toJson } from "./json-value.ts";
import { AttemptLimits, AttemptTimeout } from "./limits.ts";
import type { Worker, WorkerContext } from "./types.ts";

export type Outcome =
  | { kind: "done"; result: Json }
  /** `cause` is what was thrown. */
  | { kind: "failed"; error: Failure; cause: unknown }
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
}

/** Never rejects. After an abort it does not wait for a worker that ignores its signal. */
export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { node, timeout, heartbeat, clock, controller } = options;
  const limits = new AttemptLimits({ clock, timeout, heartbeat, abort: (reason) => controller.abort(reason) });
  try {
    const result = await controller.race(() => run(options, limits));
    return { kind: "done", result: toJson(result, `the result of "${node.id}"`) };
  } catch (error) {
    if (controller.reason !== undefined && error === controller.reason) return afterAbort(error, node.id);
    return { kind: "failed", error: { message: messageOf(error), reason: "error", node: node.id }, cause: error };
  } finally {
    limits.stop();
  }
}

function afterAbort(reason: unknown, node: string): Outcome {
  if (!(reason instanceof AttemptTimeout)) return { kind: "aborted" };
  return { kind: "failed", error: { message: reason.message, reason: "timeout", node }, cause: reason };
}

/** An async function, so that a worker that throws at once and one that rejects look the same. */
async function run(options: AttemptOptions, limits: AttemptLimits): Promise<unknown> {
  return options.worker.run(options.input as never, contextOf(options, limits));
}

function contextOf({ node, deps, controller, sink: told }: AttemptOptions, limits: AttemptLimits): WorkerContext {
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
    log: (level, message) => sink.event("log", { level: String(level), message: String(message) }),
    emit: (name, data) => sink.event("custom", { name, data: toJson(data, `the data of "${name}"`) }),
    progress: (value, note) => sink.progress(Math.min(1, Math.max(0, value)), note),
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
