/** Flow control of a graph: checks its options, and computes the key of a run. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { checkCount, checkFunction, checkKeys, refused } from "./definition-checks.ts";
import type { GraphDefinition, StoredGraphOptions } from "./definition-types.ts";
import { CONCURRENCY_OPTIONS, type GraphConcurrency } from "./flow-control-types.ts";
import { messageOf } from "./thrown.ts";

const MAX_KEY_LENGTH = 255;

/** @throws SvcError `SVC_DEFINITION` */
export function checkFlowControl(name: string, { concurrency }: StoredGraphOptions): void {
  const what = `The graph "${name}"`;
  if (typeof concurrency !== "object" || concurrency === null) return void checkCount(what, "concurrency", concurrency);
  checkKeys(`${what}, in concurrency,`, concurrency, CONCURRENCY_OPTIONS);
  if (concurrency.limit === undefined) throw refused(`${what} lacks concurrency.limit`);
  checkCount(what, "concurrency.limit", concurrency.limit);
  checkFunction(what, "concurrency.key", concurrency.key);
}

/** The limit of a graph's active runs; undefined: none. */
export function limitOf({ options }: GraphDefinition): GraphConcurrency | undefined {
  const { concurrency } = options;
  return typeof concurrency === "number" ? { limit: concurrency } : concurrency;
}

/** Key under which a run with this input counts. @throws SvcError `SVC_INVALID` */
export function concurrencyKeyOf(name: string, { key }: GraphConcurrency, input: Json): string {
  if (!key) return "";
  const value = keyFrom(name, key, input);
  if (typeof value === "string" && value.length <= MAX_KEY_LENGTH) return value;
  throw new SvcError(
    "SVC_INVALID",
    `The key of "${name}" must be a text of at most ${MAX_KEY_LENGTH} characters; concurrency.key returned another value for this input`,
  );
}

/** The author's function gets the input as the graph declares it. */
function keyFrom(name: string, key: NonNullable<GraphConcurrency["key"]>, input: Json): unknown {
  try {
    return key(input as never);
  } catch (cause) {
    throw new SvcError("SVC_INVALID", `The key of "${name}" can't be computed from this input: ${messageOf(cause)}`, {
      cause,
    });
  }
}
