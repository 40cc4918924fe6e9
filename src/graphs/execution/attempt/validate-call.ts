/** What `ctx.call` and `ctx.map` are given. It is the author's: checked before anything of the graph is changed by it. */
import { checkRetry, checkTime } from "../../definition/definition-checks.ts";
import type { CallOptions } from "../../definition/context-types.ts";
import type { Worker } from "../../definition/definition-types.ts";
import { FinalError } from "../../definition/final-error.ts";
import { isGraph, isWorker, notWorker } from "../../definition/worker-shape.ts";

type Method = "call" | "map";

/** @throws FinalError for what is no worker: trying again can't help. */
export function requireCalled(method: Method, key: string, callable: unknown): Worker<never, unknown> {
  if (isWorker(callable)) return callable;
  const given = isGraph(callable) ? "a graph in place of a worker; use asWorker(graph)" : notWorker(callable);
  throw new FinalError(`ctx.${method}("${key}", …) was given ${given}`);
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
