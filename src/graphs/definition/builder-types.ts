/**
 * What `graph` hands to the function that declares its nodes. Types go from node to node: what a worker takes is held against what its node
 * is given, by default the results of the nodes before it by name.
 */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Settled } from "./context-types.ts";
import type { GraphDefinition, NodeRef, Worker } from "./definition-types.ts";
import type { RetryPolicy } from "./retry.ts";

type Refs = readonly NodeRef[];

/** What holds for one use of a worker, in place of the worker's own options. */
interface UseOptions<After extends Refs> {
  /**
   * Nodes that must have ended first. The node runs when one of them is done; when all were skipped or have failed, it is
   * skipped too. Default: the node starts with the graph.
   */
  after?: After;
  /** Default: the worker's; each field by itself. */
  retry?: RetryPolicy;
  /** Longest one attempt may run. Default: the worker's. */
  timeout?: Duration;
}

/** @typeParam Given the graph's input. @typeParam Takes what the worker does. */
export interface NodeOptions<
  Given = never,
  After extends Refs = Refs,
  Takes = unknown,
  When extends boolean = boolean,
  OnError extends "fail" | "continue" = "fail" | "continue",
> extends UseOptions<After> {
  /**
   * Makes the node's input. Default: the graph's input, or, for a node with `after`, an object of their results by name;
   * of one that was skipped or has failed the result is null.
   */
  input?: (graphInput: Given, deps: ResultsOf<After>) => Takes;
  /** Asked once, when the nodes before it have ended: whether it runs. False skips it. Default: it does. */
  when?: (graphInput: Given, deps: ResultsOf<After>) => When;
  /** What becomes of the graph when this node has failed for good: `fail` (default) ends it, `continue` goes on without. */
  onError?: OnError;
}

export interface MapOptions<After extends Refs = Refs> extends UseOptions<After> {
  /** How many items may be under way at once, of this fan-out. Default: as many as the worker may run. */
  concurrency?: number;
  /**
   * What becomes of the graph when an item has failed for good: `fail` (default) ends it; `collect` goes on, and the result
   * tells of each item `{ ok: true, value }` or `{ ok: false, error }`.
   */
  onError?: "fail" | "collect";
}

/** What nodes come to, by name. Of those whose names are not known as types, anything. */
export type ResultsOf<After extends Refs> = string extends After[number]["name"]
  ? Record<string, Json>
  : { [Ref in After[number] as Ref["name"]]: ResultOf<Ref> };

type ResultOf<Ref> = Ref extends NodeRef<infer Output, string, infer Absent> ? Output | Absent : never;

/** The first of nodes that are sure to have a result, unless the graph fails. */
type Sure<Ref> = Ref extends NodeRef<unknown, string, infer Absent> ? ([Absent] extends [never] ? Ref : never) : never;

/** Of a node that only runs where one of others does: null where none of them is sure to. */
type AbsentAfter<After extends Refs> = After extends readonly []
  ? never
  : [Sure<After[number]>] extends [never]
    ? null
    : never;

/** The default of a node's input. `Given` is never where the graph does not say what it takes. */
type InputBy<Given, After extends Refs> = After extends readonly [] ? Given : ResultsOf<After>;

/** Shown by editors where a worker does not take what its node is given. */
interface Misfit<IsGiven, Takes> {
  readonly "the worker does not take what this node is given: make its input with the option `input`": {
    isGiven: IsGiven;
    takes: Takes;
  };
}

type Fits<Given, Takes> = [Given] extends [Taken<Takes>] ? unknown : Misfit<Given, Takes>;

/** What a worker takes that is of no known type is anything. */
type Taken<Takes> = [Takes] extends [never] ? unknown : Takes;

type Work<Input, Output> = Worker<Input, Output> | GraphDefinition<Input, Output>;

type AbsentIf<When, OnError> = ([When] extends [never] ? never : null) | (OnError extends "continue" ? null : never);

/** @typeParam Given the graph's input; never where it is not said, which every worker takes. */
export interface GraphBuilder<Given = never> {
  /** @param worker what does the work, or another graph: then the node waits for that, and has its result. */
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
  /**
   * One node per item of `from`'s result, known only when `from` is done. The result is the array of their results, in
   * the order of the items. Skipped where `from` was skipped or has failed.
   * @param worker what does the work of an item, or another graph.
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
