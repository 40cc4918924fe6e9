import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoopWatch } from "./loop-watch.ts";

function watched() {
  let nowMs = 0;
  let running: string[] = [];
  const reported: [number, readonly string[]][] = [];
  const watch = new LoopWatch({
    nowMs: () => nowMs,
    running: () => running,
    isIsolated: (worker) => worker === "isolated",
    onStill: (stillMs, workers) => reported.push([stillMs, workers]),
  });
  const look = (afterMs: number, ...now: string[]): void => {
    nowMs += afterMs;
    running = now;
    watch.look();
  };
  return { watch, look, reported };
}

describe("the watch over the event loop", () => {
  it("reports a worker that ran during a block, with its duration", () => {
    const { watch, look, reported } = watched();
    look(250, "resize", "isolated");
    watch.ended("isolated");
    look(1250, "resize");
    assert.deepEqual(reported, [[1000, ["resize"]]]);
  });

  it("reports workers that started and ended during a block, or ran before it", () => {
    const { watch, look, reported } = watched();
    look(250, "resize");
    watch.ended("parse");
    look(850);
    assert.deepEqual(reported, [[600, ["parse", "resize"]]]);
  });

  it("ignores short delays, workers that had ended before, and blocks without workers", () => {
    const { watch, look, reported } = watched();
    watch.ended("parse");
    look(440, "resize");
    look(250);
    look(250);
    look(2000);
    assert.deepEqual(reported, []);
  });
});
