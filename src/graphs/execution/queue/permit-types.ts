/**
 * Limits of a worker that hold over all processes. If its author has set one and several processes share the store, an attempt needs a
 * permit in addition to its slot. Workers without a limit need none.
 */
import { durationMs } from "../../../platform/shared/clock.ts";
import type { AnyOptions } from "../../definition/worker-types.ts";

export interface SharedLimits {
  /** Limit of concurrent attempts. */
  total: number | undefined;
  /** Limit of concurrent attempts of one key. */
  perKey: number | undefined;
  rate: { limit: number; perMs: number } | undefined;
}

export interface PermitWant {
  worker: string;
  limits: SharedLimits;
  /** Key that counts it; empty if limits are not per key. */
  key: string;
  rateKey: string;
  /** False after a wait: the rate counted it when it started. */
  isStart: boolean;
  /** Asked before each try: the run may have been cancelled or paused. */
  isWanted: () => boolean;
}

/** `permit` must be returned; undefined: nothing to return. */
export type PermitAnswer =
  | { kind: "granted"; permit: string | undefined }
  /** The rate allows nothing for this time. */
  | { kind: "refused"; waitMs: number }
  /** The permit is no longer needed. */
  | { kind: "dropped" };

export interface Permits {
  /** Resolves with a permit, with a refusal by the rate, or when it is no longer needed. Waits for running attempts. Never rejects. */
  take(want: PermitWant): Promise<PermitAnswer>;
  /** Returns the permit of an attempt that has ended or waits. */
  giveBack(permit: string): void;
}

/** @returns undefined if the worker has no limit of its own: the default number of slots applies to each process. */
export function sharedLimits({ concurrency, rate }: AnyOptions): SharedLimits | undefined {
  if (concurrency === undefined && rate === undefined) return undefined;
  const isKeyed = typeof concurrency === "object";
  return {
    total: isKeyed ? concurrency.total : concurrency,
    perKey: isKeyed ? concurrency.limit : undefined,
    rate: rate && { limit: rate.limit, perMs: durationMs(rate.per) },
  };
}
