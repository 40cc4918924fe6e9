/** Transitions that are merged into one change. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graphRow, nextId, nodeRow } from "../../contract/sample-rows.testkit.ts";
import type { Transition } from "../../contract/transition.ts";
import { ARRAYS } from "./commit-function.ts";
import { TransitionDraft } from "./transition-draft.ts";
import { groupDocument } from "./group-document.ts";

const id = nextId();
const event = { graphId: id, type: "log" as const, timestampMs: 1 };

/** A transition of chain 1, based on `seq` events. */
function transition(
  seq: number,
  change: Partial<Transition> = {},
  fence: Partial<NonNullable<Transition["fence"]>> = {},
): Transition {
  return { graphId: id, fence: { epoch: 1, phases: ["running"], seq, line: 1, ...fence }, events: [event], ...change };
}

describe("transitions of one run", () => {
  it("are merged if each is based on the one before, and the last value of a column wins", () => {
    const draft = new TransitionDraft(transition(4, { nodes: [{ id: "a", status: "running", attempt: 1 }] }));
    assert.ok(
      draft.join(transition(5, { insertNodes: [nodeRow(id, "b")], nodes: [{ id: "a", status: "done", result: 1 }] })),
    );
    assert.ok(draft.join(transition(6, { nodes: [{ id: "b", status: "done" }], graph: { phase: "done" } })));
    assert.deepEqual(draft.nodes.get("a"), { id: "a", status: "done", attempt: 1, result: 1 });
    assert.equal(draft.insertNodes.get("b")?.status, "done");
    assert.deepEqual(
      draft.numbered(4).map((events) => events.map(({ seq }) => seq)),
      [[5], [6], [7]],
    );
    assert.ok(!draft.join(transition(7)), "the run has already ended");
    assert.ok(draft.join(transition(7, {}, { phases: ["done"] })));
  });

  const apart: Record<string, Transition> = {
    "another chain": transition(5, {}, { line: 2 }),
    "no fence": { graphId: id, events: [event] },
    "a gap": transition(6),
    "another epoch": transition(5, {}, { epoch: 2 }),
    "another phase": transition(5, {}, { phases: ["paused"] }),
    "another lease": transition(5, {}, { lease: 3 }),
    "a fence on a node": transition(5, {}, { node: { id: "a", status: ["ready"], attempt: 0 } }),
    "deleted nodes": transition(5, { deleteNodes: ["a"] }),
    "an insert of an existing node": transition(5, { insertNodes: [nodeRow(id, "a")] }),
    "an insert of the run": transition(5, { insert: graphRow(id) }),
  };
  for (const [what, next] of Object.entries(apart))
    it(`are not merged: ${what}`, () => {
      const draft = new TransitionDraft(transition(4, { nodes: [{ id: "a", status: "running" }] }));
      const before = structuredClone(draft.numbered(4));
      assert.equal(draft.join(next), false);
      assert.deepEqual(draft.numbered(4), before);
    });

  it("are not merged if the first may leave one of several phases", () => {
    const draft = new TransitionDraft(transition(4, {}, { phases: ["running", "pausing"] }));
    assert.equal(draft.join(transition(5)), false);
  });

  it("omit unchanged columns from the document, and name columns that become empty", () => {
    const draft = new TransitionDraft(transition(4, { graph: { error: undefined, status: "running" } }));
    const values = groupDocument({ slot: "s", ticket: 1, next: 2, registrations: null }, [draft], () => null).slice(6);
    const of = (key: (typeof ARRAYS)[number]): unknown => values[ARRAYS.indexOf(key)];
    const [change] = JSON.parse(String(of("graphs"))) as Record<string, unknown>[];
    assert.deepEqual(Object.keys(change ?? {}).sort(), ["at", "id", "mask", "n", "status"]);
    assert.equal(Number(change?.["mask"]).toString(2).replaceAll("0", "").length, 2);
    assert.equal(of("nodes"), null);
  });
});
