import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json, NodeDetail } from "../../../graph.ts";
import { differencesOf, inOrder, nodePairs, pairsText, type RunNodes } from "./compare.ts";

const NODE: NodeDetail = {
  id: "a",
  kind: "node",
  worker: "w",
  status: "done",
  attempts: 1,
  started_ms: 0,
  finished_ms: 100,
  due_ms: null,
  result_bytes: null,
  error: null,
  epoch: 1,
  input: null,
  result: null,
  state: null,
  origin: null,
};

describe("Two compared values", () => {
  it("differ at the deepest unequal paths, whatever the order of keys", () => {
    const one = { order: 7, card: { number: "1", name: "Ada" }, lines: ["a", "b"] };
    const other = { card: { name: "Ada", number: "2" }, lines: ["a"], order: 7, note: null };
    assert.deepEqual(differencesOf(one, other).items, [
      { path: "card.number", one: '"1"', other: '"2"' },
      { path: "lines[1]", one: '"b"', other: undefined },
      { path: "note", one: undefined, other: "null" },
    ]);
    assert.deepEqual(differencesOf({ a: [1] }, { a: { 0: 1 } }).items, [{ path: "a", one: "[1]", other: '{"0":1}' }]);
    assert.deepEqual(differencesOf(one, structuredClone(one)).items, []);
  });

  it("have at most 200 listed differences", () => {
    const many = (by: number): number[] => Array.from({ length: 500 }, (_, at) => at + by);
    const { items, isCut } = differencesOf(many(0), many(1));
    assert.deepEqual([items.length, isCut], [200, true]);
  });

  it("are compared by own keys, even if they are named like inherited properties", () => {
    const one: Json = JSON.parse('{"constructor":1,"__proto__":{"a":1},"toString":{}}');
    assert.deepEqual(differencesOf(one, {}).items, [
      { path: "constructor", one: "1", other: undefined },
      { path: "__proto__", one: '{"a":1}', other: undefined },
      { path: "toString", one: "{}", other: undefined },
    ]);
    assert.deepEqual(differencesOf(one, structuredClone(one)).items, []);
  });
});

function under(nodes: NodeDetail[], hasEnded = false): RunNodes {
  return { nodes, untilMs: 500, hasEnded };
}

describe("Two compared runs", () => {
  it("show a node that had not started when its run ended as not run", () => {
    const waiting: NodeDetail = { ...NODE, status: "ready", started_ms: null, finished_ms: null };
    const [pair] = nodePairs(under([waiting], true), under([waiting]));
    assert.deepEqual([pair?.one?.looks.status, pair?.other?.looks.status], ["unrun", "queued"]);
  });

  it("are compared node by node: missing nodes, other outcomes, other inputs", () => {
    const pairs = nodePairs(
      under([NODE, { ...NODE, id: "b", input: 1 }, { ...NODE, id: "c" }]),
      under([NODE, { ...NODE, id: "b", input: 2, status: "failed", finished_ms: null }, { ...NODE, id: "d" }]),
    );
    assert.deepEqual(
      pairs.map((pair) => [pair.id, pair.isOtherStatus, pair.isOtherInput, pair.one?.tookMs, pair.other?.tookMs]),
      [
        ["a", false, false, 100, 100],
        ["b", true, true, 100, 500],
        ["c", true, false, 100, undefined],
        ["d", true, false, undefined, 100],
      ],
    );
    assert.equal(pairsText(pairs), "3 of 4 nodes differ: b, c, d");
    assert.equal(pairsText(pairs.slice(0, 1)), "No differences in 1 node");
  });
});

describe("The nodes of a run", () => {
  const begun = (id: string, startedMs: number | null): NodeDetail => ({ ...NODE, id, started_ms: startedMs });

  it("are sorted by start time, then by dependency, and items by number", () => {
    const nodes = [begun("mail", null), begun("ask/10", 5), begun("ask/9", 7), begun("pick", 5), begun("reserve", 5)];
    const edges: [string, string][] = [
      ["reserve", "pick"],
      ["pick", "ask"],
      ["reserve", "ask"],
    ];
    const names = inOrder([...nodes, begun("first", 4)], edges).map(({ id }) => id);
    assert.deepEqual(names, ["first", "reserve", "pick", "ask/9", "ask/10", "mail"]);
  });
});
