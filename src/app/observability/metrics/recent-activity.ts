/**
 * Activity of runs in the last day by minute: this process's own counts and those of others, combined. app/observability/activity.ts
 * exchanges them.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import {
  addTo,
  countsIn,
  emptyMinute,
  growthOf,
  noCounts,
  quantileOf,
  rangeOf,
  sumOfMinutes,
  totalOf,
  type Minute,
} from "./minute-counts.ts";

const MINUTE_MS = 60_000;
const HOUR = 60;
/** Two, to compare an hour with the previous one. */
const HOURS = 2 * HOUR;
/** Minutes to keep. */
export const DAY = 24 * HOUR;
/** Minutes for a rate: short enough to be current, long enough to be steady. */
const RATE_MINUTES = 5;
/** Fewer for new nodes: a fan-out adds many at once, which is not a steady rate. */
const READY_MINUTES = 2;

/** One minute. Runs that end in it may have started before. */
export interface RecentMinute {
  /** Start, Unix milliseconds. */
  at_ms: number;
  started: number;
  done: number;
  failed: number;
  /** Not part of `failed`, nor of a success rate. */
  cancelled: number;
}

/** One minute of the last hour. */
export interface HourMinute extends RecentMinute {
  /** Unfinished runs at its end, including paused ones. */
  under_way: number;
  /** Duration in milliseconds of runs that ended in it; null without any. */
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface RecentHour {
  started: number;
  done: number;
  failed: number;
  /** Not part of `failed`, nor of a success rate. */
  cancelled: number;
  /** Duration in milliseconds of ended runs; null without any. */
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
}

export interface RecentActivity {
  /** The last 60 minutes, oldest first; the last one is not over. */
  minutes: HourMinute[];
  /** Their sum. */
  hour: RecentHour;
  /** The 60 minutes before. */
  hour_before: RecentHour;
}

/** Activity by name of the graph or worker. */
export interface Activity {
  /** Length of a step. */
  step_ms: number;
  /** Start of the first step; the last one is not over. */
  since_ms: number;
  /** By name, if there was any activity. */
  workers: { worker: string; steps: RecentMinute[] }[];
}

/** Minutes of the last hour, or quarters of an hour of the last day. */
export type ActivityRange = "hour" | "day";

const STEPS: Readonly<Record<ActivityRange, readonly [count: number, minutes: number]>> = {
  hour: [HOUR, 1],
  day: [96, 15],
};

export class RecentMinutes {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #own = new Map<number, Minute>();
  /** Counts of other processes, by minute and name. */
  readonly #others = new Map<number, Map<string, Minute>>();
  #unsaved = new Set<number>();

  /** @param onChange called with the first change since `takeUnsaved` */
  constructor(clock: Clock, onChange: () => void = () => undefined) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  started(worker: string): void {
    countsIn(this.#now(), worker).started++;
  }

  ended(worker: string, outcome: "done" | "failed" | "cancelled", durationMs: number): void {
    const minute = this.#now();
    countsIn(minute, worker)[outcome]++;
    addTo(minute.lengths, rangeOf(durationMs));
  }

  /** A run that had ended is retried. */
  retried(worker: string): void {
    addTo(this.#now().retried, worker);
  }

  /** A node became ready, for its first or another attempt. */
  ready(worker: string): void {
    addTo(this.#now().ready, worker);
  }

  /** An attempt has ended in any way. */
  attempted(worker: string): void {
    addTo(this.#now().attempts, worker);
  }

  /** Minutes of this process that changed since the last call. */
  takeUnsaved(): Minute[] {
    const taken = [...this.#unsaved].flatMap((at) => this.#own.get(at) ?? []);
    this.#unsaved = new Set();
    return taken;
  }

  /** They could not be saved, and are returned again. */
  putBack(minutes: readonly Minute[]): void {
    for (const { at } of minutes) this.#unsaved.add(at);
  }

  /** Marks the minute as changed. */
  touch(): void {
    this.#now();
  }

  /** Counts of another process for a minute, replacing earlier ones. */
  learn(process: string, minute: Minute): void {
    const known = this.#others.get(minute.at);
    if (known) return void known.set(process, minute);
    this.#others.set(minute.at, new Map([[process, minute]]));
    // A process that only reads has no counts of its own.
    forget(this.#others, minuteOf(this.#clock.now()) - DAY - 1);
  }

  /** @param activeCount unfinished runs now; earlier numbers follow from starts and ends since then */
  read(activeCount: number): RecentActivity {
    const last = minuteOf(this.#clock.now());
    const all = Array.from({ length: HOURS }, (_, at) => this.#at(last - HOURS + 1 + at));
    const hour = all.slice(HOUR);
    return {
      minutes: hourMinutes(hour, activeCount),
      hour: hourOf(hour),
      hour_before: hourOf(all.slice(0, HOUR)),
    };
  }

  activity(range: ActivityRange): Activity {
    const [count, minutes] = STEPS[range];
    // Steps of a day begin at the quarters of an hour.
    const first = (Math.floor(minuteOf(this.#clock.now()) / minutes) - count + 1) * minutes;
    const steps = Array.from({ length: count }, (_, step) => {
      const at = first + step * minutes;
      return sumOfMinutes(
        at,
        Array.from({ length: minutes }, (__, minute) => this.#at(at + minute)),
      );
    });
    const workers = [...new Set(steps.flatMap(({ graphs }) => [...graphs.keys()]))].sort();
    return {
      step_ms: minutes * MINUTE_MS,
      since_ms: first * MINUTE_MS,
      workers: workers.map((worker) => ({
        worker,
        steps: steps.map(({ at, graphs }) => ({ at_ms: at * MINUTE_MS, ...(graphs.get(worker) ?? noCounts()) })),
      })),
    };
  }

  /** Current attempts per minute by worker, from the last whole minutes. */
  attemptsPerMinute(): ReadonlyMap<string, number> {
    return this.#rates("attempts", RATE_MINUTES);
  }

  /** Current ready nodes per minute by worker. */
  readyPerMinute(): ReadonlyMap<string, number> {
    return this.#rates("ready", READY_MINUTES);
  }

  #rates(of: "attempts" | "ready", count: number): ReadonlyMap<string, number> {
    const last = minuteOf(this.#clock.now());
    const minutes = Array.from({ length: count }, (_, at) => this.#at(last - at));
    // A name that first appears within them counts from there, and the current minute for the elapsed part.
    const first = minutes.findLast((minute) => minute[of].size > 0)?.at ?? last;
    const passed = Math.max(1, this.#clock.now() / MINUTE_MS - first);
    return new Map([...sumOfMinutes(last, minutes)[of]].map(([worker, sum]) => [worker, sum / passed]));
  }

  #now(): Minute {
    const at = minuteOf(this.#clock.now());
    let minute = this.#own.get(at);
    if (!minute) {
      this.#own.set(at, (minute = emptyMinute(at)));
      for (const known of [this.#own, this.#others]) forget(known, at - DAY - 1);
    }
    if (!this.#unsaved.has(at)) {
      const isFirst = this.#unsaved.size === 0;
      this.#unsaved.add(at);
      if (isFirst) this.#onChange();
    }
    return minute;
  }

  #at(at: number): Minute {
    const own = this.#own.get(at);
    const others = this.#others.get(at);
    if (!others) return own ?? emptyMinute(at);
    return sumOfMinutes(at, own ? [own, ...others.values()] : others.values());
  }
}

function forget(minutes: Map<number, unknown>, until: number): void {
  for (const at of minutes.keys()) if (at < until) minutes.delete(at);
}

function minuteOf(ms: number): number {
  return Math.max(0, Math.floor(ms / MINUTE_MS));
}

function hourMinutes(minutes: readonly Minute[], activeCount: number): HourMinute[] {
  let left = activeCount;
  const newestFirst = minutes.toReversed().map((minute) => {
    const reported = {
      at_ms: minute.at * MINUTE_MS,
      ...totalOf(minute),
      // The last counts of a killed process are missing.
      under_way: Math.max(0, left),
      p50_ms: quantileOf(minute, 0.5),
      p95_ms: quantileOf(minute, 0.95),
    };
    left -= growthOf(minute);
    return reported;
  });
  return newestFirst.reverse();
}

function hourOf(minutes: readonly Minute[]): RecentHour {
  const sum = sumOfMinutes(0, minutes);
  return {
    ...totalOf(sum),
    p50_ms: quantileOf(sum, 0.5),
    p95_ms: quantileOf(sum, 0.95),
    p99_ms: quantileOf(sum, 0.99),
  };
}
