/** Validates the arguments of `ctx.call` and `ctx.map` before the run changes. */
import { checkRetry, checkTime } from "../../definition/definition-checks.ts";
import type { CallOptions } from "../../definition/context-types.ts";
import type { Worker } from "../../definition/definition-types.ts";
import { FinalError } from "../../definition/final-error.ts";
import { isGraph, isWorker, notWorker } from "../../definition/worker-shape.ts";

type Method = "call" | "map";

/** @throws FinalError if it is not a worker, because a retry cannot help. */
export function validateCall(method: Method, key: string, callable: unknown): Worker<never, unknown> {
  if (isWorker(callable)) return callable;
  const given = isGraph(callable) ? "a graph instead of a worker; use asWorker(graph)" : notWorker(callable);
  throw new FinalError(`ctx.${method}("${key}", …) was given ${given}`);
}

/** @throws FinalError for an option that workers do not have either. */
export function requireCallOptions(method: Method, key: string, { retry, timeout }: CallOptions): void {
  const what = `ctx.${method}("${key}", …)`;
  try {
    checkRetry(what, retry);
    checkTime(what, "timeout", timeout);
  } catch (cause) {
    throw new FinalError((cause as Error).message, { cause });
  }
}
