import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../shared/clock.ts";
import { minuteJson, readMinute } from "./minute.ts";
import { RecentMinutes } from "./recent.ts";

const MINUTE = 60_000;

describe("what graphs did in the last day", () => {
  it("is told by name, each minute of the hour or each quarter of the day", async () => {
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

  it("counts what other processes say, the last word of each for a minute", () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const [here, there] = [new RecentMinutes(clock), new RecentMinutes(clock)];
    here.started("order");
    for (let said = 0; said < 2; said++) {
      there.started("order");
      there.attempted("charge");
      for (const minute of there.takeUnsaved()) here.learn("there", readMinute(minute.at, minuteJson(minute)));
    }
    assert.equal(here.read().hour.started, 3);
    assert.deepEqual([...here.attemptsPerMinute()], [["charge", 2]]);
    assert.equal(readMinute(0, ["nonsense"]).graphs.size, 0);
  });
});

describe("what graphs did in the last hour", () => {
  it("is told by the minute, oldest first, with quantiles of how long they took", async () => {
    const clock = new SimulatedClock();
    const recent = new RecentMinutes(clock);
    recent.started("order");
    await clock.advance(MINUTE);
    for (let ms = 1; ms <= 100; ms++) recent.ended("order", "done", ms * 10);
    recent.ended("order", "failed", 5000);
    const { minutes, hour, hour_before: before } = recent.read();
    assert.equal(minutes.length, 60);
    assert.deepEqual(
      minutes.slice(-2).map(({ started, done, failed }) => [started, done, failed]),
      [
        [1, 0, 0],
        [0, 100, 1],
      ],
    );
    assert.deepEqual([hour.started, hour.done, hour.failed, before.done], [1, 100, 1, 0]);
    // Within a range of a fifth.
    assert.ok(hour.p50_ms !== null && hour.p50_ms >= 500 && hour.p50_ms <= 610, String(hour.p50_ms));
    assert.ok(hour.p95_ms !== null && hour.p95_ms >= 950 && hour.p95_ms <= 1200, String(hour.p95_ms));
    assert.equal(before.p50_ms, null);
  });

  it("is the hour before once an hour has passed, and forgotten after two", async () => {
    const clock = new SimulatedClock();
    const recent = new RecentMinutes(clock);
    recent.ended("order", "done", 10);
    await clock.advance(60 * MINUTE);
    assert.deepEqual([recent.read().hour.done, recent.read().hour_before.done], [0, 1]);
    await clock.advance(60 * MINUTE);
    assert.deepEqual([recent.read().hour.done, recent.read().hour_before.done], [0, 0]);
    recent.started("order");
    assert.equal(recent.read().minutes.at(-1)?.started, 1);
  });
});
