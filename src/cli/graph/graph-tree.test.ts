import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isAsciiTerminal, treeLines, type TreeNode } from "./graph-tree.ts";

const node = (name: string, status = "done"): TreeNode => ({ name, status, label: status });
const NODES = [
  node("reserve"),
  node("charge", "failed"),
  node("pick"),
  node("pick#fetch"),
  node("pack", "pending"),
  node("mail", "pending"),
];
const EDGES = [
  ["reserve", "charge"],
  ["reserve", "pick"],
  ["pick", "pack"],
  ["charge", "pack"],
  ["pack", "mail"],
  ["charge", "mail"],
] as const;

describe("a run in a terminal", () => {
  it("is a tree with each node below the last of its predecessors, and the others named after it", () => {
    assert.deepEqual(
      treeLines(NODES, EDGES, false).map(({ head, note }) => `${head}${note === "" ? "" : ` (${note})`}`),
      [
        "✓ reserve",
        "├─ ✕ charge",
        "└─ ✓ pick",
        "   ├─ ✓ pick#fetch",
        "   └─ ○ pack (after charge too)",
        "      └─ ○ mail (after charge too)",
      ],
    );
  });

  it("uses ASCII on a terminal without Unicode", () => {
    assert.deepEqual(
      treeLines(NODES, EDGES, true).map(({ head }) => head),
      ["+ reserve", "|- x charge", "`- + pick", "   |- + pick#fetch", "   `- o pack", "      `- o mail"],
    );
    assert.deepEqual(
      [{ LANG: "C" }, { TERM: "dumb" }, { LANG: "C", LC_ALL: "en_US.UTF-8" }, {}, { LANG: "de_DE.utf8" }].map((env) =>
        isAsciiTerminal(env),
      ),
      [true, true, false, false, false],
    );
  });

  it("is a list if no node leads to another", () => {
    assert.deepEqual(
      treeLines([node("a"), node("b")], [], false).map(({ head }) => head),
      ["✓ a", "✓ b"],
    );
  });
});
