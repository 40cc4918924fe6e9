/** Engines killed at any moment, and one that is frozen: what they acknowledged is there, and happens once. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../e2e/demo-server.ts";
import { runKills } from "./kill-run.ts";

const KILLS = 8;
/** Enough for each kill to meet work. */
const GRAPHS = 300;
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

const folder = temporaryFolder();
after(() => folder.remove());

describe(`engines killed ${KILLS} times and frozen once (CHAOS_SEED=${seed}; out/test/chaos/kill-main.js does it at length)`, () => {
  it("end every acknowledged graph once, each node and each row of the outbox committed once, events in order, results right", async (test) => {
    const report = await runKills({ folder: folder.path, kills: KILLS, graphs: GRAPHS, zombies: 1, seconds: 60, seed });
    test.diagnostic(JSON.stringify(report));
    assert.equal(report.graphs, GRAPHS);
    assert.equal(report.keptOut, 1);
    assert.equal(report.fenced, report.lost, "whoever lost its file writes nothing any more");
  });
});
