/** Recognises workers by shape, because their module may load its own copy of svc. */
import { refused } from "./definition-checks.ts";
import type { GraphDefinition, Worker } from "./definition-types.ts";

export function isWorker(value: unknown): value is Worker<never, unknown> {
  const { kind, name, options, run } = fieldsOf(value);
  const isNamed = kind === "worker" && typeof name === "string";
  return isNamed && typeof run === "function" && typeof options === "object" && options !== null;
}

export function isGraph(value: unknown): value is GraphDefinition {
  const { kind, name, nodes } = fieldsOf(value);
  return kind === "graph" && typeof name === "string" && Array.isArray(nodes);
}

/**
 * Validates the lists of workers and graphs of an app or engine.
 * @throws SvcError `SVC_DEFINITION` for an entry in the wrong list, or of neither kind.
 */
export function requireListed(workers: readonly unknown[], graphs: readonly unknown[]): void {
  for (const one of workers) {
    if (isGraph(one)) throw refused(`"workers" has the graph "${one.name}"; list graphs in "graphs"`);
    if (!isWorker(one)) throw refused(`"workers" has ${notWorker(one)}`);
  }
  for (const one of graphs) {
    if (isWorker(one)) throw refused(`"graphs" has the worker "${one.name}"; list workers in "workers"`);
    if (!isGraph(one))
      throw refused(`"graphs" has ${shownShort(one)} instead of a graph; use the return value of graph(…)`);
  }
}

/** For messages: `undefined instead of a worker; use …`. Short, because the value may be anything. */
export function notWorker(value: unknown): string {
  return `${shownShort(value)} instead of a worker; use the return value of worker(…). In an import cycle it is undefined until its module has run`;
}

function shownShort(value: unknown): string {
  if (typeof value === "string") return `the text "${value.slice(0, 60)}"`;
  return value === null ? "null" : typeof value;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
