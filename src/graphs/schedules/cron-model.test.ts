/**
 * Compares cron times with a simple model that steps through the minutes of a wall clock and computes nothing. Covers the days on which
 * some time zones change their clocks, by an hour or half an hour.
 */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import fc from "fast-check";
import { loadCron, type ReadCron } from "./cron.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Period before and after the change. */
const BEFORE_MS = 30 * HOUR;
const AFTER_MS = 40 * HOUR;
/** Clock changes occur only at multiples of this interval. */
const STEP_MS = 15 * MINUTE;

/** Time zones, each with a day to test around. */
const JUMPS: readonly (readonly [zone: string, day: string])[] = [
  ["UTC", "2026-02-27"],
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Africa/Cairo", "2026-04-24"],
  ["Africa/Cairo", "2026-10-30"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["America/Santiago", "2026-09-06"],
  ["Asia/Kathmandu", "2026-12-31"],
  ["Africa/Casablanca", "2026-03-22"],
  ["Antarctica/Troll", "2026-10-25"],
  ["Asia/Pyongyang", "2018-05-05"],
];

/** The wall clock at a minute, as if it were UTC. */
interface Minute {
  ms: number;
  wallMs: number;
}

function minutesOf(timeZone: string, day: string): Minute[] {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const minutes: Minute[] = [];
  const middleMs = Date.parse(day);
  for (let ms = middleMs - BEFORE_MS; ms < middleMs + AFTER_MS; ms += STEP_MS) {
    const [month = 0, date, year = 0, hour, minute] = (format.format(ms).match(/\d+/g) ?? []).map(Number);
    const wallMs = Date.UTC(year, month - 1, date, hour, minute);
    for (let at = 0; at < STEP_MS; at += MINUTE) minutes.push({ ms: ms + at, wallMs: wallMs + at });
  }
  return minutes;
}

type Field = "*" | { text: string; values: number[]; isWild: boolean };

function field(least: number, most: number): fc.Arbitrary<Field> {
  const value = fc.integer({ min: least, max: most });
  const spanned = (from: number, to: number, step: number) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<Field>("*") },
    value.map((one) => ({ text: String(one), values: [one], isWild: false })),
    fc.uniqueArray(value, { minLength: 2, maxLength: 4 }).map((all) => {
      return { text: all.join(), values: all, isWild: false };
    }),
    fc.integer({ min: 2, max: Math.min(25, most) }).map((step) => {
      return { text: `*/${step}`, values: spanned(least, most, step), isWild: true };
    }),
    fc.tuple(value, value, fc.integer({ min: 1, max: 7 })).map(([one, other, step]) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const text = step === 1 ? `${from}-${to}` : `${from}-${to}/${step}`;
      return { text, values: spanned(from, to, step), isWild: step > 1 };
    }),
  );
}

const expression = fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6));
type Expression = [minute: Field, hour: Field, day: Field, month: Field, weekday: Field];

const has = (one: Field, value: number): boolean => one === "*" || one.values.includes(value);

function fits([minute, hour, day, month, weekday]: Expression, wallMs: number): boolean {
  const wall = new Date(wallMs);
  const [isDay, isWeekday] = [has(day, wall.getUTCDate()), has(weekday, wall.getUTCDay())];
  // If both are given, either is enough.
  const isOn = day !== "*" && weekday !== "*" ? isDay || isWeekday : isDay && isWeekday;
  return (
    isOn && has(minute, wall.getUTCMinutes()) && has(hour, wall.getUTCHours()) && has(month, wall.getUTCMonth() + 1)
  );
}

/** Fixed times occur once per wall-clock time, at the end of a gap that contains them; all others whenever the wall clock shows them. */
function walk(minutes: readonly Minute[], given: Expression): number[] {
  const [minute, hour] = given;
  const isFixed = [minute, hour].every((one) => one !== "*" && !one.isWild);
  const times = new Set<number>();
  const hadMs = new Set<number>();
  let lastMs = (minutes[0] as Minute).wallMs - MINUTE;
  for (const { ms, wallMs } of minutes) {
    // Skipped wall-clock times, and the current one.
    for (let shownMs = Math.min(lastMs + MINUTE, wallMs); shownMs <= wallMs; shownMs += MINUTE) {
      if (!fits(given, shownMs) || (isFixed ? hadMs.has(shownMs) : shownMs < wallMs)) continue;
      hadMs.add(shownMs);
      times.add(ms);
    }
    lastMs = wallMs;
  }
  return [...times];
}

describe("times of random cron expressions", () => {
  let readCron: ReadCron;
  before(async () => void (readCron = await loadCron()));

  for (const [zone, day] of JUMPS)
    it(`in ${zone} around ${day} are equal to those of a simple minute-by-minute model, from any start`, () => {
      const minutes = minutesOf(zone, day);
      const [fromMs, toMs] = [(minutes[0] as Minute).ms - 1, (minutes.at(-1) as Minute).ms];
      fc.assert(
        fc.property(expression, fc.array(fc.nat(toMs - fromMs), { maxLength: 5 }), (given, places) => {
          const cron = given.map((one) => (one === "*" ? one : one.text)).join(" ");
          const times = walk(minutes, given);
          // An expression whose next time is beyond these days may have no time at all.
          if (times.length === 0) return;
          const { next, last } = readCron(cron, zone, fromMs);
          const found: number[] = [];
          for (let ms = next(fromMs); ms !== undefined && ms <= toMs; ms = next(ms)) found.push(ms);
          assert.deepEqual(found.map(iso), times.map(iso), cron);
          for (const place of places) {
            const atMs = fromMs + place;
            const [after, until] = [times.find((ms) => ms > atMs), times.findLast((ms) => ms <= atMs)];
            if (after !== undefined) assert.equal(iso(next(atMs)), iso(after), `${cron} after ${iso(atMs)}`);
            if (until !== undefined) assert.equal(iso(last(atMs)), iso(until), `${cron} until ${iso(atMs)}`);
          }
        }),
        { numRuns: 15 },
      );
    });
});

function iso(ms: number | undefined): string {
  return ms === undefined ? "never" : new Date(ms).toISOString();
}
