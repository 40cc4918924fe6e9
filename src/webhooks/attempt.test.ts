import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SetClock } from "../graph/engine-bench.test.ts";
import { Attempt, type AttemptResult } from "./attempt.ts";

const nothing = (): void => undefined;
/** Nobody slows this answer down. */
const controller = { aborted: false, paused: false, reason: null, abort: nothing, pause: nothing, resume: nothing };

describe("an attempt to deliver", () => {
  for (const setMs of [-3_600_000, 3_600_000])
    it(`tells how long it took, and its receiver, when the clock is set by ${setMs} ms meanwhile`, async () => {
      const clock = new SetClock();
      const results: AttemptResult[] = [];
      const attempt = new Attempt(
        clock,
        () => ({}),
        (result) => void results.push(result),
      );
      attempt.onRequestStart();
      await clock.advance(40);
      clock.aheadMs = setMs;
      attempt.onResponseStart(controller, 200, {});
      await clock.advance(10);
      attempt.onResponseEnd();
      assert.deepEqual(
        results.map(({ durationMs, timings }) => [durationMs, timings]),
        [[50, { first_byte: 40 }]],
      );
    });
});
