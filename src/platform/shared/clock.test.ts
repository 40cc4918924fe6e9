import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationMs, SimulatedClock, sleep } from "./clock.ts";

describe("the simulated clock", () => {
  it("runs due timers in order of time, then of creation, each at its own time", async () => {
    const clock = new SimulatedClock(0);
    const seen: string[] = [];
    clock.schedule(20, () => seen.push(`late@${clock.now()}`));
    clock.schedule(10, () => seen.push(`first@${clock.now()}`));
    clock.schedule(10, () => seen.push(`second@${clock.now()}`));
    await clock.advance(15);
    assert.deepEqual(seen, ["first@10", "second@10"]);
    assert.equal(clock.now(), 15);
    await clock.advance(5);
    assert.deepEqual(seen.at(-1), "late@20");
  });

  it("runs timers that a timer creates, if they are due within the same step", async () => {
    const clock = new SimulatedClock(0);
    const seen: number[] = [];
    const tick = (): void => {
      seen.push(clock.now());
      if (seen.length < 3) clock.schedule(10, tick);
    };
    clock.schedule(10, tick);
    await clock.advance(100);
    assert.deepEqual(seen, [10, 20, 30]);
  });

  it("does not run a cancelled timer", async () => {
    const clock = new SimulatedClock(0);
    clock.schedule(1, () => assert.fail("cancelled timer ran")).cancel();
    await clock.advance(10);
    assert.equal(clock.pending, 0);
  });

  it("ends a sleep at its time, or with the reason of the signal", async () => {
    const clock = new SimulatedClock(0);
    const slept = sleep(clock, 50).then(() => clock.now());
    const controller = new AbortController();
    const aborted = assert.rejects(sleep(clock, 1000, controller.signal), /stopped by the caller/);
    controller.abort(new Error("stopped by the caller"));
    await clock.advance(60);
    assert.equal(await slept, 50);
    await aborted;
    assert.equal(clock.pending, 0);
  });
});

describe("durations", () => {
  it("are milliseconds or a number with a unit", () => {
    const pairs = [
      [0, 0],
      [250, 250],
      ["250ms", 250],
      ["1.5s", 1500],
      ["5m", 300_000],
      ["2h", 7_200_000],
      ["7d", 604_800_000],
    ] as const;
    for (const [value, ms] of pairs) assert.equal(durationMs(value), ms);
  });

  it("reject other values, with the value in the error", () => {
    for (const value of ["5", "5 m", "-1s", "1w", "", -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => durationMs(value), new RegExp(`"${value}" is not a duration`));
    }
  });
});
