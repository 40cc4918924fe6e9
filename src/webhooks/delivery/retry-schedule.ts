/**
 * Times of retries. Pure. The default is the example schedule of Standard Webhooks 1.0.0 ("Retries"): ten attempts, each delay counted
 * from the previous attempt, 75 h 35 min 5 s in total.
 * A replay after the last attempt starts a new round: the position is the number of attempts modulo the length of the schedule, without
 * another counter.
 */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";

export const DEFAULT_SCHEDULE: readonly Duration[] = ["0s", "5s", "5m", "30m", "2h", "5h", "10h", "14h", "20h", "24h"];

/** Largest share of a delay that jitter adds. It never shortens a delay. */
const JITTER = 0.2;
/** Longest wait that a receiver may request. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Delays in milliseconds, including the first attempt's. @throws SvcError `SVC_CONFIG` */
export function readSchedule(schedule: readonly Duration[]): readonly number[] {
  if (schedule.length === 0) throw new SvcError("SVC_CONFIG", "the webhook schedule is empty; give at least one delay");
  return schedule.map((delay) => {
    try {
      return durationMs(delay);
    } catch (cause) {
      throw new SvcError("SVC_CONFIG", `webhook schedule: ${(cause as Error).message}`, { cause });
    }
  });
}

export interface FailedAttempt {
  /** Number of the failed attempt, from 1, over all rounds. */
  number: number;
  nowMs: number;
  /** Wait that `Retry-After` requested. */
  retryAfterMs?: number | undefined;
  /** From 0 to below 1. */
  random: number;
}

/** Time of the next attempt, Unix milliseconds; undefined if the round is over. */
export function nextAttemptMs(delaysMs: readonly number[], attempt: FailedAttempt): number | undefined {
  const position = attempt.number % delaysMs.length;
  const delayMs = position === 0 ? undefined : delaysMs[position];
  if (delayMs === undefined) return undefined;
  const askedMs = Math.min(attempt.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return attempt.nowMs + Math.max(Math.round(delayMs * (1 + JITTER * attempt.random)), askedMs);
}

/**
 * Wait of a `Retry-After` header in milliseconds (RFC 9110 section 10.2.3: seconds or an HTTP date).
 * @returns undefined if it is missing, malformed or in the past
 */
export function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts far more than HTTP dates ("1" is a year). Only HTTP dates start with a day name.
  const atMs = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return atMs > nowMs ? atMs - nowMs : undefined;
}
