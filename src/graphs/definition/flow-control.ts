/** Flow control of a graph: checks its options, and computes the key of a run. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { checkCount, checkFunction, checkKeys, checkSpan, refused, requireObject, shown } from "./definition-checks.ts";
import type { GraphDefinition, StoredGraphOptions } from "./definition-types.ts";
import { CONCURRENCY_OPTIONS, ON_LIMIT, SINGLETON_OPTIONS, type GraphConcurrency } from "./flow-control-types.ts";
import { messageOf } from "./thrown.ts";

const MAX_KEY_LENGTH = 255;

/** @throws SvcError `SVC_DEFINITION` */
export function checkFlowControl(name: string, options: StoredGraphOptions): void {
  const what = `The graph "${name}"`;
  const { concurrency, singleton, ttl } = options;
  if (concurrency !== undefined && singleton !== undefined)
    throw refused(`${what} has concurrency and singleton; use one of them`);
  checkConcurrency(what, concurrency);
  checkSingleton(what, singleton);
  checkSpan(what, "ttl", ttl);
  if (ttl !== undefined && concurrency === undefined && singleton === undefined)
    throw refused(`${what} has ttl, and its runs never wait; add concurrency or singleton`);
}

function checkConcurrency(what: string, concurrency: StoredGraphOptions["concurrency"]): void {
  if (typeof concurrency !== "object" || concurrency === null) return void checkCount(what, "concurrency", concurrency);
  checkKeys(`${what}, in concurrency,`, concurrency, CONCURRENCY_OPTIONS);
  if (concurrency.limit === undefined) throw refused(`${what} lacks concurrency.limit`);
  checkCount(what, "concurrency.limit", concurrency.limit);
  checkFunction(what, "concurrency.key", concurrency.key);
  checkOnLimit(what, "concurrency.onLimit", concurrency.onLimit);
}

function checkSingleton(what: string, singleton: StoredGraphOptions["singleton"]): void {
  if (singleton === undefined) return;
  requireObject(what, "singleton", singleton, ' such as { onLimit: "cancel-oldest" }');
  checkKeys(`${what}, in singleton,`, singleton, SINGLETON_OPTIONS);
  checkFunction(what, "singleton.key", singleton.key);
  checkOnLimit(what, "singleton.onLimit", singleton.onLimit);
}

function checkOnLimit(what: string, option: string, value: unknown): void {
  if (value !== undefined && !ON_LIMIT.includes(value))
    throw refused(`${what} has ${option} ${shown(value)}; use ${ON_LIMIT.map(shown).join(", ")}`);
}

/** The limit of a graph's active runs; undefined: none. */
export function limitOf({ options }: GraphDefinition): GraphConcurrency | undefined {
  const { concurrency, singleton } = options;
  if (singleton) return { limit: 1, onLimit: "cancel-newest", ...singleton };
  return typeof concurrency === "number" ? { limit: concurrency } : concurrency;
}

/** Key under which a run with this input counts. @throws SvcError `SVC_INVALID` */
export function concurrencyKeyOf(name: string, { key }: GraphConcurrency, input: Json): string {
  if (!key) return "";
  const value = keyFrom(name, key, input);
  if (typeof value === "string" && value.length <= MAX_KEY_LENGTH) return value;
  throw new SvcError(
    "SVC_INVALID",
    `The key of "${name}" must be a text of at most ${MAX_KEY_LENGTH} characters; its function returned another value for this input`,
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
