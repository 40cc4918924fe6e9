/** Workers: declaration, context and compensation. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { OutputOf, StandardSchema } from "../../platform/shared/schema.ts";
import type { Failure } from "../../storage/contract/graph-rows.ts";
import type { DurableCalls } from "./context-types.ts";
import type { RetryPolicy } from "./retry.ts";
import type { ToolCalls } from "../execution/attempt/worker-tools.ts";

/** A concurrency limit for each key. */
export interface KeyedConcurrency<Input = unknown> {
  /** Concurrent attempts of one key. */
  limit: number;
  /** Key of a node's input: a tenant, an account. Nodes with the same key wait for each other and let others pass. */
  key: (input: Input) => string;
  /** Concurrent attempts of all keys. Default: 16 in each process. */
  total?: number;
}

export interface Rate<Input = unknown> {
  /** Starts within any time span of `per`. */
  limit: number;
  per: Duration;
  /** Key of a node's input; each key has its own limit. Default: one limit for all. */
  key?: (input: Input) => string;
}

/** Argument of `onCancel` and `compensate`. Their reports belong to the run, as a worker's do. */
export interface UndoContext<Input = unknown> extends Pick<
  WorkerContext,
  "graphId" | "nodeId" | "epoch" | "signal" | "heartbeat" | "log" | "emit" | "idempotencyKey" | keyof ToolCalls
> {
  /** The worker's input. */
  readonly input: Input;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Why the run is compensated. */
  readonly failure: Failure;
}

export interface IsolateOptions {
  /**
   * The module that declares the worker: `import.meta.url` there. A thread loads it again with its imports; it must be JavaScript, or
   * TypeScript that this Node can load.
   */
  module: string | URL;
  /** Heap limit of the thread in MB, without buffers and typed arrays; more fails the attempt. Default: Node's own limit. */
  memoryMb?: number;
}

export interface WorkerOptions<Input = unknown, Output = unknown> {
  retry?: RetryPolicy;
  /** Longest time of one attempt, after which it is aborted and fails. Default: none. */
  timeout?: Duration;
  /**
   * Longest time without a step, log, event, progress or `ctx.heartbeat()`, after which the attempt is aborted as by a timeout. Default:
   * none.
   */
  heartbeat?: Duration;
  /** Concurrent attempts of this worker, over all processes that share a database. Default: 16 in each process. */
  concurrency?: number | KeyedConcurrency<Input>;
  /** Concurrent attempts in one process, independent of others. Default: `concurrency`, or 16. */
  perProcess?: number;
  /** Starts per time, over all processes that share a database. Waiting attempts block nothing else. Default: no limit. */
  rate?: Rate<Input>;
  /**
   * Added to the priority of the run's start: each point equals a minute's head start in the queue, so nothing starves. A whole number
   * from -1000 to 1000; default 0. Between workers it counts if the engine has a `concurrency` of its own.
   */
  priority?: number;
  /**
   * Runs attempts in a thread of their own: blocking code and memory use do not affect the server, and an attempt that times out or is
   * cancelled ends at once. `onCancel` and `compensate` run in the server's thread. Default: no thread.
   */
  isolate?: IsolateOptions;
  /**
   * When svc may end an attempt that waits in `ctx.sleep`, `ctx.waitFor`, `ctx.waitForEvent` or `ctx.handleUpdate`. The worker is called
   * again when the wait is over, and stored steps return their results.
   * - true: after a second, without running its `finally` blocks, so that a long wait takes no memory. The worker must do nothing else
   *   while it waits. Not together with `isolate`.
   * - false: never. After a restart the worker is called at once. Use it for a worker that does something beside a wait without `ctx`.
   * - Default: only when its process ends.
   *
   * No effect in processes that share a database.
   */
  suspend?: boolean;
  /** Version of the worker for single starts (see the graph's `version`). Default: none. */
  version?: string;
  /**
   * Called if the run is cancelled or fails while a node of this worker is running, also between attempts, and perhaps while code that
   * ignores its signal still runs. Retried by `retry`.
   */
  onCancel?: (ctx: UndoContext<Input>) => unknown;
  /**
   * Reverts a finished node if its run is cancelled or fails: last finished first, one after the other. Retried by `retry`; it may run
   * twice, like the worker.
   */
  compensate?: (ctx: UndoContext<Input>, result: Output) => unknown;
}

/** Options of a worker with an input schema. */
export interface CheckedOptions<Schema extends StandardSchema, Output = unknown> extends WorkerOptions<
  OutputOf<Schema>,
  Output
> {
  /**
   * Validates the worker's input at each attempt: the worker gets the schema's output, which must be JSON. An invalid input fails the
   * node at once; an invalid input of a run is rejected at the start, over HTTP with 422 and issues. `concurrency.key` and `rate.key` get
   * the original input.
   */
  input: Schema;
}

/** Options of any worker. */
export type AnyOptions = WorkerOptions<never, never> & { input?: StandardSchema };

/**
 * Argument of a worker. Its reports are durable at once, its result with the node's commit.
 * @typeParam State values in `ctx.state`.
 */
export interface WorkerContext<State extends object = Record<string, Json>> extends DurableCalls<State>, ToolCalls {
  readonly graphId: string;
  readonly nodeId: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly epoch: number;
  /** Aborts on cancel, timeout and shutdown. */
  readonly signal: AbortSignal;
  /** Results of the nodes it depends on, by name; of a fan-out as an array in item order. */
  readonly deps: Readonly<Record<string, Json>>;
  /**
   * Pass it to external APIs, so that a repeated call has one effect. It stays the same over attempts, crashes and retries by hand, until
   * the node is compensated.
   */
  idempotencyKey(part?: string): string;
  /** Reports that the work continues (see the worker's `heartbeat`). Writes nothing. */
  heartbeat(): void;
  log(level: "debug" | "info" | "warn" | "error", message: string): void;
  /** 0 to 1. Written at most 10 times a second; 0 and 1 always. */
  progress(value: number, note?: string): void;
  /**
   * Sets a one-line summary of the run for lists and searches: `Invoice 17 for ACME, 3 of 5 pages`. The last call wins. At most 200
   * characters; an empty text removes it. Written at the rate of progress, at the latest when the node's attempt ends.
   */
  summary(text: string): void;
  emit(name: string, data?: Json): void;
}

/** `Input` and `Output` must survive JSON; a value that does not is a failed node that says so. */
export type WorkerRun<Input, Output, State extends object = Record<string, Json>> = (
  input: Input,
  ctx: WorkerContext<State>,
) => Output | Promise<Output>;
