/** The time axis of a run, or of a range of it: linear, except that long gaps without activity are collapsed. Pure. */
import { durationText } from "../format.ts";

/** In milliseconds since the start of the run. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

export interface Stretch {
  kind: string;
  fromMs: number;
  toMs: number;
}

export interface TimeScale {
  /** Position of a time in percent of the axis, clamped to its ends. */
  at: (ms: number) => number;
  /** Whether any part of a stretch is visible. */
  shows: (stretch: Stretch) => boolean;
  /** Labels below the axis. */
  ticks: { left: number; label: string }[];
  /** The collapsed gaps. */
  breaks: { left: number; label: string }[];
  /** The visible range, and the duration of the whole run. */
  range: TimeRange;
  totalMs: number;
  /** Between two marks the axis is linear: percent, and milliseconds since the start of the run. */
  marks: [percent: number, ms: number][];
}

/** Gaps longer than this share of the visible range are collapsed to `GAP_WIDTH`. */
const GAP_SHARE = 0.1;
const LEAST_GAP_MS = 5000;
const GAP_WIDTH = 0.03;
const TICKS = 5;

type Gap = readonly [fromMs: number, toMs: number];

/** @param wanted the visible range; undefined, or outside of the run: all */
export function scaleOf(stretches: readonly Stretch[], wanted?: TimeRange): TimeScale {
  const beginMs = Math.min(...stretches.map(({ fromMs }) => fromMs), Infinity);
  const endMs = Math.max(...stretches.map(({ toMs }) => toMs), -Infinity);
  const totalMs = stretches.length === 0 ? 1 : Math.max(1, endMs - beginMs);
  const range = rangeWithin(wanted, totalMs);
  const [fromMs, toMs] = [beginMs + range.fromMs, beginMs + range.toMs];
  const gaps = longGaps(gapsOf(stretches, beginMs, endMs), fromMs, toMs);
  const at = axisOf(gaps, fromMs, toMs);
  const knots = [fromMs, ...gaps.flat(), toMs];
  return {
    at,
    shows: (one) =>
      (one.fromMs < toMs && one.toMs > fromMs) ||
      (one.fromMs === one.toMs && one.fromMs >= fromMs && one.fromMs <= toMs),
    ticks: stretches.length === 0 ? [] : ticksOf(at, beginMs, fromMs, toMs),
    breaks: gaps.map(([from, to]) => ({ left: at((from + to) / 2), label: durationText(to - from) })),
    range,
    totalMs,
    marks: knots.map((ms) => [Number(at(ms).toFixed(3)), Math.round(ms - beginMs)]),
  };
}

function rangeWithin(wanted: TimeRange | undefined, totalMs: number): TimeRange {
  const [fromMs, toMs] = [Math.max(0, wanted?.fromMs ?? 0), Math.min(totalMs, wanted?.toMs ?? Infinity)];
  return toMs > fromMs ? { fromMs, toMs } : { fromMs: 0, toMs: totalMs };
}

/** The visible parts of long gaps, unless a gap fills the whole range. */
function longGaps(gaps: readonly Gap[], fromMs: number, toMs: number): Gap[] {
  const shownMs = toMs - fromMs;
  return gaps
    .map(([from, to]): Gap => [Math.max(from, fromMs), Math.min(to, toMs)])
    .filter(([from, to]) => to - from > Math.max(LEAST_GAP_MS, shownMs * GAP_SHARE) && to - from < shownMs);
}

function axisOf(gaps: readonly Gap[], fromMs: number, toMs: number): (ms: number) => number {
  const gone = gaps.reduce((sum, [from, to]) => sum + (to - from), 0);
  const leftMs = Math.max(1, toMs - fromMs - gone);
  const gapMs = leftMs * GAP_WIDTH;
  const wholeMs = leftMs + gaps.length * gapMs;
  return (ms) => {
    let passed = ms - fromMs;
    for (const [from, to] of gaps) {
      if (ms <= from) break;
      const within = Math.min(ms, to) - from;
      passed += (within / (to - from)) * gapMs - within;
    }
    return Math.min(100, Math.max(0, (passed / wholeMs) * 100));
  };
}

function ticksOf(at: (ms: number) => number, beginMs: number, fromMs: number, toMs: number): TimeScale["ticks"] {
  const stepMs = (toMs - fromMs) / (TICKS - 1);
  return Array.from({ length: TICKS }, (_, tick) => {
    const left = (tick / (TICKS - 1)) * 100;
    return { left, label: offsetText(timeAt(at, fromMs, toMs, left) - beginMs, stepMs) };
  });
}

/** Inverts the scale, which is monotonic, by bisection. */
function timeAt(at: (ms: number) => number, fromMs: number, toMs: number, percent: number): number {
  let [low, high] = [fromMs, toMs];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (at(middle) < percent) low = middle;
    else high = middle;
  }
  return Math.round(high);
}

/** Minimum duration and the unit that `durationText` rounds it to. */
const GRAINS: readonly Gap[] = [
  [86_400_000, 3_600_000],
  [3_600_000, 60_000],
  [60_000, 1000],
  [10_000, 100],
  [1000, 10],
];

/** The time since the start, precise enough to distinguish neighboring ticks: `3 m 05.120 s`. */
export function offsetText(ms: number, stepMs: number): string {
  const grainMs = GRAINS.find(([least]) => ms >= least)?.[1] ?? 1;
  if (stepMs >= grainMs) return durationText(ms);
  const digits = stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : stepMs >= 10 ? 2 : 3;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  const seconds = ((ms % 60_000) / 1000).toFixed(digits);
  const before = [...(hours > 0 ? [`${hours} h`] : []), ...(ms >= 60_000 ? [`${minutes} m`] : [])];
  return [...before, `${before.length > 0 && Number(seconds) < 10 ? `0${seconds}` : seconds} s`].join(" ");
}

/** The stretches without activity. */
function gapsOf(stretches: readonly Stretch[], fromMs: number, toMs: number): Gap[] {
  const busy = stretches.filter(({ kind }) => kind === "run" || kind === "undo").sort((a, b) => a.fromMs - b.fromMs);
  const gaps: Gap[] = [];
  let reached = fromMs;
  for (const { fromMs: from, toMs: to } of busy) {
    if (from > reached) gaps.push([reached, from]);
    reached = Math.max(reached, to);
  }
  if (busy.length > 0 && toMs > reached) gaps.push([reached, toMs]);
  return gaps;
}
