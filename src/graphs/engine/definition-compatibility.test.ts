import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { misfits, type History } from "./definition-compatibility.ts";
import { graph, worker } from "../definition/definition.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";

const work = worker("work", () => 1);
const other = worker("other", () => 1);

function history(nodes: Record<string, string>, change: Partial<History> = {}): History {
  const rows = Object.entries(nodes).map(
    ([id, status]) => ({ id, worker: "work", status }) as History["nodes"][number],
  );
  return { graph_id: "g_1", worker: "flow", version: null, status: "running", nodes: rows, ...change };
}

const definitions = (...all: GraphDefinition[]) => new Map(all.map((one) => [one.name, [one]]));
const flow = graph("flow", (g) => {
  const first = g.node("first", work);
  const items = g.map("items", work, first, () => []);
  g.node("last", work, { after: [items] });
});
const kinds = (histories: History[], now: GraphDefinition): string[] =>
  misfits(histories, definitions(now)).map(({ kind, message }) => `${kind}: ${message}`);

describe("stored runs checked against new definitions", () => {
  it("are compatible with the definitions they were started with, at any point", () => {
    const far = { first: "done", "first#fetch": "done", "items/0": "running", "items/1": "pending", last: "pending" };
    assert.deepEqual(kinds([history(far), history({ first: "running", last: "pending" })], flow), []);
  });

  it("report missing nodes and unknown names", () => {
    const smaller = graph("flow", (g) => g.node("first", work));
    assert.deepEqual(kinds([history({ first: "done", "items/0": "running", last: "pending" })], smaller), [
      'missing node: The node "items" is gone: the run would be parked',
      'missing node: The node "last" is gone: the run would be parked',
    ]);
    const renamed = graph("flow2", (g) => g.node("first", work));
    assert.match(
      kinds([history({ first: "done" })], renamed)[0] ?? "",
      /^unknown graph: No graph or worker is named "flow"/,
    );
  });

  it("would fail for new nodes, except fan-outs, which are created later", () => {
    const larger = graph("flow", (g) => {
      const first = g.node("first", work);
      g.node("before", work);
      g.map("items", work, first, () => []);
    });
    assert.deepEqual(kinds([history({ first: "done" })], larger), [
      'new node: The node "before" is new: the run would be parked',
    ]);
  });

  it("report nodes whose worker changed, if they have not ended", () => {
    const changed = graph("flow", (g) => g.node("last", other, { after: [g.node("first", other)] }));
    assert.deepEqual(kinds([history({ first: "done", last: "pending" })], changed), [
      'changed worker: The node "last" used the worker "work", and would now use "other"',
    ]);
  });

  it("are compatible while and after they are compensated", () => {
    const chain = graph("flow", (g) => {
      const first = g.node("first", work);
      const second = g.node("second", work, { after: [first] });
      g.node("third", work, { after: [second] });
    });
    for (const first of ["compensating", "compensated", "uncompensated"])
      assert.deepEqual(kinds([history({ first, second: "compensated", third: "failed" })], chain), []);
    assert.deepEqual(kinds([history({ first: "compensated", second: "cancelled", third: "pending" })], chain), []);
  });

  it("report started nodes that would wait for others", () => {
    const turned = graph("flow", (g) => g.node("first", work, { after: [g.node("last", work)] }));
    assert.deepEqual(kinds([history({ first: "done", last: "pending" })], turned), [
      'changed order: The node "first" has started, and would now wait for "last", which has not ended',
    ]);
  });

  it("are counted by problem, active runs first, with some of their ids", () => {
    const now = definitions(graph("flow", (g) => g.node("only", work)));
    const ended = history({ only: "done", gone: "done" }, { graph_id: "g_0", status: "failed" });
    const live = Array.from({ length: 5 }, (_, at) =>
      history({ only: "done", gone: "running" }, { graph_id: `g_${at + 1}` }),
    );
    const found = misfits([ended, ...live], now);
    assert.deepEqual(
      found.map(({ is_live, count, graph_ids }) => [is_live, count, graph_ids]),
      [
        [true, 5, ["g_1", "g_2", "g_3"]],
        [false, 1, ["g_0"]],
      ],
    );
  });

  it("are checked against the version they were started with", () => {
    const build = (version: string, names: string[]) =>
      graph("flow", (g) => names.forEach((name) => void g.node(name, work)), { version });
    const both = new Map([["flow", [build("1", ["only"]), build("2", ["only", "more"])]]]);
    const started = (version: string | null) => history({ only: "done" }, { version });
    const found = (version: string | null) =>
      misfits([started(version)], both).map(({ kind, message }) => [kind, message]);
    assert.deepEqual([found("1"), found(null)], [[], []]);
    assert.equal(found("2")[0]?.[0], "new node");
    assert.deepEqual(found("0"), [
      ["unknown graph", 'No graph or worker is named "flow" in version "0" any more: its runs would be parked'],
    ]);
  });
});
