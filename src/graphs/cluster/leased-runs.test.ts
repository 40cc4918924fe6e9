import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import type { LeasedRun } from "../engine/cluster-port.ts";
import { LeasedRuns } from "./leased-runs.ts";
import type { Leases } from "./leases.ts";

describe("A process that starts runs", () => {
  function rig(others = 0) {
    const clock = new SimulatedClock(0);
    const resting = new Set<string>();
    const known = { holds: (id: string) => !id.startsWith("loading"), isAtRest: (id: string) => resting.has(id) };
    const runs = new LeasedRuns({
      leases: {} as Leases,
      clock,
      log: silentLog,
      concurrency: 4,
      others: () => others,
      isRunner: true,
      me: () => "p_1",
      held: () => known as LeasedRun,
      isClosing: () => false,
    });
    let count = 0;
    /** Starts runs until one gets a job. @returns how many it holds. */
    const fill = (): number => {
      for (let held = 0; ; held++) if (runs.enter(`g_${++count}`) === undefined) return held;
    };
    return { clock, runs, resting, fill };
  }

  it("leaves runs beyond its limit to jobs", () => {
    const { runs, fill } = rig();
    assert.equal(fill(), 4);
    runs.left("g_1");
    assert.equal(fill(), 10 - 3, "ten times the one that has ended, without the three that are held");
  });

  it("holds no more than its limit if other processes could take them", () => {
    const { runs, fill } = rig(1);
    assert.equal(fill(), 4);
    runs.left("g_1");
    assert.equal(fill(), 1);
  });

  it("holds the work of ten seconds, by the ends of the last two seconds", async () => {
    const { clock, runs, fill } = rig();
    fill();
    for (let at = 1; at <= 4; at++) runs.left(`g_${at}`);
    await clock.advance(1000);
    assert.equal(fill(), 40);
    await clock.advance(2000);
    runs.left("g_6");
    assert.equal(fill(), 0, "39 are more than ten times the one that has ended");
  });

  it("never holds more than ten thousand", () => {
    const { runs, fill } = rig();
    for (let at = 0; at < 2000; at++) {
      runs.enter(`short_${at}`);
      runs.left(`short_${at}`);
    }
    assert.equal(fill(), 10_000);
  });

  it("counts no run that has ended twice", () => {
    const { runs, fill } = rig();
    fill();
    for (let at = 0; at < 9; at++) runs.left("g_1");
    assert.equal(fill(), 7);
  });

  it("does not count runs that wait for a time or a signal, and looks for them once a second", async () => {
    const { clock, runs, resting, fill } = rig(1);
    fill();
    assert.equal(runs.enter("other"), undefined);
    for (const id of ["g_1", "g_2"]) resting.add(id);
    assert.equal(runs.enter("other"), undefined);
    await clock.advance(1000);
    assert.equal(runs.enter("other"), "p_1");
    assert.deepEqual(
      ["g_1", "g_2", "g_3", "other"].map((id) => runs.has(id)),
      [false, false, true, true],
    );
  });

  it("counts runs that are being loaded", async () => {
    const { clock, runs, resting } = rig(1);
    for (let at = 0; at < 4; at++) {
      runs.enter(`loading_${at}`);
      resting.add(`loading_${at}`);
    }
    await clock.advance(1000);
    assert.equal(runs.enter("other"), undefined);
  });
});
