import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { minuteJson, readMinute } from "./minute-counts.ts";
import { RecentMinutes } from "./recent-activity.ts";

const MINUTE = 60_000;

describe("the activity of the last day", () => {
  it("is counted by name, for each minute of the hour or quarter hour of the day", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2, 10, 7));
    const recent = new RecentMinutes(clock);
    recent.started("order");
    recent.ended("order", "failed", 10);
    await clock.advance(20 * MINUTE);
    recent.started("mail");
    const day = recent.activity("day");
    assert.deepEqual([day.step_ms, day.since_ms], [15 * MINUTE, Date.UTC(2026, 0, 1, 10, 30)]);
    assert.deepEqual(
      day.workers.map(({ worker, steps }) => [worker, steps.length, steps.findLastIndex(({ started }) => started > 0)]),
      [
        ["mail", 96, 95],
        ["order", 96, 94],
      ],
    );
    assert.equal(day.workers[1]?.steps[94]?.failed, 1);
    const hour = recent.activity("hour");
    assert.equal(hour.workers[1]?.steps[39]?.started, 1);
    await clock.advance(25 * 60 * MINUTE);
    assert.deepEqual(recent.activity("day").workers, []);
  });

  it("drops old minutes of other processes even if this process is idle", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const [here, there] = [new RecentMinutes(clock), new RecentMinutes(clock)];
    const report = (): void => {
      there.started("order");
      for (const minute of there.takeUnsaved()) here.learn("there", minute);
    };
    report();
    await clock.advance(25 * 60 * MINUTE);
    report();
    clock.aheadMs = -25 * 60 * MINUTE;
    assert.equal(here.read(0).hour.started, 0);
  });

  it("includes other processes, with the latest report for each minute", () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const [here, there] = [new RecentMinutes(clock), new RecentMinutes(clock)];
    here.started("order");
    for (let said = 0; said < 2; said++) {
      there.started("order");
      there.attempted("charge");
      for (const minute of there.takeUnsaved()) here.learn("there", readMinute(minute.at, minuteJson(minute)));
    }
    assert.equal(here.read(0).hour.started, 3);
    assert.deepEqual([...here.attemptsPerMinute()], [["charge", 2]]);
    there.ready("charge");
    there.retried("order");
    for (const minute of there.takeUnsaved()) here.learn("there", readMinute(minute.at, minuteJson(minute)));
    assert.deepEqual([...here.readyPerMinute()], [["charge", 1]]);
    assert.deepEqual(
      here
        .read(4)
        .minutes.slice(-2)
        .map(({ under_way: activeCount }) => activeCount),
      [0, 4],
    );
    assert.equal(readMinute(0, ["nonsense"]).graphs.size, 0);
  });
});

describe("the rates of ready nodes and ended attempts", () => {
  it("are per minute: nodes ready at once count for two minutes, ended attempts for five", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const recent = new RecentMinutes(clock);
    for (let count = 0; count < 90; count++) recent.ready("resize");
    for (let count = 0; count < 30; count++) recent.attempted("resize");
    const rates = () => [recent.readyPerMinute().get("resize"), recent.attemptsPerMinute().get("resize")];
    assert.deepEqual(rates(), [90, 30]);
    await clock.advance(1.5 * MINUTE);
    assert.deepEqual(rates(), [60, 20]);
    await clock.advance(0.5 * MINUTE);
    assert.deepEqual(rates(), [undefined, 15]);
  });
});

describe("the activity of the last hour", () => {
  it("is listed by minute, oldest first, with quantiles of durations", async () => {
    const clock = new SimulatedClock();
    const recent = new RecentMinutes(clock);
    recent.started("order");
    await clock.advance(MINUTE);
    for (let ms = 1; ms <= 100; ms++) recent.ended("order", "done", ms * 10);
    recent.ended("order", "failed", 5000);
    const { minutes, hour, hour_before: before } = recent.read(0);
    assert.equal(minutes.length, 60);
    assert.deepEqual(
      minutes.slice(-2).map(({ started, done, failed }) => [started, done, failed]),
      [
        [1, 0, 0],
        [0, 100, 1],
      ],
    );
    assert.deepEqual([hour.started, hour.done, hour.failed, before.done], [1, 100, 1, 0]);
    // Within a bucket, whose width is a fifth.
    assert.ok(hour.p50_ms !== null && hour.p50_ms >= 500 && hour.p50_ms <= 610, String(hour.p50_ms));
    assert.ok(hour.p95_ms !== null && hour.p95_ms >= 950 && hour.p95_ms <= 1200, String(hour.p95_ms));
    assert.equal(before.p50_ms, null);
  });

  it("has the number of active runs at the end of each minute, and the durations of runs that ended in it", async () => {
    const clock = new SimulatedClock();
    const recent = new RecentMinutes(clock);
    for (let count = 0; count < 3; count++) recent.started("order");
    await clock.advance(MINUTE);
    recent.ended("order", "failed", 100);
    recent.ended("order", "done", 100_000);
    await clock.advance(MINUTE);
    recent.retried("order");
    await clock.advance(MINUTE);
    recent.ended("order", "done", 10);
    const last = recent.read(1).minutes.slice(-5);
    assert.deepEqual(
      last.map(({ under_way: activeCount }) => activeCount),
      [0, 3, 1, 2, 1],
    );
    assert.deepEqual(
      last.map(({ p50_ms: p50, p95_ms: p95 }) => [p50, p95]),
      [
        [null, null],
        [null, null],
        [108, 110_218],
        [null, null],
        [11, 11],
      ],
    );
  });

  it("becomes the previous hour after an hour, and is dropped after two", async () => {
    const clock = new SimulatedClock();
    const recent = new RecentMinutes(clock);
    recent.ended("order", "done", 10);
    await clock.advance(60 * MINUTE);
    assert.deepEqual([recent.read(0).hour.done, recent.read(0).hour_before.done], [0, 1]);
    await clock.advance(60 * MINUTE);
    assert.deepEqual([recent.read(0).hour.done, recent.read(0).hour_before.done], [0, 0]);
    recent.started("order");
    assert.equal(recent.read(0).minutes.at(-1)?.started, 1);
  });
});
