import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { createEngine, openStore, systemClock, type Json, type Snapshot } from "svckit/graph";
import { audit, inspect, parse, report } from "./graph.ts";
import { afterEvent, NOT_STARTED, progressOfSnapshot } from "./progress.ts";
import type { Report } from "./types.ts";

const store = await openStore("memory:");
const engine = createEngine({ store, workers: [parse, inspect, report], graphs: [audit], clock: systemClock });
after(async () => {
  await engine.close();
  await store.close();
});

/** Runs an audit to its end. @returns its snapshot, and the progress derived from the event stream */
const run = (lockfile: Json) => runOf("audit", { lockfile });

async function runOf(name: string, input: Json): Promise<{ snapshot: Snapshot; followed: typeof NOT_STARTED }> {
  const { snapshot } = await engine.start(name, input);
  let followed = NOT_STARTED;
  for await (const event of engine.subscribe(snapshot.graph_id, 0, new AbortController().signal)) {
    followed = afterEvent(followed, event);
  }
  const ended = await engine.snapshot(snapshot.graph_id);
  assert.ok(ended);
  return { snapshot: ended, followed };
}

describe("The graph audit", () => {
  it("reports on this repository's lockfile with one node for each package", async () => {
    const text = readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8");
    const { snapshot } = await run(text);
    assert.equal(snapshot.status, "done");
    const { totals, rows } = snapshot.result as Report;
    assert.equal(snapshot.nodes.length, totals.packages + 2);
    assert.equal(rows.length, totals.packages);
  });

  it("has the same progress in its events and in its snapshot", async () => {
    const { snapshot, followed } = await run({
      lockfileVersion: 3,
      packages: { "node_modules/a": { version: "1.0.0" } },
    });
    assert.deepEqual(followed, progressOfSnapshot(snapshot));
  });

  it("ends with an empty report for a project without dependencies", async () => {
    const { snapshot } = await run({ lockfileVersion: 3, packages: { "": { name: "empty" } } });
    assert.equal((snapshot.result as Report).totals.packages, 0);
  });

  it("fails in parse after one attempt and reports the position, when the lockfile is broken", async () => {
    const { snapshot } = await run('{"lockfileVersion": 3,}');
    assert.equal(snapshot.status, "failed");
    assert.equal(snapshot.error?.node, "parse");
    assert.match(snapshot.error?.message ?? "", /line 1, column 23/);
    assert.equal(snapshot.nodes.find((node) => node.id === "parse")?.attempts, 1);
  });

  it("fails at once with the expected input, when it or one of its workers is started with an invalid input", async () => {
    for (const [name, input, reported] of [
      ["audit", null, /^The input must be an object with a "lockfile": .*, but it is null\.$/],
      ["audit", {}, /^The input must be an object with a "lockfile": .*, but its "lockfile" is missing\.$/],
      ["parse", "lockfile", /, but it is a string\.$/],
      ["inspect", null, /^The input must be a package from parse, but it is null\.$/],
      ["inspect", { path: "node_modules/a", name: "a" }, /, but its "version" is missing\.$/],
      ["report", null, /^The input must be the results of parse and inspect, but it is null\.$/],
    ] as const) {
      const { snapshot } = await runOf(name, input);
      assert.match(snapshot.error?.message ?? "", reported);
      assert.equal(snapshot.nodes.find(({ id }) => id === snapshot.error?.node)?.attempts, 1);
    }
  });
});
