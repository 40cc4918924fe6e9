/**
 * Declares workers and graphs. A definition is data: names, order, and functions for work and inputs. All invalid declarations are
 * rejected here, by name.
 */
import { createHash } from "node:crypto";
import type { Json } from "../../platform/shared/json.ts";
import type { InputOf, OutputOf, StandardSchema } from "../../platform/shared/schema.ts";
import type { GraphBuilder, MapOptions } from "./builder-types.ts";
import { checkGraph, checkWorker, refused, requireName } from "./definition-checks.ts";
import { checkGraphEvents } from "./event-checks.ts";
import { reportDeclared } from "./declared-workers.ts";
import type {
  BatchGraphOptions,
  FanOut,
  GraphDefinition,
  GraphOptions,
  NodeDefinition,
  NodeRef,
  StoredGraphOptions,
  Worker,
} from "./definition-types.ts";
import { withErrorBranches, withFailureHandler } from "./failure-handlers.ts";
import { calledNode, checkMap, checkNode, outputOf, workerOf, type AnyNodeOptions } from "./node-checks.ts";
import { checkFlowControl } from "./flow-control.ts";
import { checkStartRules } from "./start-rule-checks.ts";
import type { AnyOptions, CheckedOptions, WorkerOptions, WorkerRun } from "./worker-types.ts";

/**
 * A named function that graphs use, or that is started alone.
 * @throws SvcError `SVC_DEFINITION` for an invalid name or option.
 * @example
 * const charge = worker("charge", { timeout: "30s" }, async (input: { cents: number }, ctx) => {
 *   await ctx.step("log", () => console.log(input.cents));
 *   return { ok: true };
 * });
 */
export function worker<Input, Output, State extends object = Record<string, Json>>(
  name: string,
  run: WorkerRun<Input, Output, State>,
): Worker<Input, Output>;
export function worker<Schema extends StandardSchema, Output, State extends object = Record<string, Json>>(
  name: string,
  options: CheckedOptions<Schema, NoInfer<Output>>,
  run: WorkerRun<OutputOf<Schema>, Output, State>,
): Worker<InputOf<Schema>, Output>;
export function worker<Input, Output, State extends object = Record<string, Json>>(
  name: string,
  options: WorkerOptions<Input, NoInfer<Output>>,
  run: WorkerRun<Input, Output, State>,
): Worker<Input, Output>;
export function worker(
  name: string,
  optionsOrRun: AnyOptions | WorkerRun<never, unknown>,
  maybeRun?: WorkerRun<never, unknown>,
): Worker<never, unknown> {
  const options = typeof optionsOrRun === "function" ? {} : optionsOrRun;
  const run = typeof optionsOrRun === "function" ? optionsOrRun : maybeRun;
  requireName("worker", name);
  if (typeof run !== "function") throw refused(`The worker "${name}" has no function to run`);
  checkWorker(name, options);
  const made = { kind: "worker", name, options, run } as const;
  reportDeclared(made);
  return made;
}

/**
 * Named nodes and their order. The node that `build` returns has the run's result; without one, the result has the results of the last
 * nodes by name.
 * @throws SvcError `SVC_DEFINITION` that names a duplicate, a missing node or a cycle.
 * @example
 * const order = graph<{ cents: number }, { ok: boolean }>("order", (g) => {
 *   return g.node("pay", charge); // its input is the run's
 * });
 */
export function graph<Data, Output = unknown>(
  name: string,
  build: (g: GraphBuilder<Data[]>) => NodeRef<Output> | void,
  options: BatchGraphOptions<Data>,
): GraphDefinition<Data[], Output>;
export function graph<Input = unknown, Output = unknown>(
  name: string,
  build: (g: GraphBuilder<unknown extends Input ? never : Input>) => NodeRef<Output> | void,
  options?: GraphOptions<Input>,
): GraphDefinition<Input, Output>;
export function graph(
  name: string,
  build: (g: never) => NodeRef | void,
  options: StoredGraphOptions = {},
): GraphDefinition {
  requireName("graph", name);
  checkGraph(name, options);
  checkGraphEvents(name, options);
  checkStartRules(name, options);
  checkFlowControl(name, options);
  if (typeof build !== "function") throw refused(`The graph "${name}" has no function that declares its nodes`);
  const nodes: NodeDefinition[] = [];
  const add = (node: NodeDefinition): NodeRef<never, never, never> => {
    requireName(`node of graph "${name}"`, node.name);
    if (nodes.some((other) => other.name === node.name))
      throw refused(`The graph "${name}" has two nodes named "${node.name}"; names must differ`);
    nodes.push(node);
    // The builder's types know its name and result.
    return { name: node.name as never };
  };
  const builder: GraphBuilder = {
    node: (nodeName: string, nodeWorker: unknown, given?: object) =>
      add(nodeOf(calledNode(name, nodeName), nodeName, nodeWorker, given as AnyNodeOptions | undefined)),
    map: (nodeName: string, nodeWorker: unknown, from: NodeRef, items: unknown, given?: MapOptions) =>
      add(fanOutOf(calledNode(name, nodeName), nodeName, nodeWorker, from, items, given)),
  };
  // The overloads say which input the builder's types check.
  const returned: unknown = build(builder as never);
  return finish(name, nodes, outputOf(name, returned, nodes), options);
}

function nodeOf(what: string, name: string, worker: unknown, options: AnyNodeOptions = {}): NodeDefinition {
  checkNode(what, options);
  const after = (options.after ?? []).map((ref) => ref.name);
  const { on } = options;
  const usual = on === "failed" ? firstError : after.length === 0 ? asIs : byName;
  const input = (options.input ?? usual) as NodeDefinition["input"];
  const when = options.when as NodeDefinition["when"];
  const mayFail = options.onError === "continue";
  return { ...useOf(what, name, worker, options), after, input, mayFail, ...(when && { when }), ...(on && { on }) };
}

function fanOutOf(
  what: string,
  name: string,
  worker: unknown,
  from: NodeRef,
  items: unknown,
  options: MapOptions = {},
): NodeDefinition {
  checkMap(what, from, items, options);
  const { concurrency = Infinity, onError, after = [] } = options;
  return {
    ...useOf(what, name, worker, options),
    after: [from.name, ...after.map((ref) => ref.name)],
    input: asIs,
    mayFail: onError === "collect",
    map: { from: from.name, items: items as FanOut["items"], concurrency },
  };
}

/** The options that fan-outs and other nodes share. */
function useOf(what: string, name: string, worker: unknown, { retry, timeout }: AnyNodeOptions | MapOptions) {
  return {
    name,
    worker: workerOf(what, worker),
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

/** A single worker is a graph of one node. */
export function graphOfWorker(single: Worker<never, unknown>): GraphDefinition {
  return finish(
    single.name,
    [{ name: single.name, worker: single, after: [], input: asIs, mayFail: false }],
    single.name,
    single.options.version === undefined ? {} : { version: single.options.version },
  );
}

/** Whether a node's input is computed from stored JSON only. */
export function isMadeOfJson(input: NodeDefinition["input"]): boolean {
  return input === asIs || input === byName || input === firstError;
}

const asIs = (graphInput: Json): Json => graphInput;
const byName = (_graphInput: Json, deps: Record<string, Json>): Json => deps;
const firstError = (_graphInput: Json, errors: Record<string, Json>): Json =>
  Object.values(errors).find((error) => error !== null) ?? null;

function finish<Input, Output>(
  name: string,
  declared: readonly NodeDefinition[],
  output: string | undefined,
  options: StoredGraphOptions = {},
): GraphDefinition<Input, Output> {
  if (declared.length === 0) throw refused(`The graph "${name}" has no nodes`);
  const known = new Set(declared.map((node) => node.name));
  for (const node of declared) {
    const missing = node.after.find((other) => !known.has(other));
    if (missing !== undefined)
      throw refused(`The node "${node.name}" of graph "${name}" waits for "${missing}", which the graph does not have`);
  }
  requireNoCycle(name, declared);
  const nodes = withFailureHandler(name, withErrorBranches(name, declared), options);
  const shape = nodes.map((node) => [
    node.name,
    node.worker.name,
    node.after,
    node.map?.from ?? null,
    ...(node.on ? [node.on] : []),
  ]);
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
