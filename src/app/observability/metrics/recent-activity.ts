/**
 * What graphs did in the last day, minute by minute: as this process counts it, and as it learns of others. What is told is of all
 * of them. How the counts get from one to the other is app/observability/activity.ts's.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import {
  addTo,
  countsIn,
  emptyMinute,
  growthOf,
  quantileOf,
  rangeOf,
  sumOfMinutes,
  totalOf,
  type Minute,
} from "./minute-counts.ts";

const MINUTE_MS = 60_000;
const HOUR = 60;
/** So that an hour can be held against the one before. */
const HOURS = 2 * HOUR;
/** Minutes that are kept. */
export const DAY = 24 * HOUR;
/** Minutes that a rate is made of: short enough to be the present, long enough to be steady. */
const RATE_MINUTES = 5;
/** Of what comes in fewer: a fan-out comes at once, and is no stream that goes on. */
const READY_MINUTES = 2;

/** One minute. Graphs that end in it may have started before. */
export interface RecentMinute {
  /** Unix milliseconds at which it began. */
  at_ms: number;
  started: number;
  done: number;
  failed: number;
}

/** One minute of the last hour. */
export interface HourMinute extends RecentMinute {
  /** Graphs that had been started and had not ended as it was over, paused ones too. */
  under_way: number;
  /** Milliseconds from start to end of the graphs that ended in it; null where none did. */
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface RecentHour {
  started: number;
  done: number;
  failed: number;
  /** Milliseconds from start to end of the graphs that ended; null where none did. */
  p50_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
}

export interface RecentActivity {
  /** The last 60 minutes, oldest first; the last one is not over. */
  minutes: HourMinute[];
  /** All of them together. */
  hour: RecentHour;
  /** The 60 minutes before. */
  hour_before: RecentHour;
}

/** What graphs did, by the name they were started by. */
export interface Activity {
  /** Length of a step. */
  step_ms: number;
  /** When the first step began; the last one is not over. */
  since_ms: number;
  /** By name; those that did something. */
  workers: { worker: string; steps: RecentMinute[] }[];
}

/** Of the last hour each minute, of the last day each quarter of an hour. */
export type ActivityRange = "hour" | "day";

const STEPS: Readonly<Record<ActivityRange, readonly [count: number, minutes: number]>> = {
  hour: [HOUR, 1],
  day: [96, 15],
};

export class RecentMinutes {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #own = new Map<number, Minute>();
  /** Of others, by minute and name. */
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

  ended(worker: string, outcome: "done" | "failed", durationMs: number): void {
    const minute = this.#now();
    countsIn(minute, worker)[outcome]++;
    addTo(minute.lengths, rangeOf(durationMs));
  }

  /** It had ended before. */
  retried(worker: string): void {
    addTo(this.#now().retried, worker);
  }

  /** A node waits for its worker, if only for a moment: for its first attempt, or for another. */
  ready(worker: string): void {
    addTo(this.#now().ready, worker);
  }

  /** An attempt of a worker is over, however. */
  attempted(worker: string): void {
    addTo(this.#now().attempts, worker);
  }

  /** Minutes of this process that have changed since they were taken last. */
  takeUnsaved(): Minute[] {
    const taken = [...this.#unsaved].flatMap((at) => this.#own.get(at) ?? []);
    this.#unsaved = new Set();
    return taken;
  }

  /** They could not be kept: they are taken again. */
  putBack(minutes: readonly Minute[]): void {
    for (const { at } of minutes) this.#unsaved.add(at);
  }

  /** The minute is told of again, whether or not anything was counted in it. */
  touch(): void {
    this.#now();
  }

  /** What another process has counted in a minute, in place of what it said before. */
  learn(process: string, minute: Minute): void {
    const known = this.#others.get(minute.at);
    if (known) return void known.set(process, minute);
    this.#others.set(minute.at, new Map([[process, minute]]));
    // A process that only looks counts nothing itself.
    forget(this.#others, minuteOf(this.#clock.now()) - DAY - 1);
  }

  /** @param underWay graphs that have not ended: those of a minute before follow from what was started and ended since */
  read(underWay: number): RecentActivity {
    const last = minuteOf(this.#clock.now());
    const all = Array.from({ length: HOURS }, (_, at) => this.#at(last - HOURS + 1 + at));
    const hour = all.slice(HOUR);
    return {
      minutes: hourMinutes(hour, underWay),
      hour: hourOf(hour),
      hour_before: hourOf(all.slice(0, HOUR)),
    };
  }

  activity(range: ActivityRange): Activity {
    const [count, minutes] = STEPS[range];
    // Steps of a day begin at the quarters of the clock.
    const first = (Math.floor(minuteOf(this.#clock.now()) / minutes) - count + 1) * minutes;
    const steps = Array.from({ length: count }, (_, step) => {
      const at = first + step * minutes;
      return sumOfMinutes(
        at,
        Array.from({ length: minutes }, (__, minute) => this.#at(at + minute)),
      );
    });
    const workers = [...new Set(steps.flatMap(({ graphs }) => [...graphs.keys()]))].sort();
    const none = { started: 0, done: 0, failed: 0 };
    return {
      step_ms: minutes * MINUTE_MS,
      since_ms: first * MINUTE_MS,
      workers: workers.map((worker) => ({
        worker,
        steps: steps.map(({ at, graphs }) => ({ at_ms: at * MINUTE_MS, ...(graphs.get(worker) ?? none) })),
      })),
    };
  }

  /** Attempts that end in a minute at present, by worker: of the last whole minutes. */
  attemptsPerMinute(): ReadonlyMap<string, number> {
    return this.#rates("attempts", RATE_MINUTES);
  }

  /** Nodes that become ready in a minute at present, by worker. */
  readyPerMinute(): ReadonlyMap<string, number> {
    return this.#rates("ready", READY_MINUTES);
  }

  #rates(of: "attempts" | "ready", count: number): ReadonlyMap<string, number> {
    const last = minuteOf(this.#clock.now());
    const minutes = Array.from({ length: count }, (_, at) => this.#at(last - at));
    // What has begun to be counted within them is not held against the time before; what is not over, for what has passed of it.
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

function hourMinutes(minutes: readonly Minute[], underWay: number): HourMinute[] {
  let left = underWay;
  const newestFirst = minutes.toReversed().map((minute) => {
    const told = {
      at_ms: minute.at * MINUTE_MS,
      ...totalOf(minute),
      // What a process that was killed had counted last is missing.
      under_way: Math.max(0, left),
      p50_ms: quantileOf(minute, 0.5),
      p95_ms: quantileOf(minute, 0.95),
    };
    left -= growthOf(minute);
    return told;
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
