import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { keepOn } from "./change-signal.ts";

const settled = () => new Promise<void>((done) => setImmediate(done));

describe("work that somebody follows", () => {
  it("begins anew where it fails, later each time, and tells of it", async () => {
    const clock = new SimulatedClock();
    const flash: unknown[] = [];
    const begunMs: number[] = [];
    const fail = (): Promise<void> => {
      begunMs.push(clock.now());
      return begunMs.length < 7 ? Promise.reject(new Error(`look ${begunMs.length}`)) : Promise.resolve();
    };
    const startMs = clock.now();
    const over = keepOn(fail, (error) => flash.push(error), new AbortController().signal, clock);
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 30_000]) {
      await settled();
      await clock.advance(ms);
    }
    await over;
    assert.deepEqual(
      begunMs.map((ms) => ms - startMs),
      [0, 1000, 3000, 7000, 15_000, 31_000, 61_000],
    );
    assert.equal(flash.length, 6);
  });

  it("ends with those who follow, and then without a word", async () => {
    const leave = new AbortController();
    const flash: unknown[] = [];
    const work = async (): Promise<void> => {
      leave.abort();
      throw new Error("the store is closed");
    };
    await keepOn(work, (error) => flash.push(error), leave.signal, new SimulatedClock());
    assert.deepEqual(flash, []);
  });
});
