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
  it("names a worker that ran when it stood still, and how long", () => {
    const { watch, look, reported } = watched();
    look(250, "resize", "isolated");
    watch.ended("isolated");
    look(1250, "resize");
    assert.deepEqual(reported, [[1000, ["resize"]]]);
  });

  it("names one that began and ended meanwhile, and those that ran before", () => {
    const { watch, look, reported } = watched();
    look(250, "resize");
    watch.ended("parse");
    look(850);
    assert.deepEqual(reported, [[600, ["parse", "resize"]]]);
  });

  it("says nothing of short delays, of workers from before, and where none ran", () => {
    const { watch, look, reported } = watched();
    watch.ended("parse");
    look(440, "resize");
    look(250);
    look(250);
    look(2000);
    assert.deepEqual(reported, []);
  });
});
