import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { simulateSchedules } from "./schedule-simulation.ts";

const SEEDS = 25;
const SEEDS_ON_SQLITE = 4;

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

  it("do so on SQLite", async () => {
    let runs = 0;
    for (let seed = 1; seed <= SEEDS_ON_SQLITE; seed++) runs += (await simulateSchedules(seed, "sqlite::memory:")).runs;
    assert.ok(runs > 50);
  });
});
