/** Workers, and the graphs that are made of them, as they are declared. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { RetryPolicy } from "./retry.ts";
import type { AnyOptions, WorkerRun } from "./worker-types.ts";

export interface Worker<Input = unknown, Output = unknown> {
  readonly kind: "worker";
  readonly name: string;
  readonly options: AnyOptions;
  readonly run: WorkerRun<Input, Output>;
  /** Where its work is another graph. */
  readonly graph?: GraphDefinition;
}

/**
 * A node inside a definition; carries the type of its result.
 * @typeParam Absent null where there may be none: of a node with `when` or `onError: "continue"`, and of one that comes after such alone.
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
  /** Name of the node whose result is the graph's; absent: the results of the last nodes by name. */
  readonly output?: string;
  /** Over names, workers and order: tells whether a running graph was started with this definition. */
  readonly hash: string;
  readonly options: GraphOptions;
  readonly types?: { input: Input; output: Output };
}

export interface GraphOptions {
  /** Longest from its start to its end; then it fails. Not counted while it is paused. Default: none. */
  timeout?: Duration;
  /**
   * What becomes of nodes that run when another has failed for good: `fail-fast` (default) aborts them, `drain` lets them end
   * and keeps their results.
   */
  onError?: "fail-fast" | "drain";
  /** Longest that `onCancel` and `compensate` of all its nodes may take; what is left then is recorded. Default "5m". */
  undoTimeout?: Duration;
  /** How long a graph is kept once it has finished. Default: the engine's. */
  retention?: Duration;
  /**
   * Tells this definition from earlier ones of its name, of which graphs may still be under way. An app may have several
   * versions of a name: each graph goes on with the one it was started with, and new ones start with the last of the list. A
   * graph whose version is not there waits, and the log says so. Default: none.
   */
  version?: string;
}

export interface NodeDefinition {
  readonly name: string;
  readonly worker: Worker<never, unknown>;
  readonly after: readonly string[];
  /** Input of the node from the graph's input and the results before it. */
  readonly input: (graphInput: Json, deps: Record<string, Json>) => unknown;
  /** Asked when the node's turn has come: false skips it. Default: it runs. */
  readonly when?: (graphInput: Json, deps: Record<string, Json>) => unknown;
  /** Whether the graph goes on where this node, or an item of it, has failed for good. */
  readonly mayFail: boolean;
  /** In place of the worker's. */
  readonly retry?: RetryPolicy;
  readonly timeout?: Duration;
  /** Fan-out: one node per item. */
  readonly map?: FanOut;
}

export interface FanOut {
  readonly from: string;
  readonly items: (result: Json) => readonly unknown[];
  /** How many items may be under way at once, those that wait for a retry included. */
  readonly concurrency: number;
}
