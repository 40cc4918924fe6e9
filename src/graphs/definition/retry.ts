/**
 * Decides whether and when a failed node is retried: exponential backoff with a cap and jitter, and not before the time that the error
 * asks for.
 */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { isFinalError } from "./final-error.ts";

export interface RetryPolicy {
  /** Attempts in total. Default 3. */
  max?: number;
  /** Wait before the second attempt, doubled each time. Default "1s". */
  base?: Duration;
  /** Longest wait. Default "1m". */
  cap?: Duration;
  /** Shortens each wait at random by up to half, so that many failures don't return together. Default true. */
  jitter?: boolean;
  /** Names of errors (`error.name`) that a retry can't fix. Default none. */
  nonRetryable?: readonly string[];
  /**
   * Called for all other errors: false fails the node at once. Default: retry. An error's own `retryAfter` (`"30s"`, or milliseconds) is
   * the shortest wait, also above `cap`.
   */
  retryIf?: (error: unknown, attempt: number) => boolean;
}

const DEFAULTS = { max: 3, base: "1s", cap: "1m", jitter: true } as const;

export interface FailedAttempt {
  /** Number of the failed attempt, from 1. */
  attempt: number;
  /** The thrown value. */
  cause: unknown;
  /** 0 to below 1. */
  random: number;
}

/**
 * @returns milliseconds until the next attempt; undefined if there is none.
 * @throws errors of `retryIf`.
 */
export function retryDelayMs(policy: RetryPolicy | undefined, failed: FailedAttempt): number | undefined {
  const { max, base, cap, jitter, nonRetryable, retryIf } = { ...DEFAULTS, ...policy };
  const { attempt, cause, random } = failed;
  if (attempt >= max || isFinalError(cause)) return undefined;
  if (nonRetryable?.includes(nameOf(cause))) return undefined;
  if (retryIf && !retryIf(cause, attempt)) return undefined;
  const fullMs = Math.min(durationMs(base) * 2 ** (attempt - 1), durationMs(cap));
  const ownMs = jitter ? Math.round(fullMs * (0.5 + random / 2)) : fullMs;
  return Math.max(ownMs, askedForMs(cause));
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : "";
}

/** `retryAfter` of an error, as in HTTP's Retry-After. An invalid value is ignored. */
function askedForMs(cause: unknown): number {
  const command =
    typeof cause === "object" && cause !== null ? (cause as { retryAfter?: unknown }).retryAfter : undefined;
  try {
    return command === undefined ? 0 : durationMs(command as Duration);
  } catch {
    return 0;
  }
}
