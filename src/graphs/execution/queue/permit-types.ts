/**
 * Limits of a worker that hold over all processes: where its author has set one, and several processes share the store, an attempt
 * needs a permit beside its place. What has no limit of its own asks for nothing.
 */
import { durationMs } from "../../../platform/shared/clock.ts";
import type { AnyOptions } from "../../definition/worker-types.ts";

export interface SharedLimits {
  /** How many may run at once. */
  total: number | undefined;
  /** … of one key. */
  perKey: number | undefined;
  rate: { limit: number; perMs: number } | undefined;
}

export interface PermitWant {
  worker: string;
  limits: SharedLimits;
  /** What it is counted under; empty where limits are not per key. */
  key: string;
  rateKey: string;
  /** False for what goes on after a wait: it was counted by the rate when it started. */
  isStart: boolean;
  /** Asked before each look: its graph may have been cancelled or paused since. */
  isWanted: () => boolean;
}

/** `permit` is to be given back; undefined: there is nothing to be given back. */
export type PermitAnswer =
  | { kind: "granted"; permit: string | undefined }
  /** By the rate, which lets none through for so long. */
  | { kind: "refused"; waitMs: number }
  /** It was not wanted any more. */
  | { kind: "dropped" };

export interface Permits {
  /** Resolves when there is a permit, the rate refuses it, or nobody wants it. Waits for those that run. Never rejects. */
  take(want: PermitWant): Promise<PermitAnswer>;
  /** What had it has ended, or waits. */
  giveBack(permit: string): void;
}

/** @returns undefined where the worker's author has set no limit: the usual number of places is each process's own. */
export function sharedLimits({ concurrency, rate }: AnyOptions): SharedLimits | undefined {
  if (concurrency === undefined && rate === undefined) return undefined;
  const isKeyed = typeof concurrency === "object";
  return {
    total: isKeyed ? concurrency.total : concurrency,
    perKey: isKeyed ? concurrency.limit : undefined,
    rate: rate && { limit: rate.limit, perMs: durationMs(rate.per) },
  };
}
