/** Runs a few hundred simulations. `.ci/run` runs five thousand others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulationFailure } from "./simulation-trace.ts";
import { simulate } from "./simulation.ts";
import type { Bug } from "./simulation-world.ts";

const SEEDS = 300;
/** Each planted bug is detected within this many seeds, most within the first thirty. */
const ENOUGH = 1000;

describe("a simulation of runs", () => {
  it("ends every run as planned and keeps the promises of the store, despite crashes, delays and reordering", async (test) => {
    let [deaths, calls] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const ran = await simulate(seed);
      deaths += ran.deaths;
      calls += ran.calls;
    }
    test.diagnostic(`${deaths} deaths, ${calls} calls of the store`);
    assert.ok(deaths > SEEDS / 2);
  });

  it("does the same for the same seed", async () => {
    let happened = 0;
    for (const seed of [3, 14, 75]) {
      const { trace } = await simulate(seed);
      assert.deepEqual((await simulate(seed)).trace, trace);
      happened += trace.length;
    }
    assert.ok(happened > 10, `the logs have ${happened} lines`);
  });

  const bugs: Record<Bug, string> = {
    early: "a commit is acknowledged before it is written",
    unfenced: "a late write is not rejected",
    timer: "a timer is lost",
    twice: "a webhook is written twice",
    crowd: "more runs of a key are active than its limit allows",
  };
  for (const [bug, what] of Object.entries(bugs) as [Bug, string][])
    it(`detects the planted bug: ${what}`, async () => {
      const firstFailure = async (): Promise<Error | undefined> => {
        for (let seed = 1; seed <= ENOUGH; seed++)
          try {
            await simulate(seed, { bug });
          } catch (error) {
            return error as Error;
          }
        return undefined;
      };
      const failure = await firstFailure();
      assert.match(
        failure?.message ?? "no bug was detected",
        new RegExp(`Reproduce: node .* --seed \\d+ --bug ${bug}$`),
      );
      const trace = failure instanceof SimulationFailure ? failure.trace.join("\n") : "";
      for (const reported of [
        /graph 1, ".*": graph.queued.* \(written\)/,
        /key-0 is (started|sent)/,
        /n\d.* is called, attempt 1/,
      ])
        assert.match(trace, reported);
    });
});
