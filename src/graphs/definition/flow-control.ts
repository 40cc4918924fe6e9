/** Flow control of a graph: checks its options, and computes the key of a run. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { checkCount, checkFunction, checkKeys, checkSpan, refused, requireObject, shown } from "./definition-checks.ts";
import type { GraphDefinition, StoredGraphOptions } from "./definition-types.ts";
import {
  CONCURRENCY_OPTIONS,
  FAIRNESS_OPTIONS,
  ON_LIMIT,
  SINGLETON_OPTIONS,
  type Fairness,
  type GraphConcurrency,
} from "./flow-control-types.ts";
import { messageOf } from "./thrown.ts";

const MAX_KEY_LENGTH = 255;
const [MIN_WEIGHT, MAX_WEIGHT] = [0.001, 1000];

/** The limit of a graph's active runs, and how waiting runs share it. */
export interface RunLimit extends GraphConcurrency {
  fairness?: Fairness;
}

/** @throws SvcError `SVC_DEFINITION` */
export function checkFlowControl(name: string, options: StoredGraphOptions): void {
  const what = `The graph "${name}"`;
  const { concurrency, singleton, fairness, ttl } = options;
  if (concurrency !== undefined && singleton !== undefined)
    throw refused(`${what} has concurrency and singleton; use one of them`);
  checkConcurrency(what, concurrency);
  checkSingleton(what, singleton);
  checkFairness(what, fairness);
  checkSpan(what, "ttl", ttl);
  const hasLimit = concurrency !== undefined || singleton !== undefined;
  if (ttl !== undefined && !hasLimit)
    throw refused(`${what} has ttl, and its runs never wait; add concurrency or singleton`);
  if (fairness !== undefined && !waits(options))
    throw refused(`${what} has fairness, and its runs never wait; add concurrency or singleton with onLimit "queue"`);
}

/** Whether runs may wait for a key. */
function waits({ concurrency, singleton }: StoredGraphOptions): boolean {
  if (singleton) return singleton.onLimit === "queue";
  if (typeof concurrency === "object") return (concurrency.onLimit ?? "queue") === "queue";
  return concurrency !== undefined;
}

function checkFairness(what: string, fairness: StoredGraphOptions["fairness"]): void {
  if (fairness === undefined) return;
  requireObject(what, "fairness", fairness, " such as { key: (input) => input.tenant }");
  checkKeys(`${what}, in fairness,`, fairness, FAIRNESS_OPTIONS);
  if (fairness.key === undefined) throw refused(`${what} lacks fairness.key`);
  checkFunction(what, "fairness.key", fairness.key);
  const { weight } = fairness;
  if (weight !== undefined && typeof weight !== "function" && !isWeight(weight))
    throw refused(
      `${what} has fairness.weight ${shown(weight)}; use a number from ${MIN_WEIGHT} to ${MAX_WEIGHT}, or a function`,
    );
}

function isWeight(value: unknown): value is number {
  return typeof value === "number" && value >= MIN_WEIGHT && value <= MAX_WEIGHT;
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
export function limitOf({ options }: GraphDefinition): RunLimit | undefined {
  const { concurrency, singleton, fairness } = options;
  const shared = fairness && { fairness };
  if (singleton) return { limit: 1, onLimit: "cancel-newest", ...singleton, ...shared };
  if (concurrency === undefined) return undefined;
  return { ...(typeof concurrency === "number" ? { limit: concurrency } : concurrency), ...shared };
}

/** Key under which a run with this input counts. @throws SvcError `SVC_INVALID` */
export function concurrencyKeyOf(name: string, { key }: GraphConcurrency, input: Json): string {
  return key ? keyFrom(`The key of "${name}"`, key, input) : "";
}

/** Key by which a run with this input shares the limit, and its share. @throws SvcError `SVC_INVALID` */
export function shareOf(
  name: string,
  { fairness }: RunLimit,
  input: Json,
): { fairnessKey: string | undefined; fairnessCost: number | undefined } {
  if (!fairness) return { fairnessKey: undefined, fairnessCost: undefined };
  const { key, weight = 1 } = fairness;
  const what = `The fairness weight of "${name}"`;
  const value = typeof weight === "number" ? weight : ofAuthor(what, weight, input);
  if (!isWeight(value))
    throw new SvcError(
      "SVC_INVALID",
      `${what} must be a number from ${MIN_WEIGHT} to ${MAX_WEIGHT}; its function returned another value for this input`,
    );
  return { fairnessKey: keyFrom(`The fairness key of "${name}"`, key, input), fairnessCost: 1 / value };
}

function keyFrom(what: string, key: (input: never) => string, input: Json): string {
  const value = ofAuthor(what, key, input);
  if (typeof value === "string" && value.length <= MAX_KEY_LENGTH) return value;
  throw new SvcError(
    "SVC_INVALID",
    `${what} must be a text of at most ${MAX_KEY_LENGTH} characters; its function returned another value for this input`,
  );
}

/** The author's function gets the input as the graph declares it. */
function ofAuthor(what: string, compute: (input: never) => unknown, input: Json): unknown {
  try {
    return compute(input as never);
  } catch (cause) {
    throw new SvcError("SVC_INVALID", `${what} can't be computed from this input: ${messageOf(cause)}`, { cause });
  }
}
