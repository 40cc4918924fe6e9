import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { keepRunning } from "./change-signal.ts";

const settled = () => new Promise<void>((done) => setImmediate(done));

describe("Work that is kept running", () => {
  it("restarts after each failure with a growing delay, and reports the failure", async () => {
    const clock = new SimulatedClock();
    const errors: unknown[] = [];
    const begunMs: number[] = [];
    const fail = (): Promise<void> => {
      begunMs.push(clock.now());
      return begunMs.length < 7 ? Promise.reject(new Error(`look ${begunMs.length}`)) : Promise.resolve();
    };
    const startMs = clock.now();
    const over = keepRunning(fail, (error) => errors.push(error), new AbortController().signal, clock);
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 30_000]) {
      await settled();
      await clock.advance(ms);
    }
    await over;
    assert.deepEqual(
      begunMs.map((ms) => ms - startMs),
      [0, 1000, 3000, 7000, 15_000, 31_000, 61_000],
    );
    assert.equal(errors.length, 6);
  });

  it("ends when its signal aborts, without reporting an error", async () => {
    const leave = new AbortController();
    const errors: unknown[] = [];
    const work = async (): Promise<void> => {
      leave.abort();
      throw new Error("the store is closed");
    };
    await keepRunning(work, (error) => errors.push(error), leave.signal, new SimulatedClock());
    assert.deepEqual(errors, []);
  });
});
