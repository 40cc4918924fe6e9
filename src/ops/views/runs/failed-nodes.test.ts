import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Snapshot } from "../../../graph.ts";
import { failedNodes } from "./failed-nodes.ts";

type Node = Snapshot["nodes"][number];

/** A run with these nodes, which started one after the other; those marked with `!` have failed. */
function runOf(...names: string[]): Snapshot {
  const nodes = names.map((name, at): Partial<Node> => ({
    id: name.replace("!", ""),
    kind: "node",
    status: name.endsWith("!") ? "failed" : "done",
    started_ms: at,
  }));
  return { nodes: nodes.toReversed() } as Partial<Snapshot> as Snapshot;
}

describe("The failed nodes of a run", () => {
  it("follow each other in start order, wrapping around at both ends", () => {
    const run = runOf("a!", "b", "c!", "d!");
    assert.deepEqual(failedNodes(run, undefined), { count: 3, place: undefined, before: "d", after: "a" });
    assert.deepEqual(failedNodes(run, "a"), { count: 3, place: 1, before: "d", after: "c" });
    assert.deepEqual(failedNodes(run, "b"), { count: 3, place: undefined, before: "a", after: "c" });
    assert.deepEqual(failedNodes(run, "d"), { count: 3, place: 3, before: "c", after: "a" });
  });

  it("have no neighbors if there is only one or none", () => {
    assert.deepEqual(failedNodes(runOf("a", "b!"), "b"), { count: 1, place: 1, before: undefined, after: undefined });
    assert.deepEqual(failedNodes(runOf("a"), "a"), { count: 0, place: undefined, before: undefined, after: undefined });
  });

  it("are in numeric order if they started at the same time", () => {
    const run = runOf("pick/10!", "pick/2!");
    for (const node of run.nodes) node.started_ms = 1;
    assert.equal(failedNodes(run, undefined).after, "pick/2");
  });
});
