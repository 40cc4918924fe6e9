/** Engines that are killed at random moments, and one that is frozen. Everything they acknowledged is stored and happens once. */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../e2e/demo-server.ts";
import { runKills } from "./kill-run.ts";

const KILLS = 8;
/** Enough for each kill to interrupt some work. */
const GRAPHS = 300;
const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);

const folder = temporaryFolder();
after(() => folder.remove());

describe(`an engine killed ${KILLS} times and frozen once (CHAOS_SEED=${seed}; out/test/chaos/kill-main.js runs longer)`, () => {
  it("ends every acknowledged run once, commits each node and outbox row once, and keeps events in order and results correct", async (test) => {
    const report = await runKills({ folder: folder.path, kills: KILLS, graphs: GRAPHS, zombies: 1, seconds: 60, seed });
    test.diagnostic(JSON.stringify(report));
    assert.equal(report.graphs, GRAPHS);
    assert.equal(report.keptOut, 1);
    assert.equal(report.fenced, report.lost, "a process that lost its file writes nothing more");
  });
});
