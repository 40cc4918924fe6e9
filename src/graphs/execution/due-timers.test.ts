import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { DueTimers } from "./due-timers.ts";

const HOUR_MS = 3_600_000;

function timers() {
  const clock = new SimulatedClock();
  const due = new DueTimers(clock);
  const fired: string[] = [];
  const at = (name: string, inMs: number) => due.at(clock.now() + inMs, () => void fired.push(name));
  return { clock, fired, at, due };
}

describe("timers by the wall clock", () => {
  it("fire in the order of their times, and not if they are cancelled", async () => {
    const { clock, fired, at } = timers();
    at("c", 30_000);
    at("a", 10);
    at("b", 20_000).cancel();
    await clock.advance(29_999);
    assert.deepEqual(fired, ["a"]);
    await clock.advance(1);
    assert.deepEqual([fired, clock.pending], [["a", "c"], 0]);
  });

  it("fire within a minute if the clock is set forward past their time", async () => {
    const { clock, fired, at } = timers();
    at("half an hour", HOUR_MS / 2);
    await clock.advance(1000);
    clock.aheadMs = HOUR_MS;
    await clock.advance(60_000);
    assert.deepEqual(fired, ["half an hour"]);
  });

  it("wait for their time if the clock is set back", async () => {
    const { clock, fired, at } = timers();
    at("a", 5000);
    clock.aheadMs = -HOUR_MS;
    await clock.advance(HOUR_MS);
    assert.deepEqual(fired, []);
    await clock.advance(5000);
    assert.deepEqual(fired, ["a"]);
  });

  it("keep nothing of cancelled timers, however many there were", async () => {
    const { clock, fired, at } = timers();
    at("kept", HOUR_MS);
    for (let n = 0; n < 1000; n++) at("cancelled", n).cancel();
    await clock.advance(HOUR_MS);
    assert.deepEqual(fired, ["kept"]);
  });

  it("that are due together fire in slices, so that nothing is blocked", async () => {
    // Each of them takes 5 ms.
    let spentMs = 0;
    const clock = new (class extends SimulatedClock {
      override elapsed(): number {
        return super.elapsed() + spentMs;
      }
    })();
    const due = new DueTimers(clock);
    let slice = 0;
    let longest = 0;
    for (let n = 0; n < 1000; n++)
      due.at(clock.now() + 10, () => {
        spentMs += 5;
        longest = Math.max(longest, ++slice);
        if (slice === 1) setImmediate(() => (slice = 0));
      });
    await clock.advance(10);
    while (spentMs < 5000) await clock.advance(0);
    assert.ok(longest <= 32, `${longest} timers in one turn`);
  });
});
