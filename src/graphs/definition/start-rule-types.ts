/** How runs of a graph are started: with the names and semantics of Inngest. Only `throttle` applies also to starts without an event. */
import type { Duration } from "../../platform/shared/clock.ts";

interface Keyed<Data> {
  /** Key of an event's data, which is the run's input, such as a tenant: each key is counted on its own. Default: one for all. */
  key?: (data: Data) => string;
}

/** Starts one run for a series of events, with the last of them, once no event has followed for `period`. */
export interface Debounce<Data = never> extends Keyed<Data> {
  period: Duration;
  /** Longest time from the first event of the series to the start. Default: none. */
  timeout?: Duration;
}

/**
 * Spreads starts over time, whatever starts the runs: `limit` and `burst` runs may start at once, then one every `period / limit`. The others are queued, first come,
 * first served; none is dropped.
 */
export interface Throttle<Data = never> extends Keyed<Data> {
  limit: number;
  period: Duration;
  /** Default 1. */
  burst?: number;
}

/** Starts at most `limit` runs in each `period`, which begins with the first event. Further events start nothing. */
export interface RateLimit<Data = never> extends Keyed<Data> {
  limit: number;
  period: Duration;
}

/** Collects events and starts one run with all of them: its input is an array of their data. */
export interface BatchEvents<Data = never> extends Keyed<Data> {
  /** Number of events with which the run starts at once. */
  maxSize: number;
  /** Longest time from the first event of the batch to the start. */
  timeout: Duration;
}

/** At most one of them. */
export interface StartRules<Data = never> {
  debounce?: Debounce<Data>;
  throttle?: Throttle<Data>;
  rateLimit?: RateLimit<Data>;
  batchEvents?: BatchEvents<Data>;
}

export const START_RULES = [
  "debounce",
  "throttle",
  "rateLimit",
  "batchEvents",
] as const satisfies readonly (keyof StartRules)[];
