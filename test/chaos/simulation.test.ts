/** Some hundred simulations in each run of the tests; `.ci/run` has five thousand others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulationFailure } from "./simulation-trace.ts";
import { simulate } from "./simulation.ts";
import type { Bug } from "./simulation-world.ts";

const SEEDS = 300;
/** Within so many each of the bugs below has shown itself, most within the first thirty. */
const ENOUGH = 200;

describe("graphs in a world drawn from a number", () => {
  it("come to what their plan says, whatever dies, is late or is out of order, and the store holds what is promised", async (test) => {
    let [deaths, calls] = [0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const ran = await simulate(seed);
      deaths += ran.deaths;
      calls += ran.calls;
    }
    test.diagnostic(`${deaths} deaths, ${calls} calls of the store`);
    assert.ok(deaths > SEEDS / 2);
  });

  it("do the same for the same number", async () => {
    let happened = 0;
    for (const seed of [3, 14, 75]) {
      const { trace } = await simulate(seed);
      assert.deepEqual((await simulate(seed)).trace, trace);
      happened += trace.length;
    }
    assert.ok(happened > 10, `${happened} things have happened`);
  });

  const bugs: Record<Bug, string> = {
    early: "a commit is acknowledged before it is written",
    unfenced: "who writes late is not refused",
    timer: "a timer is lost",
    twice: "a webhook is written twice",
  };
  for (const [bug, what] of Object.entries(bugs) as [Bug, string][])
    it(`show that ${what}`, async () => {
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
      assert.match(failure?.message ?? "nothing was found", new RegExp(`Again: node .* --seed \\d+ --bug ${bug}$`));
      const trace = failure instanceof SimulationFailure ? failure.trace.join("\n") : "";
      for (const reported of [
        /graph 1, ".*": graph.queued.* \(written\)/,
        /key-0 is started/,
        /n\d.* is called, attempt 1/,
      ])
        assert.match(trace, reported);
    });
});
