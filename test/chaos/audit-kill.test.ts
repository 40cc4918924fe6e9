/** Kills the demo server in the middle of an audit. A restarted server continues from the last commit. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { buildDemo, startDemo, temporaryFolder, type DemoServer } from "../e2e/demo-server.ts";
import { graphEvents, startGraph, type ApiEvent, type StartedGraph } from "../e2e/graph-api.ts";

/** Enough packages for each kill to hit the audit while it runs. */
const PACKAGES = 2_000;
const KILLS_AT = [100, 700, 1_300];

const folder = temporaryFolder();
let server: DemoServer;

before(async () => {
  await buildDemo();
  server = await startDemo({ dataDir: folder.path });
});

after(async () => {
  await server?.stop();
  folder.remove();
});

const isInspected = (event: ApiEvent): boolean =>
  event.type === "node.done" && event.node?.startsWith("inspect/") === true;

describe("a server that is killed during an audit", () => {
  it("completes the audit after restarts, with every node committed once and every event in order", async () => {
    const graph = await startGraph(server.url, { worker: "audit", input: { lockfile: bigLockfile() } });
    for (const count of KILLS_AT) {
      await untilInspected(graph, count);
      await server.stop("SIGKILL");
      server = await startDemo({ dataDir: folder.path });
    }
    const events: ApiEvent[] = [];
    for await (const event of graphEvents(server.url, graph)) events.push(event);

    assert.equal(events.at(-1)?.type, "graph.done");
    assert.deepEqual(
      events.map((event) => event.seq),
      events.map((_, index) => index + 1),
    );
    const committed = events.filter((event) => event.type === "node.done").map((event) => event.node);
    assert.equal(committed.length, PACKAGES + 2);
    assert.equal(new Set(committed).size, PACKAGES + 2);
    assert.equal(events.filter((event) => event.type === "graph.done").length, 1);
  });
});

async function untilInspected(graph: StartedGraph, count: number): Promise<void> {
  let inspected = 0;
  for await (const event of graphEvents(server.url, graph)) {
    assert.notEqual(event.type, "graph.done", "the audit ended before the kill: give it more packages");
    if (isInspected(event) && ++inspected === count) return;
  }
}

function bigLockfile(): object {
  const entries = Array.from({ length: PACKAGES }, (_, index) => [
    `node_modules/package-${index}`,
    { version: "1.0.0", license: "MIT", integrity: "sha512-x", resolved: "https://registry.invalid/package.tgz" },
  ]);
  return { name: "big", lockfileVersion: 3, packages: Object.fromEntries(entries) };
}
