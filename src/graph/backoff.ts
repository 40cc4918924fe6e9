/** How long to wait before a node's next attempt: exponential, capped, with jitter so that many failures don't return together. */
import { durationMs } from "../shared/clock.ts";
import type { RetryPolicy } from "./types.ts";

const DEFAULTS = { max: 3, base: "1s", cap: "1m" } as const;

/**
 * @param attempt the attempt that just failed, from 1.
 * @param random 0 to below 1.
 * @returns milliseconds, or undefined when there is no attempt left.
 */
export function retryDelayMs(policy: RetryPolicy | undefined, attempt: number, random: number): number | undefined {
  const { max, base, cap } = { ...DEFAULTS, ...policy };
  if (attempt >= max) return undefined;
  const fullMs = Math.min(durationMs(base) * 2 ** (attempt - 1), durationMs(cap));
  return Math.round(fullMs * (0.5 + random / 2));
}
