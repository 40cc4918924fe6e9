import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { simulateSchedules } from "./schedule-simulation.ts";

const SEEDS = 25;

describe("schedules in a world drawn from a number", () => {
  it("run each of their times once, none before it is due, and make up for what they promise, whatever dies and however clocks are set", async (test) => {
    let [runs, deaths] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const ran = await simulateSchedules(seed);
      runs += ran.runs;
      deaths += ran.deaths;
    }
    test.diagnostic(`${runs} runs, ${deaths} deaths`);
    assert.ok(deaths > SEEDS / 2);
  });
});
