/** What `ctx.call` and `ctx.map` are given. It is the author's: checked before anything of the graph is changed by it. */
import { checkRetry, checkTime } from "../definition/checks.ts";
import type { CallOptions } from "../definition/context-types.ts";
import type { Worker } from "../definition/definition-types.ts";
import { FinalError } from "../definition/final-error.ts";

type Method = "call" | "map";

/** @throws FinalError for what is no worker: trying again can't help. */
export function requireCalled(method: Method, key: string, callable: unknown): Worker<never, unknown> {
  if (isWorker(callable)) return callable;
  const { kind } = fieldsOf(callable);
  const [given, help] =
    kind === "graph"
      ? ["a graph", "use asWorker(graph)"]
      : [shown(callable), "use what worker(…) returned; what an import cycle has not made yet is undefined"];
  throw new FinalError(`ctx.${method}("${key}", …) was given ${given} in place of a worker; ${help}`);
}

/** @throws FinalError for an option that no worker may have either. */
export function requireCallOptions(method: Method, key: string, { retry, timeout }: CallOptions): void {
  const what = `ctx.${method}("${key}", …)`;
  try {
    checkRetry(what, retry);
    checkTime(what, "timeout", timeout);
  } catch (cause) {
    throw new FinalError((cause as Error).message, { cause });
  }
}

/** By shape: a worker's module may have its own copy of svc. */
function isWorker(value: unknown): value is Worker<never, unknown> {
  const { kind, name, options } = fieldsOf(value);
  return kind === "worker" && typeof name === "string" && typeof options === "object" && options !== null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Short: it may be anything. */
function shown(value: unknown): string {
  return typeof value === "string" ? `the text "${value.slice(0, 60)}"` : value === null ? "null" : typeof value;
}
