import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { receiverStatsOf, receiverStatsOfEach } from "./receiver-stats.ts";

const answer = (durationMs: number, startedMs = 0) => ({ startedMs, durationMs, statusCode: 200, error: undefined });

describe("the statistics of a receiver", () => {
  it("are empty if nothing was sent", () => {
    assert.deepEqual(receiverStatsOf([]), { attempts: 0, p50_ms: null, p99_ms: null, last: null });
  });

  it("use nearest-rank percentiles of the responses, in any order", () => {
    const some = Array.from({ length: 100 }, (_, at) => answer(((at * 37) % 100) + 1));
    const { attempts, p50_ms, p99_ms } = receiverStatsOf(some);
    assert.deepEqual([attempts, p50_ms, p99_ms], [100, 50, 99]);
    assert.deepEqual([receiverStatsOf([answer(7)]).p50_ms, receiverStatsOf([answer(7)]).p99_ms], [7, 7]);
  });

  it("are computed for each requested receiver, in that order, from its own responses", () => {
    const outcomes = [
      { registrationId: "wh_b", ...answer(7, 9) },
      { registrationId: "wh_a", ...answer(5, 8) },
      { registrationId: "wh_b", ...answer(3, 7) },
    ];
    const reported = receiverStatsOfEach(["wh_a", "wh_none", "wh_b"], outcomes);
    assert.deepEqual(
      reported.map(({ attempts, p99_ms, last }) => [attempts, p99_ms, last?.started_ms]),
      [
        [1, 5, 8],
        [0, null, undefined],
        [2, 7, 9],
      ],
    );
  });

  it("exclude attempts without a response from the durations, but show one as the last", () => {
    const silent = { startedMs: 9, durationMs: 30_000, statusCode: undefined, error: "timeout" };
    const figures = receiverStatsOf([silent, answer(5, 4)]);
    assert.deepEqual([figures.attempts, figures.p99_ms], [2, 5]);
    assert.deepEqual(figures.last, { started_ms: 9, status_code: null, error: "timeout" });
  });
});
