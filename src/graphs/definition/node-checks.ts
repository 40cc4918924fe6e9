/** Validates the nodes of a graph. Each error names graph and node. */
import {
  checkCount,
  checkFunction,
  checkKeys,
  checkRetry,
  checkTime,
  refused,
  requireObject,
  shown,
} from "./definition-checks.ts";
import type { ErrorBranchOptions, MapOptions, NodeOptions } from "./builder-types.ts";
import type { NodeRef, Worker } from "./definition-types.ts";
import { asWorker } from "./graph-worker.ts";
import { isGraph, isWorker, notWorker } from "./worker-shape.ts";

/** All options of a node. An unknown option is rejected, not ignored. */
const NODE_KEYS: Required<{ [Key in keyof NodeOptions]: true }> = {
  after: true,
  retry: true,
  timeout: true,
  input: true,
  when: true,
  onError: true,
  on: true,
};

/** Options of a node of any kind. */
export type AnyNodeOptions = Omit<NodeOptions, "on"> & { on?: ErrorBranchOptions["on"] };

const MAP_KEYS: Required<{ [Key in keyof MapOptions]: true }> = {
  after: true,
  retry: true,
  timeout: true,
  concurrency: true,
  onError: true,
};

/** Name of a node in messages. */
export function calledNode(graphName: string, name: string): string {
  return `The node "${name}" of graph "${graphName}"`;
}

/** @throws SvcError `SVC_DEFINITION`, as all checks here. */
export function checkNode(what: string, options: AnyNodeOptions): void {
  checkUse(what, options, Object.keys(NODE_KEYS));
  checkFunction(what, "input", options.input);
  checkFunction(what, "when", options.when);
  checkChoice(what, options.onError, ["fail", "continue"]);
  const { on, after = [] } = options;
  if (on === undefined) return;
  if (on !== "failed")
    throw refused(`${what} has on ${shown(on)}; use "failed", or nothing for a node that runs after success`);
  if (after.length === 0) throw refused(`${what} has on "failed" and lacks after: the nodes whose failure it handles`);
}

export function checkMap(what: string, from: unknown, items: unknown, options: MapOptions): void {
  checkUse(what, options, Object.keys(MAP_KEYS));
  checkCount(what, "concurrency", options.concurrency);
  checkChoice(what, options.onError, ["fail", "collect"]);
  if (!isRef(from))
    throw refused(`${what} fans out over ${shown(from)}; use what g.node or g.map returned for the node before it`);
  if (typeof items !== "function")
    throw refused(
      `${what} has items ${shown(items)}; use a function that returns an array, such as (result) => result.files`,
    );
}

/** The worker of a node. */
export function workerOf(what: string, given: unknown): Worker<never, unknown> {
  if (isGraph(given)) return asWorker(given);
  if (isWorker(given)) return given;
  throw refused(`${what} was given ${notWorker(given)}`);
}

/** Validates the return value of `build`. @returns name of the node with the run's result. */
export function outputOf(name: string, returned: unknown, nodes: readonly NodeRef[]): string | undefined {
  if (returned === undefined) return undefined;
  const what = `The function of graph "${name}"`;
  if (returned instanceof Promise)
    throw refused(`${what} returns a promise; declare nodes synchronously, and move asynchronous work into a worker`);
  if (!isRef(returned))
    throw refused(`${what} returns ${shown(returned)}; return nothing, or what g.node or g.map returned`);
  if (!nodes.some((node) => node.name === returned.name))
    throw refused(`${what} returns the node "${returned.name}", which the graph does not have`);
  return returned.name;
}

function checkUse(what: string, options: AnyNodeOptions | MapOptions, known: readonly string[]): void {
  requireObject(what, "options", options);
  checkKeys(what, options, known);
  const { after = [], retry, timeout } = options;
  checkRetry(what, retry);
  checkTime(what, "timeout", timeout);
  const isList = Array.isArray(after);
  const odd: unknown = isList ? after.find((ref) => !isRef(ref)) : after;
  if (!isList || !after.every(isRef))
    throw refused(
      `${what} has ${isList ? "in after" : "after"} ${shown(odd)}; use what g.node and g.map returned, such as after: [parse]`,
    );
}

function checkChoice(what: string, onError: unknown, [usual, other]: readonly [string, string]): void {
  if (onError !== undefined && onError !== usual && onError !== other)
    throw refused(`${what} has onError ${shown(onError)}; use "${usual}" or "${other}"`);
}

function isRef(value: unknown): value is NodeRef {
  return typeof value === "object" && value !== null && typeof (value as Partial<NodeRef>).name === "string";
}
