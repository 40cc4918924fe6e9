/**
 * What graphs did in the last two hours, minute by minute, for those who look at it now: two hours, so that an hour can be held
 * against the one before. Of this process alone, and in its memory; what is older is a matter of the metrics.
 */
import type { Clock } from "../../shared/clock.ts";

const MINUTE_MS = 60_000;
const MINUTES = 120;
/** Ranges of lengths: each is 2^(1/4) times the one before, so that a quantile is off by a tenth at most. */
const RANGES_PER_DOUBLING = 4;
const RANGES = 160;

/** One minute. Graphs that end in it may have started before. */
export interface RecentMinute {
  /** Unix milliseconds at which it began. */
  at_ms: number;
  started: number;
  done: number;
  failed: number;
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

export interface Recent {
  /** The last 60 minutes, oldest first; the last one is not over. */
  minutes: RecentMinute[];
  /** All of them together. */
  hour: RecentHour;
  /** The 60 minutes before. */
  hour_before: RecentHour;
}

interface Minute {
  at: number;
  started: number;
  done: number;
  failed: number;
  durations: Uint32Array;
}

export class RecentMinutes {
  readonly #clock: Clock;
  readonly #ring: (Minute | undefined)[] = Array.from({ length: MINUTES });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  started(): void {
    this.#now().started++;
  }

  ended(outcome: "done" | "failed", durationMs: number): void {
    const minute = this.#now();
    minute[outcome]++;
    const range = rangeOf(durationMs);
    minute.durations[range] = (minute.durations[range] as number) + 1;
  }

  read(): Recent {
    const last = minuteOf(this.#clock.now());
    const all = Array.from({ length: MINUTES }, (_, at) => this.#at(last - MINUTES + 1 + at));
    const hour = all.slice(MINUTES / 2);
    return {
      minutes: hour.map(({ at, started, done, failed }) => ({ at_ms: at * MINUTE_MS, started, done, failed })),
      hour: sumOf(hour),
      hour_before: sumOf(all.slice(0, MINUTES / 2)),
    };
  }

  #now(): Minute {
    const at = minuteOf(this.#clock.now());
    const known = this.#ring[at % MINUTES];
    if (known?.at === at) return known;
    return (this.#ring[at % MINUTES] = empty(at));
  }

  #at(at: number): Minute {
    const known = this.#ring[at % MINUTES];
    return known?.at === at ? known : empty(at);
  }
}

function minuteOf(ms: number): number {
  return Math.max(0, Math.floor(ms / MINUTE_MS));
}

function empty(at: number): Minute {
  return { at, started: 0, done: 0, failed: 0, durations: new Uint32Array(RANGES) };
}

function sumOf(minutes: readonly Minute[]): RecentHour {
  const sum = (key: "started" | "done" | "failed"): number => minutes.reduce((all, minute) => all + minute[key], 0);
  const counts = Array.from({ length: RANGES }, (_, range) =>
    minutes.reduce((all, { durations }) => all + (durations[range] as number), 0),
  );
  return {
    started: sum("started"),
    done: sum("done"),
    failed: sum("failed"),
    p50_ms: quantile(counts, 0.5),
    p95_ms: quantile(counts, 0.95),
    p99_ms: quantile(counts, 0.99),
  };
}

function rangeOf(ms: number): number {
  return Math.min(RANGES - 1, Math.ceil(Math.log2(Math.max(1, ms)) * RANGES_PER_DOUBLING));
}

/** The upper end of the range in which that part of all is reached. */
function quantile(counts: readonly number[], part: number): number | null {
  const wanted = counts.reduce((all, count) => all + count, 0) * part;
  if (wanted === 0) return null;
  let below = 0;
  const range = counts.findIndex((count) => (below += count) >= wanted);
  return Math.round(2 ** (range / RANGES_PER_DOUBLING));
}
