/** Runs a step of a worker: its tries, each with its own timeout. Its caller stores the result. */
import { setMaxListeners } from "node:events";
import { durationMs, sleep, type Clock } from "../../platform/shared/clock.ts";
import { AttemptTimeout } from "./attempt/attempt-limits.ts";
import { whenAborted } from "./attempt/abort.ts";
import { readableError } from "../definition/thrown.ts";
import { retryDelayMs } from "../definition/retry.ts";
import type { StepInfo, StepOptions } from "../definition/context-types.ts";

export interface StepRun {
  fn: (info: StepInfo) => unknown;
  options: StepOptions;
  clock: Clock;
  random: () => number;
  /** Signal of the attempt. */
  signal: AbortSignal;
  idempotencyKey: string;
  /** Called before the wait for another try. */
  onRetry: (error: unknown, attempt: number, delayMs: number) => void;
}

/** @throws the error of the last try, or the signal's reason. */
export async function runStep(run: StepRun): Promise<unknown> {
  const { clock, options, random, signal, onRetry } = run;
  // Without a policy of its own a step has one try: its node is retried.
  const policy = { max: 1, ...options.retry };
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(run, attempt);
    } catch (thrown) {
      signal.throwIfAborted();
      const cause = readableError(thrown);
      const delayMs = retryDelayMs(policy, { attempt, cause, random: random() });
      if (delayMs === undefined) throw cause;
      onRetry(cause, attempt, delayMs);
      await sleep(clock, delayMs, signal);
    }
  }
}

/** One try: ends with the function, with the attempt, or at its timeout. */
async function runOnce({ fn, options, clock, signal, idempotencyKey }: StepRun, attempt: number): Promise<unknown> {
  const { timeout } = options;
  const limit = new AbortController();
  const late = (): void => limit.abort(new AttemptTimeout(`No result within ${timeout}`));
  const timer = timeout === undefined ? undefined : clock.schedule(durationMs(timeout), late);
  const both = timeout === undefined ? signal : AbortSignal.any([signal, limit.signal]);
  setMaxListeners(Infinity, both);
  const aborted = whenAborted(both);
  try {
    return await Promise.race([(async () => fn({ signal: both, idempotencyKey, attempt }))(), aborted.promise]);
  } finally {
    timer?.cancel();
    aborted.stop();
  }
}
