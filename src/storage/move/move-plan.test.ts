/** The next step of a move, according to the migration states of both databases. */
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

describe("the plan of a move", () => {
  it("begins if neither database has a state and the target is empty", () => {
    assert.deepEqual(planned(undefined, undefined), { kind: "begin", id: undefined });
  });

  it("may begin from a database that was filled by a move, and at one that was emptied since", () => {
    assert.deepEqual(planned(from("arrived", "m0"), to("arrived", "m0")), { kind: "begin", id: undefined });
  });

  it("begins with the id that the source was marked with", () => {
    assert.deepEqual(planned(from("leaving"), undefined), { kind: "begin", id: "m1" });
  });

  it("continues at the position in the target", () => {
    assert.deepEqual(planned(from("leaving"), to("arriving"), "graph"), { kind: "goOn", id: "m1", cursor });
  });

  it("closes the source if the target is complete", () => {
    assert.deepEqual(planned(from("leaving"), to("arrived"), "graph"), { kind: "close", id: "m1" });
  });

  it("has nothing to do if the move is complete", () => {
    assert.deepEqual(planned(from("left"), to("arrived"), "graph"), { kind: "nothing" });
  });

  for (const [what, plan, reported] of [
    ["a target with rows", planned(undefined, undefined, "graph"), /is not empty: its table "graph"/],
    ["a target with a part of another move", planned(undefined, to("arriving", "m2"), "graph"), /a part of another/],
    [
      "a target that was moved itself",
      planned(undefined, from("left", "m2", "elsewhere")),
      /itself moved to elsewhere/,
    ],
    ["a different target", planned(from("leaving", "m1", "the other"), undefined), /to the other, not to/],
    ["a source that was moved", planned(from("left"), undefined), /was already moved to the schema/],
    ["a source that is being filled", planned(from("arriving", "m2", "x"), undefined), /itself being filled from x/],
    [
      "a target with a part of another move while the source is marked",
      planned(from("leaving"), to("arriving", "m2"), "graph"),
      /another move/,
    ],
    ["a target that has rows by now", planned(from("leaving"), undefined, "node"), /its table "node" has rows/],
  ] as const)
    it(`is rejected for ${what}`, () => {
      assert.equal(plan.kind, "refuse");
      assert.match(plan.kind === "refuse" ? plan.reason : "", reported);
    });
});
