/** What a worker is: how it is declared, what it is called with, what undoes it. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { OutputOf, StandardSchema } from "../../platform/shared/schema.ts";
import type { Failure } from "../../storage/contract/graph-rows.ts";
import type { DurableCalls } from "./context-types.ts";
import type { RetryPolicy } from "./retry.ts";
import type { ToolCalls } from "../execution/attempt/worker-tools.ts";

/** A limit of its own for each key. */
export interface KeyedConcurrency<Input = unknown> {
  /** How many of one key may run at once. */
  limit: number;
  /** Of a node's input: a tenant, an account. Those with one key wait for each other and let the rest pass. */
  key: (input: Input) => string;
  /** How many may run at once, of all keys. Default: 16 in each process. */
  total?: number;
}

export interface Rate<Input = unknown> {
  /** Starts within any stretch of `per`, wherever it begins. */
  limit: number;
  per: Duration;
  /** Of a node's input; each key has its own limit. Default: one for all. */
  key?: (input: Input) => string;
}

/** Handed to `onCancel` and `compensate`. What they write is told of the graph, and kept, as a worker's is. */
export interface UndoContext<Input = unknown> extends Pick<
  WorkerContext,
  "graphId" | "nodeId" | "epoch" | "signal" | "heartbeat" | "log" | "emit" | "idempotencyKey" | keyof ToolCalls
> {
  /** What the worker was called with. */
  readonly input: Input;
  /** 1 for the first try to undo it. */
  readonly attempt: number;
  /** Why the graph is undone. */
  readonly failure: Failure;
}

export interface IsolateOptions {
  /**
   * The module that declares the worker: `import.meta.url` there. A thread loads it anew, with all it imports; it must be
   * JavaScript, or such TypeScript as this Node loads.
   */
  module: string | URL;
  /** Memory of the heap of one attempt's thread, without buffers and typed arrays; who needs more fails. Default: Node's own limit. */
  memoryMb?: number;
}

export interface WorkerOptions<Input = unknown, Output = unknown> {
  retry?: RetryPolicy;
  /** Longest one attempt may run; then it is aborted and counts as failed. Default: none. */
  timeout?: Duration;
  /**
   * Longest an attempt may be silent: no step, log, event, progress or `ctx.heartbeat()`; then it is aborted as by a
   * timeout. Default: none.
   */
  heartbeat?: Duration;
  /**
   * How many of this worker may run at once; of all processes together, where several share a database. Default: 16 in each
   * process.
   */
  concurrency?: number | KeyedConcurrency<Input>;
  /** How many may run at once in one process, whatever runs in others. Default: `concurrency`, or 16. */
  perProcess?: number;
  /**
   * How many attempts may start in a time, in all processes together, where several share a database. What waits for it holds
   * up nothing else. Default: any number.
   */
  rate?: Rate<Input>;
  /**
   * Beside that of the graph's start: who waits for a place is served as if a minute longer in line for each point, so that
   * nothing starves. A whole number from -1000 to 1000; default 0. Between workers it counts where the engine has a
   * `concurrency` of its own.
   */
  priority?: number;
  /**
   * Runs attempts in a thread of their own: what blocks or fills the memory there does not touch the server, and an attempt
   * that is over its time or cancelled is ended at once, whatever it does. `onCancel` and `compensate` run beside the
   * server. Default: no thread.
   */
  isolate?: IsolateOptions;
  /** Of the worker where it is started alone (see the graph's `version`). Default: none. */
  version?: string;
  /**
   * Called when the graph is cancelled, or fails, while a node of this worker is under way: between attempts too, and
   * perhaps while code that ignores its signal still runs. Tried again as `retry` says.
   */
  onCancel?: (ctx: UndoContext<Input>) => unknown;
  /**
   * Takes back what a node that is done has done, when its graph is cancelled or fails: the last that was done first, one
   * after the other. Tried again as `retry` says; it may run twice, as the worker may.
   */
  compensate?: (ctx: UndoContext<Input>, result: Output) => unknown;
}

/** Of a worker whose input is checked. */
export interface CheckedOptions<Schema extends StandardSchema, Output = unknown> extends WorkerOptions<
  OutputOf<Schema>,
  Output
> {
  /**
   * Checks what the worker is called with, at each attempt: it gets what the schema makes of it, which must be JSON. What does not fit fails
   * the node at once; where it is the graph's input the start is refused, over HTTP with 422 and issues. `concurrency.key` and `rate.key` are
   * asked before, of what was given.
   */
  input: Schema;
}

/** Those of some worker, whatever it takes and gives. */
export type AnyOptions = WorkerOptions<never, never> & { input?: StandardSchema };

/**
 * Handed to a worker. What it tells is durable at once, what it returns with the node's commit.
 * @typeParam State what the worker keeps in `ctx.state`.
 */
export interface WorkerContext<State extends object = Record<string, Json>> extends DurableCalls<State>, ToolCalls {
  readonly graphId: string;
  readonly nodeId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly epoch: number;
  /** Aborts on cancel, timeout, shutdown. */
  readonly signal: AbortSignal;
  /** Results of the nodes this one waits for, by node name; a fan-out gives an array in item order. */
  readonly deps: Readonly<Record<string, Json>>;
  /** Stable over retries: hand it to outside APIs. */
  idempotencyKey(part?: string): string;
  /** Tells that the work goes on (see the worker's `heartbeat`). Writes nothing. */
  heartbeat(): void;
  log(level: "debug" | "info" | "warn" | "error", message: string): void;
  /** 0 to 1. Written at most 10 times a second; 0 and 1 always. */
  progress(value: number, note?: string): void;
  /**
   * What this run is, in a few words, for lists and searches: `Invoice 17 for ACME, 3 of 5 pages`. Of the whole graph, and the last one
   * wins; one line of 200 characters at most, an empty one takes it away. Written as progress is, at the latest as the node's attempt ends.
   */
  summary(text: string): void;
  emit(name: string, data?: Json): void;
}

/** `Input` and `Output` must survive JSON; a value that does not is a failed node that says so. */
export type WorkerRun<Input, Output, State extends object = Record<string, Json>> = (
  input: Input,
  ctx: WorkerContext<State>,
) => Output | Promise<Output>;
