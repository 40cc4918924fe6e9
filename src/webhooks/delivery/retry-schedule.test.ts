import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_SCHEDULE, nextAttemptMs, readSchedule, retryAfterMs } from "./retry-schedule.ts";

const delays = readSchedule(DEFAULT_SCHEDULE);
const HOUR_MS = 3_600_000;

describe("the retry schedule", () => {
  it("waits 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h between ten attempts, then ends", () => {
    const waits: (number | undefined)[] = [];
    for (let number = 1; number <= 10; number++) waits.push(nextAttemptMs(delays, { number, nowMs: 0, random: 0 }));
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
    assert.deepEqual(waits, [5000, 300_000, 1_800_000, ...hours, undefined]);
    assert.equal(
      delays.reduce((sum, delay) => sum + delay),
      75 * HOUR_MS + 35 * 60_000 + 5000,
    );
  });

  it("adds up to a fifth of jitter, and never subtracts", () => {
    for (const random of [0, 0.5, 0.999_999]) {
      const dueMs = nextAttemptMs(delays, { number: 3, nowMs: 1000, random }) ?? 0;
      assert.equal(dueMs, 1000 + Math.round(1_800_000 * (1 + 0.2 * random)));
      assert.ok(dueMs >= 1000 + 1_800_000 && dueMs <= 1000 + 2_160_000);
    }
  });

  it("starts again with a replay after the last attempt", () => {
    assert.equal(nextAttemptMs(delays, { number: 11, nowMs: 0, random: 0 }), 5000);
    assert.equal(nextAttemptMs(delays, { number: 20, nowMs: 0, random: 0 }), undefined);
  });

  it("is extended by Retry-After up to 24 h, but never shortened, and gets no additional attempts", () => {
    const wait = (number: number, asked: number) =>
      nextAttemptMs(delays, { number, nowMs: 0, random: 0, retryAfterMs: asked });
    assert.equal(wait(1, 60_000), 60_000);
    assert.equal(wait(2, 60_000), 300_000);
    assert.equal(wait(1, 100 * HOUR_MS), 24 * HOUR_MS);
    assert.equal(wait(10, 60_000), undefined);
  });

  it("never retries with a schedule of one attempt", () => {
    assert.equal(nextAttemptMs(readSchedule(["0s"]), { number: 1, nowMs: 0, random: 0 }), undefined);
  });

  it("rejects an empty schedule and invalid durations", () => {
    assert.throws(() => readSchedule([]), { code: "SVC_CONFIG" });
    assert.throws(() => readSchedule(["0s", "soon"]), { code: "SVC_CONFIG", message: /"soon"/ });
  });
});

describe("Retry-After", () => {
  const nowMs = Date.UTC(2026, 0, 1);
  it("is accepted as seconds or an HTTP date in the future", () => {
    const cases: [string | undefined, number | undefined][] = [
      ["120", 120_000],
      [" 0 ", 0],
      ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
      ["Wed, 31 Dec 2025 00:00:00 GMT", undefined],
      ["-5", undefined],
      ["1.5", undefined],
      ["2027", 2_027_000],
      ["2027-01-01", undefined],
      ["soon", undefined],
      ["", undefined],
      [undefined, undefined],
    ];
    for (const [value, expected] of cases) assert.equal(retryAfterMs(value, nowMs), expected, value);
  });
});
