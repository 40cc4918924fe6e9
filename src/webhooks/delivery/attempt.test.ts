import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { Attempt, type AttemptResult } from "./attempt.ts";

describe("an attempt to deliver", () => {
  for (const setMs of [-3_600_000, 3_600_000])
    it(`tells how long it took, and its receiver, when the clock is set by ${setMs} ms meanwhile`, async () => {
      const clock = new SimulatedClock();
      const results: AttemptResult[] = [];
      const attempt = new Attempt(
        clock,
        () => ({}),
        (result) => void results.push(result),
      );
      attempt.onSent();
      await clock.advance(40);
      clock.aheadMs = setMs;
      attempt.onHead(200, []);
      await clock.advance(10);
      attempt.onEnd(0);
      assert.deepEqual(
        results.map(({ durationMs, timings }) => [durationMs, timings]),
        [[50, { first_byte: 40 }]],
      );
    });
});
