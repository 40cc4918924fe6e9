import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { simulateSchedules } from "./schedule-simulation.ts";

const SEEDS = 25;

describe("a simulation of schedules", () => {
  it("runs each due time once, none too early, and catches up as configured, despite crashes and clock changes", async (test) => {
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
