import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { Attempt, type AttemptResult } from "./attempt.ts";
import { ConnectionPool } from "./connection-pool.ts";

const controller = {
  aborted: false,
  paused: false,
  reason: null,
  rawHeaders: [],
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

describe("a delivery attempt", () => {
  for (const setMs of [-3_600_000, 3_600_000])
    it(`reports its duration and the receiver's correctly when the clock is set by ${setMs} ms meanwhile`, async () => {
      const clock = new SimulatedClock();
      const results: AttemptResult[] = [];
      const pool = new ConnectionPool({ clock, policy: new SsrfPolicy(), total: 1 });
      const attempt = new Attempt(clock, pool, (result) => void results.push(result));
      attempt.onRequestStart();
      await clock.advance(40);
      clock.aheadMs = setMs;
      attempt.onResponseStart(controller, 200);
      await clock.advance(10);
      attempt.onResponseEnd();
      assert.deepEqual(
        results.map(({ durationMs, timings }) => [durationMs, timings]),
        [[50, { first_byte: 40 }]],
      );
    });
});
