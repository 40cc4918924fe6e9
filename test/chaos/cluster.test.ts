/**
 * Two processes that serve and some that work on one PostgreSQL, with faults of every kind.
 *
 *   CLUSTER_KILLS=50 CLUSTER_FREEZES=20 CLUSTER_RESTARTS=5 CLUSTER_CUTS=10 CLUSTER_GRAPHS=3000 CLUSTER_SECONDS=120 node --test out/test/chaos/cluster.test.js
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutPostgres } from "svc/testing";
import { runCluster } from "./cluster-run.ts";

const given = (name: string, otherwise: number): number => Number(process.env[`CLUSTER_${name}`] ?? otherwise);

describe("processes on one database", { skip: await withoutPostgres() }, () => {
  it("lose nothing that was acknowledged, do nothing twice and mislead nobody, whatever happens to them", async (test) => {
    const report = await runCluster(
      {
        web: given("WEB", 1),
        workers: given("WORKERS", 2),
        graphs: given("GRAPHS", 60),
        kills: given("KILLS", 1),
        freezes: given("FREEZES", 1),
        restarts: given("RESTARTS", 1),
        cuts: given("CUTS", 1),
        seconds: given("SECONDS", 4),
      },
      (text) => test.diagnostic(text),
    );
    const { acknowledged, repeated, followed, takeoverMs, ...wrong } = report;
    test.diagnostic(JSON.stringify({ acknowledged, repeated, followed, takeoverMs }));
    assert.deepEqual(wrong, {
      lost: [],
      unfinished: [],
      failed: [],
      twice: 0,
      gaps: 0,
      unheard: [],
      doubled: [],
      misled: [],
    });
  });
});
