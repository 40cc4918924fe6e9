import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { figuresOf } from "./figures.ts";

const answer = (durationMs: number, startedMs = 0) => ({ startedMs, durationMs, statusCode: 200, error: undefined });

describe("figures of a receiver", () => {
  it("are none where nothing was sent", () => {
    assert.deepEqual(figuresOf([]), { attempts: 0, p50_ms: null, p99_ms: null, last: null });
  });

  it("are nearest ranks of what was answered, in whatever order it came", () => {
    const some = Array.from({ length: 100 }, (_, at) => answer(((at * 37) % 100) + 1));
    const { attempts, p50_ms, p99_ms } = figuresOf(some);
    assert.deepEqual([attempts, p50_ms, p99_ms], [100, 50, 99]);
    assert.deepEqual([figuresOf([answer(7)]).p50_ms, figuresOf([answer(7)]).p99_ms], [7, 7]);
  });

  it("leave out how long it took to hear nothing, and tell of it as the last", () => {
    const silent = { startedMs: 9, durationMs: 30_000, statusCode: undefined, error: "timeout" };
    const figures = figuresOf([silent, answer(5, 4)]);
    assert.deepEqual([figures.attempts, figures.p99_ms], [2, 5]);
    assert.deepEqual(figures.last, { started_ms: 9, status_code: null, error: "timeout" });
  });
});
