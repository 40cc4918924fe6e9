/**
 * Declaring workers and graphs. A definition is data: names, order, and two kinds of functions (what a worker does, how
 * a node's input is made). Everything that can be wrong with it is refused here, by name.
 */
import { createHash } from "node:crypto";
import type { Duration } from "../../shared/clock.ts";
import type { Json } from "../../shared/json.ts";
import { checkCount, checkGraph, checkRetry, checkTime, checkWorker, refused, requireName } from "./checks.ts";
import { asWorker } from "./graph-worker.ts";
import type { Settled } from "./context-types.ts";
import { tellDeclared } from "./declared.ts";
import type { RetryPolicy } from "./retry.ts";
import type { FanOut, GraphDefinition, GraphOptions, NodeDefinition, NodeRef, Worker } from "./definition-types.ts";
import type { WorkerOptions, WorkerRun } from "./worker-types.ts";

/**
 * A named function that graphs run, or that is started alone.
 *
 * @throws SvcError `SVC_DEFINITION` for a bad name or option.
 */
export function worker<Input, Output, State extends object = Record<string, Json>>(
  name: string,
  run: WorkerRun<Input, Output, State>,
): Worker<Input, Output>;
export function worker<Input, Output, State extends object = Record<string, Json>>(
  name: string,
  options: WorkerOptions<Input, NoInfer<Output>>,
  run: WorkerRun<Input, Output, State>,
): Worker<Input, Output>;
export function worker<Input, Output>(
  name: string,
  optionsOrRun: WorkerOptions<Input, NoInfer<Output>> | WorkerRun<Input, Output>,
  maybeRun?: WorkerRun<Input, Output>,
): Worker<Input, Output> {
  const options = typeof optionsOrRun === "function" ? {} : optionsOrRun;
  const run = typeof optionsOrRun === "function" ? optionsOrRun : maybeRun;
  requireName("worker", name);
  if (typeof run !== "function") throw refused(`The worker "${name}" has no function to run`);
  checkWorker(name, options);
  const made = { kind: "worker", name, options, run } as const;
  tellDeclared(made as Worker<never, unknown>);
  return made;
}

/** What holds for one use of a worker, in place of the worker's own options. */
interface UseOptions {
  /**
   * Nodes that must have ended first. The node runs when one of them is done; when all were skipped or have failed, it is
   * skipped too. Default: the node starts with the graph.
   */
  after?: readonly NodeRef[];
  /** Default: the worker's; each field by itself. */
  retry?: RetryPolicy;
  /** Longest one attempt may run. Default: the worker's. */
  timeout?: Duration;
}

export interface NodeOptions extends UseOptions {
  /**
   * Makes the node's input. Default: the graph's input, or, for a node with `after`, an object of their results by name;
   * of one that was skipped or has failed the result is null.
   */
  input?: (graphInput: never, deps: Record<string, Json>) => unknown;
  /** Asked once, when the nodes before it have ended: whether it runs. False skips it. Default: it does. */
  when?: (graphInput: never, deps: Record<string, Json>) => boolean;
  /** What becomes of the graph when this node has failed for good: `fail` (default) ends it, `continue` goes on without. */
  onError?: "fail" | "continue";
}

export interface MapOptions extends UseOptions {
  /** How many items may be under way at once, of this fan-out. Default: as many as the worker may run. */
  concurrency?: number;
  /**
   * What becomes of the graph when an item has failed for good: `fail` (default) ends it; `collect` goes on, and the result
   * tells of each item `{ ok: true, value }` or `{ ok: false, error }`.
   */
  onError?: "fail" | "collect";
}

export interface GraphBuilder {
  /** @param worker what does the work, or another graph: then the node waits for that, and has its result. */
  node<Input, Output>(
    name: string,
    worker: Worker<Input, Output> | GraphDefinition<Input, Output>,
    options?: NodeOptions,
  ): NodeRef<Output>;
  /**
   * One node per item of `from`'s result, known only when `from` is done. The result is the array of their results, in
   * the order of the items. Skipped where `from` was skipped or has failed.
   */
  map<Item, Output, From>(
    name: string,
    worker: Worker<Item, Output>,
    from: NodeRef<From>,
    items: (result: From) => readonly Item[],
    options: MapOptions & { onError: "collect" },
  ): NodeRef<Settled<Output>[]>;
  map<Item, Output, From>(
    name: string,
    worker: Worker<Item, Output>,
    from: NodeRef<From>,
    items: (result: From) => readonly Item[],
    options?: MapOptions,
  ): NodeRef<Output[]>;
}

/**
 * Named nodes and their order. The node that `build` returns gives the graph its result; without one, the results of
 * the last nodes by name.
 *
 * @throws SvcError `SVC_DEFINITION` naming a duplicate, a missing node or a cycle.
 */
export function graph<Input = unknown, Output = unknown>(
  name: string,
  build: (g: GraphBuilder) => NodeRef<Output> | void,
  options: GraphOptions = {},
): GraphDefinition<Input, Output> {
  requireName("graph", name);
  checkGraph(name, options);
  const nodes: NodeDefinition[] = [];
  const add = (node: NodeDefinition): NodeRef<never> => {
    requireName(`node of graph "${name}"`, node.name);
    if (nodes.some((other) => other.name === node.name))
      throw refused(`The graph "${name}" has two nodes named "${node.name}"; names must differ`);
    nodes.push(node);
    return { name: node.name };
  };
  const output = build({
    node: (nodeName, nodeWorker, options = {}) => {
      const after = (options.after ?? []).map((ref) => ref.name);
      const input = (options.input ?? (after.length === 0 ? asIs : byName)) as NodeDefinition["input"];
      const use = useOf(name, nodeName, nodeWorker.kind === "graph" ? asWorker(nodeWorker) : nodeWorker, options);
      const when = options.when as NodeDefinition["when"];
      return add({ ...use, after, input, mayFail: options.onError === "continue", ...(when && { when }) });
    },
    map: (nodeName: string, nodeWorker: AnyWorker, from: NodeRef, items: unknown, given?: MapOptions) => {
      const options = given ?? {};
      const { concurrency = Infinity, onError, after = [] } = options;
      checkCount(`The node "${nodeName}" of graph "${name}"`, "concurrency", options.concurrency);
      return add({
        ...useOf(name, nodeName, nodeWorker, options),
        after: [from.name, ...after.map((ref) => ref.name)],
        input: asIs,
        mayFail: onError === "collect",
        map: { from: from.name, items: items as FanOut["items"], concurrency },
      });
    },
  });
  return finish(name, nodes, output?.name, options);
}

type AnyWorker = Worker<never, unknown>;

/** What fan-outs and other nodes have in common. */
function useOf(graphName: string, name: string, nodeWorker: unknown, { retry, timeout }: UseOptions) {
  const what = `The node "${name}" of graph "${graphName}"`;
  checkRetry(what, retry);
  checkTime(what, "timeout", timeout);
  return {
    name,
    worker: nodeWorker as AnyWorker,
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

/** A worker alone is a graph of one node. */
export function graphOfWorker(single: Worker<never, unknown>): GraphDefinition {
  return finish(
    single.name,
    [{ name: single.name, worker: single, after: [], input: asIs, mayFail: false }],
    single.name,
    single.options.version === undefined ? {} : { version: single.options.version },
  );
}

const asIs = (graphInput: Json): Json => graphInput;
const byName = (_graphInput: Json, deps: Record<string, Json>): Json => deps;

function finish<Input, Output>(
  name: string,
  nodes: NodeDefinition[],
  output: string | undefined,
  options: GraphOptions = {},
): GraphDefinition<Input, Output> {
  if (nodes.length === 0) throw refused(`The graph "${name}" has no nodes`);
  const known = new Set(nodes.map((node) => node.name));
  for (const node of nodes) {
    const missing = node.after.find((other) => !known.has(other));
    if (missing !== undefined)
      throw refused(`The node "${node.name}" of graph "${name}" waits for "${missing}", which the graph does not have`);
  }
  requireNoCycle(name, nodes);
  const shape = nodes.map((node) => [node.name, node.worker.name, node.after, node.map?.from ?? null]);
  const hash = createHash("sha256")
    .update(JSON.stringify([name, shape, output ?? null]))
    .digest("hex")
    .slice(0, 16);
  return { kind: "graph", name, nodes, hash, options, ...(output === undefined ? {} : { output }) };
}

function requireNoCycle(name: string, nodes: readonly NodeDefinition[]): void {
  const byNodeName = new Map(nodes.map((node) => [node.name, node]));
  const closed = new Set<string>();
  const visit = (node: NodeDefinition, trail: readonly string[]): void => {
    if (trail.includes(node.name)) {
      throw refused(
        `The graph "${name}" has a cycle: ${[...trail.slice(trail.indexOf(node.name)), node.name].join(" → ")}`,
      );
    }
    if (closed.has(node.name)) return;
    for (const other of node.after) visit(byNodeName.get(other) as NodeDefinition, [...trail, node.name]);
    closed.add(node.name);
  };
  for (const node of nodes) visit(node, []);
}
