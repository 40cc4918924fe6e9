/** What is to be done of a move, by the marks of both sides. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planOf, type Plan } from "./move-plan.ts";
import type { MigrationState } from "../contract/migration-state.ts";

const SOURCE = "the file";
const TARGET = "the schema";

function planned(source: MigrationState | undefined, target: MigrationState | undefined, filled?: string): Plan {
  return planOf({ label: SOURCE, mark: source }, { label: TARGET, mark: target, filled });
}
const from = (state: MigrationState["state"], id = "m1", peer = TARGET): MigrationState => ({
  id,
  state,
  peer,
  atMs: 1,
});
const to = (state: MigrationState["state"], id = "m1"): MigrationState => ({
  id,
  state,
  peer: SOURCE,
  atMs: 1,
  cursor,
});
const cursor = { table: "node", after: ["g_1", "a"] };

describe("a move", () => {
  it("begins where nothing is marked and the target is empty", () => {
    assert.deepEqual(planned(undefined, undefined), { kind: "begin", id: undefined });
  });

  it("may begin at what has arrived from elsewhere, and go to what was emptied since", () => {
    assert.deepEqual(planned(from("arrived", "m0"), to("arrived", "m0")), { kind: "begin", id: undefined });
  });

  it("begins under the id that the source was marked with", () => {
    assert.deepEqual(planned(from("leaving"), undefined), { kind: "begin", id: "m1" });
  });

  it("goes on where the target says", () => {
    assert.deepEqual(planned(from("leaving"), to("arriving"), "graph"), { kind: "goOn", id: "m1", cursor });
  });

  it("is closed at the source where the target is ready", () => {
    assert.deepEqual(planned(from("leaving"), to("arrived"), "graph"), { kind: "close", id: "m1" });
  });

  it("is nothing where it was made before", () => {
    assert.deepEqual(planned(from("left"), to("arrived"), "graph"), { kind: "nothing" });
  });

  for (const [what, plan, reported] of [
    ["a target with rows", planned(undefined, undefined, "graph"), /is not empty: its table "graph"/],
    [
      "a target that has a part of another move",
      planned(undefined, to("arriving", "m2"), "graph"),
      /a part of another/,
    ],
    ["a target that has left", planned(undefined, from("left", "m2", "elsewhere")), /itself moved to elsewhere/],
    ["another target than before", planned(from("leaving", "m1", "the other"), undefined), /to the other, and not to/],
    ["a source that was moved", planned(from("left"), undefined), /was moved already, to the schema/],
    ["a source that is being filled", planned(from("arriving", "m2", "x"), undefined), /itself being filled from x/],
    ["the half of another move at the target", planned(from("leaving"), to("arriving", "m2"), "graph"), /another move/],
    ["a target that has come to hold rows", planned(from("leaving"), undefined, "node"), /its table "node" has rows/],
  ] as const)
    it(`is refused for ${what}`, () => {
      assert.equal(plan.kind, "refuse");
      assert.match(plan.kind === "refuse" ? plan.reason : "", reported);
    });
});
