/**
 * Whether a node that failed is tried again, and when: exponential, capped, with jitter so that many failures don't return
 * together; no sooner than the error itself asks for.
 */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { isFinalError } from "./final-error.ts";

export interface RetryPolicy {
  /** Attempts in all, the first included. Default 3. */
  max?: number;
  /** Wait before the second attempt; doubles each time. Default "1s". */
  base?: Duration;
  /** Longest wait. Default "1m". */
  cap?: Duration;
  /** Whether a wait is cut at random, by half at most, so that many failures don't return together. Default true. */
  jitter?: boolean;
  /** Names of errors (`error.name`) that trying again can't help. Default none. */
  nonRetryable?: readonly string[];
  /**
   * Asked of every other error: false fails the node at once. Default: it is tried again. An error's own `retryAfter`
   * (`"30s"`, or milliseconds) is the least wait, beyond `cap` too.
   */
  retryIf?: (error: unknown, attempt: number) => boolean;
}

const DEFAULTS = { max: 3, base: "1s", cap: "1m", jitter: true } as const;

export interface FailedAttempt {
  /** The attempt that just failed, from 1. */
  attempt: number;
  /** What was thrown. */
  cause: unknown;
  /** 0 to below 1. */
  random: number;
}

/**
 * @returns milliseconds until the next attempt, or undefined when there is none.
 * @throws what `retryIf` throws.
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

/** `retryAfter` of an error: what the other side said, as HTTP's Retry-After does. Nonsense is no wish. */
function askedForMs(cause: unknown): number {
  const wish = typeof cause === "object" && cause !== null ? (cause as { retryAfter?: unknown }).retryAfter : undefined;
  try {
    return wish === undefined ? 0 : durationMs(wish as Duration);
  } catch {
    return 0;
  }
}
