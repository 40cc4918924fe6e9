/** Declared workers and graphs. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { CancelOn, EventDefinition } from "./event-types.ts";
import type { Fairness, GraphConcurrency, Singleton } from "./flow-control-types.ts";
import type { BatchEvents, StartRules } from "./start-rule-types.ts";
import type { RetryPolicy } from "./retry.ts";
import type { AnyOptions, UndoContext, WorkerRun } from "./worker-types.ts";

export interface Worker<Input = unknown, Output = unknown> {
  readonly kind: "worker";
  readonly name: string;
  readonly options: AnyOptions;
  readonly run: WorkerRun<Input, Output>;
  /** Set if its work is another graph. */
  readonly graph?: GraphDefinition;
}

/**
 * An error branch, with the type of its result, which is absent if nothing has failed. A node that follows it may lack the results of the
 * other branch.
 */
export interface ErrorBranchRef<Output = unknown, Name extends string = string> extends NodeRef<Output, Name, null> {
  readonly handlesFailure?: true;
}

/**
 * A node in a definition, with the type of its result.
 * @typeParam Absent null if there may be no result: for a node with `when` or `onError: "continue"`, and for one that follows only such
 * nodes.
 */
export interface NodeRef<Output = unknown, Name extends string = string, Absent extends null = null> {
  readonly name: Name;
  readonly output?: Output;
  readonly absent?: Absent;
}

export interface GraphDefinition<Input = unknown, Output = unknown> {
  readonly kind: "graph";
  readonly name: string;
  readonly nodes: readonly NodeDefinition[];
  /** Name of the node with the run's result; absent: the results of the last nodes by name. */
  readonly output?: string;
  /** Hash of names, workers and order. A run stores the hash of the definition with which it was started. */
  readonly hash: string;
  readonly options: StoredGraphOptions;
  readonly types?: { input: Input; output: Output };
  /** Whether it replaces a definition that this build lacks. Nothing can run by it. */
  readonly isStandIn?: true;
}

/** Options of a graph whose input type is unknown. */
export interface StoredGraphOptions extends CommonGraphOptions<never>, StartRules {
  on?: EventDefinition;
}

/** @typeParam Input the run's input. */
export interface GraphOptions<Input = unknown>
  extends CommonGraphOptions<Input>, Omit<StartRules<Input>, "batchEvents"> {
  /** Each event of this kind starts a run, whose input is the event's data. Default: none. */
  on?: EventDefinition<Input>;
}

/** @typeParam Data the data of the event; the run's input is an array of it. */
export interface BatchGraphOptions<Data> extends CommonGraphOptions<Data[]> {
  on: EventDefinition<Data>;
  batchEvents: BatchEvents<Data>;
}

interface CommonGraphOptions<Input> {
  /**
   * Events that cancel unfinished runs: `[{ event: orderCancelled, match: (order) => ({ orderId: order.id }) }]`. Default: none.
   */
  cancelOn?: readonly CancelOn<Input>[];
  /**
   * Most active runs, of this graph or of each key. Further runs are stored and wait: they have the status `queued`. Default: no limit.
   * @example
   * graph("import", build, { concurrency: { limit: 2, key: (file) => file.tenant } });
   */
  concurrency?: number | GraphConcurrency<Input>;
  /**
   * One active run, of this graph or of each key. A start that finds one is cancelled, or another way by `onLimit`. Default: no limit.
   * @example
   * graph("sync", build, { singleton: { key: (shop) => shop.id, onLimit: "cancel-oldest" } });
   */
  singleton?: Singleton<Input>;
  /**
   * Shares the limit of `concurrency` or `singleton` between tenants: a tenant with many waiting runs does not delay the others. Default:
   * runs start in the order of their starts.
   * @example
   * graph("import", build, { concurrency: 10, fairness: { key: (file) => file.tenant, weight: (file) => (file.isPaid ? 3 : 1) } });
   */
  fairness?: Fairness<Input>;
  /**
   * Longest time for which a run waits for its key, from the time at which it is due. It is cancelled then. Needs `concurrency` or
   * `singleton`. Default: no limit.
   */
  ttl?: Duration;
  /** Longest time from start to end, after which the run fails. A pause does not count. Default: none. */
  timeout?: Duration;
  /**
   * Running nodes after a permanent failure of another one: `fail-fast` (default) aborts them, `drain` lets them end and keeps their
   * results.
   */
  onError?: "fail-fast" | "drain";
  /**
   * Called once when the run has failed, after `onCancel` and `compensate` of its nodes and before `graph.failed`. It is the node
   * `onFailure` of the run, and is tried again like a compensation: pass `ctx.idempotencyKey()` to external services. Not called for a
   * cancelled run. Default: nothing.
   * @example
   * graph("order", build, { onFailure: (ctx) => notify(`Order ${ctx.graphId} failed: ${ctx.failure.message}`) });
   */
  onFailure?: (ctx: UndoContext) => unknown;
  /**
   * Longest time for `onCancel` and `compensate` of all nodes and for `onFailure`; the rest is recorded as not compensated. Default "5m".
   */
  undoTimeout?: Duration;
  /** Time to keep a finished run. Default: the engine's. */
  retention?: Duration;
  /**
   * Distinguishes this definition from earlier ones of its name with unfinished runs. An app may have several versions: each run
   * continues with the one it was started with, and new runs start with the last of the list. A run whose version is missing waits, and
   * the log says so. Default: none.
   */
  version?: string;
}

export interface NodeDefinition {
  readonly name: string;
  readonly worker: Worker<never, unknown>;
  readonly after: readonly string[];
  /** Computes the node's input from the run's input and earlier results. */
  readonly input: (graphInput: Json, deps: Record<string, Json>) => unknown;
  /** Called when the node is ready: false skips it. Default: it runs. */
  readonly when?: (graphInput: Json, deps: Record<string, Json>) => unknown;
  /** Whether the run continues after a permanent failure of this node or an item of it. */
  readonly mayFail: boolean;
  /** Whether it is an error branch: it runs if a node before it has failed, and receives the error. */
  readonly on?: "failed";
  /** Whether an error branch follows it: then nodes that need its result are skipped after its failure, and the run continues. */
  readonly isHandled?: true;
  /** Whether it is the graph's `onFailure`, which runs after the failure of the run. */
  readonly handlesRun?: true;
  /** Overrides the worker's policy. */
  readonly retry?: RetryPolicy;
  readonly timeout?: Duration;
  /** Fan-out: one node for each item. */
  readonly map?: FanOut;
}

export interface FanOut {
  readonly from: string;
  readonly items: (result: Json) => readonly unknown[];
  /** Limit of concurrent items, including those that wait for a retry. */
  readonly concurrency: number;
}
