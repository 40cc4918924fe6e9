/** Limits of values, progress and pauses, which an operator may change. */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { checkKeys, checkTime, refused } from "./definition-checks.ts";

export interface GraphLimits {
  /** Bytes of JSON for an input: of a run, of a called worker, of a signal. Default 16 MiB. */
  inputBytes?: number;
  /** Bytes of JSON for a result or state of a node or step. Default 16 MiB. */
  resultBytes?: number;
  /** Bytes of JSON for an event of `ctx.emit`, which every follower receives. Default 256 KiB. */
  eventBytes?: number;
  /** Progress events per second and run, 1 to 100; 0 and 1 are always sent. Default 10. */
  progressPerSecond?: number;
  /** Grace period of a pause that names none. Default: until attempts are done. */
  pauseGrace?: Duration;
}

/** Effective limits. */
export interface ValueLimits {
  readonly inputBytes: number;
  readonly resultBytes: number;
  readonly eventBytes: number;
  readonly progressPerSecond: number;
  /** Undefined: no limit. */
  readonly pauseGraceMs: number | undefined;
}

/** Less can't hold an error message; more does not fit into a JavaScript string once escaped. */
export const VALUE_BYTES = { min: 1024, max: 128 * 1024 * 1024 } as const;
/** Each event is a row, and every follower receives it. */
export const EVENT_BYTES = { min: 1024, max: 16 * 1024 * 1024 } as const;
/** Faster than a screen is of no use. */
export const PROGRESS_RATE = { min: 1, max: 100 } as const;

/** Enough for a large lockfile but not for a film; events small enough for many followers; progress faster than anybody reads. */
export const DEFAULT_LIMITS: ValueLimits = {
  inputBytes: 16 * 1024 * 1024,
  resultBytes: 16 * 1024 * 1024,
  eventBytes: 256 * 1024,
  progressPerSecond: 10,
  pauseGraceMs: undefined,
};

const BOUNDS = {
  inputBytes: VALUE_BYTES,
  resultBytes: VALUE_BYTES,
  eventBytes: EVENT_BYTES,
  progressPerSecond: PROGRESS_RATE,
} as const;

/** @throws SvcError `SVC_DEFINITION` */
export function readLimits(given: GraphLimits = {}): ValueLimits {
  checkKeys("graphLimits", given, [...Object.keys(BOUNDS), "pauseGrace"]);
  const whole = (name: keyof typeof BOUNDS): number => {
    const value = given[name] ?? DEFAULT_LIMITS[name];
    const { min, max } = BOUNDS[name];
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw refused(`graphLimits has ${name} ${value}; use a whole number from ${min} to ${max}`);
  };
  const { pauseGrace } = given;
  checkTime("graphLimits", "pauseGrace", pauseGrace);
  return {
    inputBytes: whole("inputBytes"),
    resultBytes: whole("resultBytes"),
    eventBytes: whole("eventBytes"),
    progressPerSecond: whole("progressPerSecond"),
    pauseGraceMs: pauseGrace === undefined ? undefined : durationMs(pauseGrace),
  };
}
