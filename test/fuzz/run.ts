/** Runs one kind of input for a limited time against a fresh app, and checks the app for leaks. */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import type { Middleware } from "svckit";
import { openTarget, type Target } from "./app.ts";
import type { Kind } from "./kinds.ts";

export interface FuzzOptions {
  /** Determines every input. Failures print it. */
  seed: number;
  /** Time limit in milliseconds. */
  budgetMs: number;
  /** Maximum number of inputs, so that fast machines do not try inputs that slow ones never reach. Default: no limit. */
  maxInputs?: number;
  /** Middleware around every route of the app. Default: none. */
  middleware?: readonly Middleware[];
  /** Time within which requests, streams and files must be gone after the last input. Default: far more than a busy machine needs. */
  quietWithinMs?: number;
}

export interface Outcome {
  runs: number;
  /** Heap growth over the last three quarters of the time. */
  grownBytes: number;
}

/** Minimum number of inputs per kind, however slow the machine. */
export const LEAST_INPUTS = 48;

const QUIET_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** Share of the time for warm-up. Afterwards caches are full and code is compiled, so further growth indicates a leak. */
const WARM_UP = 0.25;
/** Slack for caches that still fill and for the garbage collector. A leaked context per request would exceed it several times. */
const MAX_GROWTH_BYTES = 12 * 1024 * 1024;

const MAX_REPORT_LENGTH = 2000;

/** @throws Error with the seed and the smallest failing input. */
export async function fuzz(
  kind: Kind,
  { seed, budgetMs, maxInputs = Infinity, middleware, quietWithinMs = QUIET_WITHIN_MS }: FuzzOptions,
): Promise<Outcome> {
  const unhandled: unknown[] = [];
  const hear = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", hear);
  const target = await openTarget(middleware);
  try {
    const property = kind.property(target);
    const perRun = kind.inputsPerRun ?? 1;
    const maxRuns = maxInputs / perRun;
    let runs = await check(property, { seed, numRuns: Math.ceil(Math.min(maxInputs, LEAST_INPUTS) / perRun) });
    runs += await tryFor(property, seed, budgetMs * WARM_UP, maxRuns * WARM_UP);
    const beforeBytes = heapBytes();
    runs += await tryFor(property, seed + 1, budgetMs * (1 - WARM_UP), maxRuns * (1 - WARM_UP));
    const grownBytes = heapBytes() - beforeBytes;
    const health = await fetch(`http://127.0.0.1:${target.port}/health`, {
      headers: { connection: "close" },
    });
    assert.equal(await health.text(), "ok");
    assert.deepEqual(
      await leftBy(target, quietWithinMs),
      { requests: 0, streams: 0, files: 0 },
      "resources that are still in use",
    );
    assert.deepEqual(unhandled, [], "unhandled rejections");
    assert.ok(
      kind.isKept || grownBytes < MAX_GROWTH_BYTES,
      `the heap has grown by ${grownBytes} bytes in ${runs} runs`,
    );
    return { runs, grownBytes };
  } finally {
    await target.close();
    process.off("unhandledRejection", hear);
  }
}

/** Waits until everything is released, or the time is over. @returns what remains */
async function leftBy(target: Target, withinMs: number): Promise<Record<string, number>> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const left = await target.left();
    if (Object.values(left).every((count) => count === 0) || Date.now() > deadlineMs) return left;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function tryFor(
  property: fc.IAsyncProperty<unknown>,
  seed: number,
  budgetMs: number,
  maxRuns: number,
): Promise<number> {
  return check(property, {
    seed,
    numRuns: Math.min(Math.ceil(maxRuns), Number.MAX_SAFE_INTEGER),
    interruptAfterTimeLimit: budgetMs,
    markInterruptAsFailure: false,
  });
}

/** @returns the number of runs */
async function check(property: fc.IAsyncProperty<unknown>, parameters: fc.Parameters<unknown>): Promise<number> {
  const details = await fc.check(property, parameters);
  if (details.failed && details.numRuns === 0 && details.interrupted) return 0;
  if (details.failed) throw failure(await fc.asyncDefaultReportMessage(details), details.errorInstance);
  return details.numRuns;
}

/** Shortens the report: inputs of many bytes are hard to read. */
function failure(report: string, cause: unknown): Error {
  const reported = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${report.slice(0, MAX_REPORT_LENGTH)}\n${reported.slice(0, MAX_REPORT_LENGTH)}`, { cause });
}

let collect: (() => void) | undefined;

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  collect ??= runInNewContext("gc") as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
