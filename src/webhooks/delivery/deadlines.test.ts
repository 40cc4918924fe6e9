import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { Deadlines } from "./deadlines.ts";

const TIMEOUT_MS = 15_000;

describe("attempt deadlines", () => {
  for (const setMs of [-3_600_000, 0, 3_600_000])
    it(`expire after their timeout and no sooner, in order, when the clock is set by ${setMs} ms meanwhile`, async () => {
      const clock = new SimulatedClock();
      const deadlines = new Deadlines(clock, TIMEOUT_MS);
      const expired: string[] = [];
      const add = (name: string) => deadlines.add({ expire: () => void expired.push(name) });
      add("first");
      await clock.advance(5000);
      add("second");
      clock.aheadMs = setMs;
      await clock.advance(TIMEOUT_MS - 5001);
      assert.deepEqual(expired, []);
      await clock.advance(1);
      assert.deepEqual(expired, ["first"]);
      await clock.advance(5000);
      assert.deepEqual(expired, ["first", "second"]);
    });
});
