import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { criticalPath, pathText } from "./critical-path.ts";

type Edge = [string, string];

/** IDs of the critical path. Nodes are given as `[from, to]` in milliseconds. */
function ids(edges: Edge[], nodes: Record<string, [number, number]>): string[] {
  return pathOf(edges, nodes).map(({ id }) => id);
}

function pathOf(edges: Edge[], nodes: Record<string, [number, number]>): ReturnType<typeof criticalPath> {
  return criticalPath(edges, new Map(Object.entries(nodes).map(([id, [fromMs, toMs]]) => [id, { fromMs, toMs }])));
}

const DIAMOND: Edge[] = [
  ["a", "b"],
  ["a", "c"],
  ["b", "d"],
  ["c", "d"],
];

describe("The critical path", () => {
  it("leads from the node that ended last to the predecessor that each node waited for longest", () => {
    const path = pathOf(DIAMOND, { a: [0, 10], b: [10, 90], c: [10, 40], d: [92, 100] });
    assert.deepEqual(path, [
      { id: "a", addedMs: 10 },
      { id: "b", addedMs: 80 },
      { id: "d", addedMs: 10 },
    ]);
    assert.deepEqual(ids(DIAMOND, { a: [0, 10], b: [10, 30], c: [10, 40], d: [42, 100] }), ["a", "c", "d"]);
    assert.equal(pathText(path), "a 10 ms, then b 80 ms, then d 10 ms");
  });

  it("ends at a node without successors if that ended last", () => {
    assert.deepEqual(ids([...DIAMOND, ["a", "log"]], { a: [0, 10], b: [10, 20], d: [20, 30], log: [10, 500] }), [
      "a",
      "log",
    ]);
  });

  it("names the fan-out item that ended last, and attributes steps to their node", () => {
    const edges: Edge[] = [
      ["list", "pick"],
      ["pick", "pack"],
    ];
    const nodes: Record<string, [number, number]> = {
      list: [0, 5],
      "list#fetch": [1, 5],
      pick: [5, 50],
      "pick/0": [5, 20],
      "pick/1": [5, 50],
      "pick/2": [5, 30],
      pack: [50, 60],
    };
    assert.deepEqual(ids(edges, nodes), ["list", "pick/1", "pack"]);
  });

  it("passes through skipped nodes", () => {
    assert.deepEqual(
      ids(
        [
          ["a", "b"],
          ["b", "c"],
        ],
        { a: [0, 10], c: [10, 20] },
      ),
      ["a", "c"],
    );
  });

  it("ends with the dependent node if two ended in the same millisecond", () => {
    for (const nodes of [
      { a: [0, 5] as [number, number], b: [5, 5] as [number, number] },
      { b: [5, 5] as [number, number], a: [0, 5] as [number, number] },
    ])
      assert.deepEqual(ids([["a", "b"]], nodes), ["a", "b"]);
  });

  it("is empty for one node, for none, and for an unknown definition", () => {
    assert.deepEqual(ids(DIAMOND, {}), []);
    assert.deepEqual(ids(DIAMOND, { a: [0, 1] }), []);
    assert.deepEqual(ids([], { a: [0, 1], b: [1, 2] }), []);
  });
});
