/** Validates declarations of workers and graphs. Each error names the worker and option, the given value and the allowed ones. */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { isSchema } from "../../platform/shared/schema.ts";
import { START_RULES } from "./start-rule-types.ts";
import type { RetryPolicy } from "./retry.ts";
import type { StoredGraphOptions } from "./definition-types.ts";
import type { AnyOptions } from "./worker-types.ts";

const NAME = /^[a-zA-Z][\w.-]{0,63}$/;

/** @throws SvcError `SVC_DEFINITION`, as all checks here. */
export function requireName(what: string, name: string): void {
  if (typeof name !== "string" || !NAME.test(name))
    throw refused(
      `"${String(name).slice(0, 100)}" is not a valid name for a ${what}; use a letter, then letters, digits, ".", "_" or "-", at most 64 characters`,
    );
}

/** All options of a worker with their checks. An unknown option is rejected, not ignored. */
const WORKER_CHECKS: { [Name in keyof Required<AnyOptions>]: (what: string, value: AnyOptions[Name]) => void } = {
  input: checkSchema,
  retry: checkRetry,
  timeout: (what, value) => checkTime(what, "timeout", value),
  heartbeat: (what, value) => checkSpan(what, "heartbeat", value),
  concurrency: checkConcurrency,
  perProcess: (what, value) => void checkCount(what, "perProcess", value),
  rate: checkRate,
  priority: checkPriority,
  suspend: checkSuspend,
  version: checkVersion,
  isolate: checkIsolate,
  onCancel: (what, value) => checkFunction(what, "onCancel", value),
  compensate: (what, value) => checkFunction(what, "compensate", value),
};

/** A thread does not start with less. */
const MIN_MEMORY_MB = 16;
const VERSION = /^[!-~]{1,64}$/;
const ON_ERROR: readonly unknown[] = [undefined, "fail-fast", "drain"];

function checkIsolate(what: string, isolate: AnyOptions["isolate"]): void {
  if (isolate === undefined) return;
  if (typeof isolate !== "object" || isolate === null)
    throw refused(`${what} has isolate ${shown(isolate)}; use { module: import.meta.url }`);
  checkKeys(`${what}, in isolate,`, isolate, ["module", "memoryMb"]);
  requireOption(what, "isolate.module", isolate.module);
  const { memoryMb } = isolate;
  if (memoryMb !== undefined && !(Number.isInteger(memoryMb) && memoryMb >= MIN_MEMORY_MB))
    throw refused(`${what} has isolate.memoryMb ${shown(memoryMb)}; use a whole number from ${MIN_MEMORY_MB}`);
}

function checkSuspend(what: string, suspend: unknown): void {
  if (suspend !== undefined && typeof suspend !== "boolean")
    throw refused(`${what} has suspend ${shown(suspend)}; use true or false`);
}

function checkSchema(what: string, value: unknown): void {
  if (value !== undefined && !isSchema(value))
    throw refused(
      `${what} has input ${shown(value)}; use a schema of Standard Schema, such as valibot's v.object({ … })`,
    );
}

function checkVersion(what: string, version: string | undefined): void {
  if (version !== undefined && (typeof version !== "string" || !VERSION.test(version)))
    throw refused(
      `${what} has version ${shown(version)}; use a text of 1 to 64 characters without spaces, such as "2"`,
    );
}

const GRAPH_OPTIONS: readonly string[] = [
  "timeout",
  "onError",
  "onFailure",
  "undoTimeout",
  "retention",
  "version",
  "on",
  "cancelOn",
  "concurrency",
  "singleton",
  "fairness",
  "ttl",
  ...START_RULES,
];

export function checkGraph(name: string, options: StoredGraphOptions): void {
  const what = `The graph "${name}"`;
  requireObject(what, "options", options);
  const { timeout, onError, onFailure, undoTimeout, retention, version } = options;
  checkKeys(what, options, GRAPH_OPTIONS);
  checkFunction(what, "onFailure", onFailure);
  checkVersion(what, version);
  checkSpan(what, "timeout", timeout);
  checkSpan(what, "undoTimeout", undoTimeout);
  checkTime(what, "retention", retention);
  if (!ON_ERROR.includes(onError)) throw refused(`${what} has onError ${shown(onError)}; use "fail-fast" or "drain"`);
}

export function checkWorker(name: string, options: AnyOptions): void {
  const what = `The worker "${name}"`;
  requireObject(what, "options", options);
  checkKeys(what, options, Object.keys(WORKER_CHECKS));
  for (const [option, check] of Object.entries(WORKER_CHECKS))
    (check as (what: string, value: unknown) => void)(what, options[option as keyof AnyOptions]);
  if (options.suspend && options.isolate)
    throw refused(
      `${what} has both suspend and isolate, but its thread keeps the attempt while it waits; use one of them`,
    );
}

const RETRY_KEYS: Required<{ [Name in keyof RetryPolicy]: true }> = {
  max: true,
  base: true,
  cap: true,
  jitter: true,
  nonRetryable: true,
  retryIf: true,
};

export function checkRetry(what: string, retry: RetryPolicy | undefined): void {
  if (retry === undefined) return;
  requireObject(what, "retry", retry, " such as { max: 3 }");
  checkKeys(`${what}, in retry,`, retry, Object.keys(RETRY_KEYS));
  checkCount(what, "retry.max", retry.max);
  checkTime(what, "retry.base", retry.base);
  checkTime(what, "retry.cap", retry.cap);
  checkFunction(what, "retry.retryIf", retry.retryIf);
  if (retry.jitter !== undefined && typeof retry.jitter !== "boolean")
    throw refused(`${what} has retry.jitter ${shown(retry.jitter)}; use true or false`);
  const { nonRetryable } = retry;
  if (nonRetryable === undefined) return;
  if (!Array.isArray(nonRetryable) || !nonRetryable.every((name) => typeof name === "string"))
    throw refused(`${what} has retry.nonRetryable ${shown(nonRetryable)}; use names of errors, such as ["TypeError"]`);
}

function checkConcurrency(what: string, value: AnyOptions["concurrency"]): void {
  if (typeof value !== "object" || value === null) return void checkCount(what, "concurrency", value);
  checkKeys(`${what}, in concurrency,`, value, ["limit", "key", "total"]);
  requireOption(what, "concurrency.limit", value.limit);
  requireOption(what, "concurrency.key", value.key);
  checkCount(what, "concurrency.limit", value.limit);
  checkFunction(what, "concurrency.key", value.key);
  checkCount(what, "concurrency.total", value.total);
}

function checkRate(what: string, rate: AnyOptions["rate"]): void {
  if (rate === undefined) return;
  if (typeof rate !== "object" || rate === null)
    throw refused(`${what} has rate ${shown(rate)}; use { limit: 10, per: "1s" }`);
  checkKeys(`${what}, in rate,`, rate, ["limit", "per", "key"]);
  requireOption(what, "rate.limit", rate.limit);
  requireOption(what, "rate.per", rate.per);
  checkCount(what, "rate.limit", rate.limit);
  checkSpan(what, "rate.per", rate.per);
  checkFunction(what, "rate.key", rate.key);
}

/** @param such example at the end of the message. */
export function requireObject(what: string, option: string, value: unknown, such = ""): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refused(`${what} has ${option} ${shown(value)}; use an object${such}`);
}

function requireOption(what: string, option: string, value: unknown): void {
  if (value === undefined) throw refused(`${what} lacks ${option}`);
}

/** A priority point equals a minute, so this is most of a day. */
const MAX_PRIORITY = 1000;

const PRIORITIES = `a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`;

function checkPriority(what: string, value: number | undefined): void {
  if (value !== undefined && !isPriority(value))
    throw refused(`${what} has priority ${shown(value)}; use ${PRIORITIES}`);
}

/** Priority of a start. @throws SvcError `SVC_INVALID` */
export function readPriority(value: unknown): number {
  if (isPriority(value)) return value;
  const problem = `must be ${PRIORITIES}`;
  throw new SvcError("SVC_INVALID", `"priority" ${problem}`, { issues: [{ path: ["priority"], message: problem }] });
}

function isPriority(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= MAX_PRIORITY;
}

export function checkCount(what: string, option: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
  throw refused(`${what} has ${option} ${shown(value)}; use a whole number from 1`);
}

/** @throws also for zero if that makes no sense. */
export function checkTime(what: string, option: string, value: Duration | undefined): number {
  try {
    return value === undefined ? Infinity : durationMs(value);
  } catch (cause) {
    throw new SvcError("SVC_DEFINITION", `${what}, in ${option}: ${(cause as Error).message}`, { cause });
  }
}

/** A duration above zero. */
export function checkSpan(what: string, option: string, value: Duration | undefined): void {
  if (checkTime(what, option, value) <= 0)
    throw refused(`${what} has ${option} ${shown(value)}; use a time above 0, such as "20s"`);
}

export function checkFunction(what: string, option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function")
    throw refused(`${what} has ${option} ${shown(value)}; use a function`);
}

export function checkKeys(what: string, given: object, allowed: readonly string[]): void {
  const stranger = Object.keys(given).find((key) => !allowed.includes(key));
  if (stranger !== undefined)
    throw refused(`${what} has an unknown option "${stranger}"; known: ${allowed.join(", ")}`);
}

export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  // Its text is up to the author, and may not exist.
  return typeof value === "object" && value !== null ? "of another kind" : String(value);
}

export function refused(message: string): SvcError {
  return new SvcError("SVC_DEFINITION", message);
}
