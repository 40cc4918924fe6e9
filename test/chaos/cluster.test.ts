/**
 * Several web and worker processes on one PostgreSQL server, with faults of every kind.
 *
 *   CLUSTER_WEB=2 CLUSTER_WORKERS=4 CLUSTER_KILLS=50 CLUSTER_FREEZES=20 CLUSTER_RESTARTS=5 CLUSTER_CUTS=10 CLUSTER_GRAPHS=3000 CLUSTER_SECONDS=270 node --test out/test/chaos/cluster.test.js
 *
 * With CLUSTER_NETWORK=namespaces half of the worker processes run in a separate network namespace, and a cut takes down the link to
 * it (Linux, iproute2, root).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutPostgres } from "svckit/testing";
import { whyNoNamespaces } from "./cluster-network.ts";
import { runCluster } from "./cluster-run.ts";

const given = (name: string, otherwise: number): number => Number(process.env[`CLUSTER_${name}`] ?? otherwise);
const hasNamespaces = process.env["CLUSTER_NETWORK"] === "namespaces";
const why = (hasNamespaces && whyNoNamespaces()) || (await withoutPostgres());

describe("a cluster on one database", { skip: why }, () => {
  it("loses no acknowledged run, commits nothing twice and sends correct events, despite faults of every kind", async (test) => {
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
        hasNamespaces,
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
