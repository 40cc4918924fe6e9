/** How large values of graphs may be, and how long and how often things happen that an operator may want otherwise. */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { checkKeys, checkTime, refused } from "./definition-checks.ts";

export interface GraphLimits {
  /** Bytes of JSON of what comes in: a graph's input, what a worker hands to another, what a signal brings. Default 16 MiB. */
  inputBytes?: number;
  /** Bytes of JSON of what is kept of a node or a step: its result, its state. Default 16 MiB. */
  resultBytes?: number;
  /** Bytes of JSON of what `ctx.emit` tells: everyone who follows the graph is sent it. Default 256 KiB. */
  eventBytes?: number;
  /** How often in a second a graph tells of its progress, 1 to 100; 0 and 1 are always told. Default 10. */
  progressPerSecond?: number;
  /** How long attempts may go on once their graph is to pause, where the pause does not say. Default: until they are done. */
  pauseGrace?: Duration;
}

/** As they are in force. */
export interface ValueLimits {
  readonly inputBytes: number;
  readonly resultBytes: number;
  readonly eventBytes: number;
  readonly progressPerSecond: number;
  /** Undefined: for as long as it takes. */
  readonly pauseGraceMs: number | undefined;
}

/** Less does not hold an error's message; more is not one text of JavaScript any more, once it is written out. */
export const VALUE_BYTES = { min: 1024, max: 128 * 1024 * 1024 } as const;
/** Each is a row, and is sent to everyone who follows. */
export const EVENT_BYTES = { min: 1024, max: 16 * 1024 * 1024 } as const;
/** Faster than a screen is drawn helps nobody. */
export const PROGRESS_RATE = { min: 1, max: 100 } as const;

/** A large lockfile, not a film; an event of a size that many may be sent; progress faster than anybody reads. */
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
