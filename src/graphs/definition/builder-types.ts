/**
 * Types of the builder that `graph` passes to its function. Types flow from node to node: a worker's input type is checked against its
 * node's input, by default the results of the nodes before it by name.
 */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Failure } from "../../storage/contract/graph-rows.ts";
import type { Settled } from "./context-types.ts";
import type { ErrorBranchRef, GraphDefinition, NodeRef, Worker } from "./definition-types.ts";
import type { RetryPolicy } from "./retry.ts";

type Refs = readonly NodeRef[];

/** Overrides the worker's own options for one node. */
interface UseOptions<After extends Refs> {
  /**
   * Nodes that must have ended first. The node runs if one of them is done; if all were skipped or have failed, it is skipped as well.
   * Default: the node starts with the run.
   */
  after?: After;
  /** Default: the worker's, field by field. */
  retry?: RetryPolicy;
  /** Longest time of one attempt. Default: the worker's. */
  timeout?: Duration;
}

/** @typeParam Given the run's input. @typeParam Takes the worker's input. */
export interface NodeOptions<
  Given = never,
  After extends Refs = Refs,
  Takes = unknown,
  When extends boolean = boolean,
  OnError extends "fail" | "continue" = "fail" | "continue",
> extends UseOptions<After> {
  /**
   * Computes the node's input. Default: the run's input or, for a node with `after`, an object of their results by name; the result of a
   * skipped or failed node is null.
   */
  input?: (graphInput: Given, deps: ResultsOf<After>) => Takes;
  /** Called once, when the nodes before it have ended. False skips the node. Default: it runs. */
  when?: (graphInput: Given, deps: ResultsOf<After>) => When;
  /** Effect of a permanent failure of this node: `fail` (default) ends the run, `continue` continues without its result. */
  onError?: OnError;
  /** Only error branches have it. */
  on?: never;
}

/** Options of an error branch. @typeParam Given the run's input. */
export interface ErrorBranchOptions<
  Given = never,
  After extends Refs = Refs,
  Takes = unknown,
> extends UseOptions<After> {
  /**
   * The node runs if at least one node of `after` has failed for good; otherwise it is skipped. The failure does not end the run, and
   * nodes that need the result of the failed node are skipped. `after` can't contain a fan-out.
   */
  on: "failed";
  after: After;
  /** Computes the node's input from the errors by name, null for a node that has not failed. Default: the first error in the order of `after`. */
  input?: (graphInput: Given, errors: { [Ref in After[number] as Ref["name"]]: Failure | null }) => Takes;
  /** Called once, when the nodes before it have ended. False skips the node. Default: it runs. */
  when?: (graphInput: Given, errors: { [Ref in After[number] as Ref["name"]]: Failure | null }) => boolean;
  /** As of other nodes. */
  onError?: "fail" | "continue";
}

export interface MapOptions<After extends Refs = Refs> extends UseOptions<After> {
  /** Limit of concurrent items of this fan-out. Default: the worker's limit. */
  concurrency?: number;
  /**
   * Effect of a permanent failure of an item: `fail` (default) ends the run; with `collect`, the result of each item is `{ ok: true,
   * value }` or `{ ok: false, error }`.
   */
  onError?: "fail" | "collect";
}

/** Results of nodes by name; anything for names that are not literal types. */
export type ResultsOf<After extends Refs> = string extends After[number]["name"]
  ? Record<string, Json>
  : { [Ref in After[number] as Ref["name"]]: ResultOf<Ref> | AbsentInJoin<After> };

/** null for a node after an error branch: the results of the other branch may be absent. */
type AbsentInJoin<After extends Refs> = true extends IsErrorBranch<After[number]> ? null : never;
type IsErrorBranch<Ref> = Ref extends unknown ? ("handlesFailure" extends keyof Ref ? true : false) : never;

type ResultOf<Ref> = Ref extends NodeRef<infer Output, string, infer Absent> ? Output | Absent : never;

/** Nodes that have a result unless the run fails. */
type Sure<Ref> = Ref extends NodeRef<unknown, string, infer Absent> ? ([Absent] extends [never] ? Ref : never) : never;

/** null for a node that depends on several others, if each of them may be skipped. */
type AbsentAfter<After extends Refs> = After extends readonly []
  ? never
  : [Sure<After[number]>] extends [never]
    ? null
    : never;

/** The default input of a node. `Given` is never if the graph does not declare its input. */
type InputBy<Given, After extends Refs> = After extends readonly [] ? Given : ResultsOf<After>;

/** Shown by editors if a worker does not accept its node's input. */
interface Misfit<IsGiven, Takes> {
  readonly "the worker does not accept the input of this node: compute it with the option `input`": {
    isGiven: IsGiven;
    takes: Takes;
  };
}

type Fits<Given, Takes> = [Given] extends [Taken<Takes>] ? unknown : Misfit<Given, Takes>;

/** A worker with an unknown input type accepts anything. */
type Taken<Takes> = [Takes] extends [never] ? unknown : Takes;

type Work<Input, Output> = Worker<Input, Output> | GraphDefinition<Input, Output>;

type AbsentIf<When, OnError> = ([When] extends [never] ? never : null) | (OnError extends "continue" ? null : never);

/** @typeParam Given the run's input; never if it is not declared, which every worker accepts. */
export interface GraphBuilder<Given = never> {
  /** @param worker the worker, or another graph: then the node waits for a child run and has its result. */
  node<
    const Name extends string,
    Input,
    Output,
    const After extends Refs = readonly [],
    When extends boolean = never,
    OnError extends "fail" | "continue" = never,
  >(
    name: Name,
    worker: Work<Input, Output>,
    options: NodeOptions<Given, After, Taken<NoInfer<Input>>, When, OnError> & { input: unknown },
  ): NodeRef<Output, Name, AbsentAfter<After> | AbsentIf<When, OnError>>;
  node<
    const Name extends string,
    Input,
    Output,
    const After extends Refs = readonly [],
    When extends boolean = never,
    OnError extends "fail" | "continue" = never,
  >(
    name: Name,
    worker: Work<Input, Output> & Fits<InputBy<Given, After>, Input>,
    options?: NodeOptions<Given, After, Taken<NoInfer<Input>>, When, OnError>,
  ): NodeRef<Output, Name, AbsentAfter<After> | AbsentIf<When, OnError>>;
  /** An error branch. Without `input`, the worker receives the error: `{ message, reason, node }`. */
  node<const Name extends string, Input, Output, const After extends Refs>(
    name: Name,
    worker: Work<Input, Output>,
    options: ErrorBranchOptions<Given, After, Taken<NoInfer<Input>>> & { input: unknown },
  ): ErrorBranchRef<Output, Name>;
  node<const Name extends string, Input, Output, const After extends Refs>(
    name: Name,
    worker: Work<Input, Output> & Fits<Failure, Input>,
    options: ErrorBranchOptions<Given, After, Taken<NoInfer<Input>>>,
  ): ErrorBranchRef<Output, Name>;
  /**
   * One node for each item of `from`'s result, known once `from` is done. The result is an array in item order. Skipped if `from` was
   * skipped or has failed.
   * @param worker the worker of an item, or another graph.
   */
  map<const Name extends string, Item, Output, From, Absent extends null>(
    name: Name,
    worker: Work<Item, Output>,
    from: NodeRef<From, string, Absent>,
    items: (result: From) => readonly Item[],
    options: MapOptions & { onError: "collect" },
  ): NodeRef<Settled<Output>[], Name, Absent>;
  map<const Name extends string, Item, Output, From, Absent extends null>(
    name: Name,
    worker: Work<Item, Output>,
    from: NodeRef<From, string, Absent>,
    items: (result: From) => readonly Item[],
    options?: MapOptions,
  ): NodeRef<Output[], Name, Absent>;
}
