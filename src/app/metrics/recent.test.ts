import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../shared/clock.ts";
import { RecentMinutes } from "./recent.ts";

const MINUTE = 60_000;

describe("what graphs did in the last hour", () => {
  it("is told by the minute, oldest first, with quantiles of how long they took", async () => {
    const clock = new SimulatedClock();
    const recent = new RecentMinutes(clock);
    recent.started();
    await clock.advance(MINUTE);
    for (let ms = 1; ms <= 100; ms++) recent.ended("done", ms * 10);
    recent.ended("failed", 5000);
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
    recent.ended("done", 10);
    await clock.advance(60 * MINUTE);
    assert.deepEqual([recent.read().hour.done, recent.read().hour_before.done], [0, 1]);
    await clock.advance(60 * MINUTE);
    assert.deepEqual([recent.read().hour.done, recent.read().hour_before.done], [0, 0]);
    recent.started();
    assert.equal(recent.read().minutes.at(-1)?.started, 1);
  });
});
