/** Log lines during store failures give the reason, and are not repeated every second for each run. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { openStore } from "../../storage/open-store.ts";
import { recordLog } from "../../testing/log.ts";
import { worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";
import { FaultLog } from "./fault-log.ts";

describe("the log of store failures", () => {
  it("has the first failure in full, then one line per minute and reason with the number of failures", async () => {
    const [log, clock] = [recordLog(), new SimulatedClock()];
    const faults = new FaultLog(log, clock);
    const fail = (graph: string, reason: string) => faults.failed(graph, new Error(reason), `${graph} failed.`);
    fail("g_1", "full");
    fail("g_2", "full");
    fail("g_3", "locked");
    // Independent of changes of the system clock.
    clock.aheadMs = -3_600_000;
    await clock.advance(30_000);
    fail("g_4", "full");
    await clock.advance(30_000);
    fail("g_5", "full");
    fail("g_6", "full");
    await clock.advance(120_000);
    fail("g_7", "locked");
    assert.deepEqual(
      log.entries.map(({ message, fields }) => [message, fields["graphId"], fields["more"]]),
      [
        ["g_1 failed.", "g_1", undefined],
        ["g_3 failed.", "g_3", undefined],
        ["g_5 failed. 2 more failed for the same reason since the last message.", "g_5", 2],
        ["g_7 failed.", "g_7", undefined],
      ],
    );
  });

  it("has a handful of lines for many runs over a minute, and all runs continue afterwards", async () => {
    const [log, clock, store] = [recordLog(), new SimulatedClock(), await openStore("memory:")];
    const nap = worker("nap", async (_input: null, ctx) => ctx.sleep("1m").then(() => "rested"));
    const engine = createEngine({ store, clock, log, workers: [nap] });
    const ids: string[] = [];
    for (let at = 0; at < 20; at++) ids.push((await engine.start("nap", null)).snapshot.graph_id);
    await clock.advance(1000);
    const { commit } = store.graphs;
    store.graphs.commit = () => Promise.reject(new Error("the disk is full"));
    await clock.advance(125_000);
    const reported = log.entries.filter(({ level }) => level === "error");
    assert.deepEqual(
      reported.map(({ fields: { err } }) => String(err)),
      Array.from({ length: 2 }, () => "Error: the disk is full"),
    );
    assert.ok(Number(reported[1]?.fields["more"]) > 100, String(reported[1]?.fields["more"]));
    store.graphs.commit = commit;
    await clock.advance(2000);
    await engine.idle();
    for (const id of ids) assert.equal((await engine.snapshot(id))?.result, "rested");
    await engine.close();
  });
});
