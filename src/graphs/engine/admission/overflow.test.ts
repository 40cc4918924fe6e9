import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { overflow } from "./overflow.ts";

describe("Runs beyond a limit", () => {
  it("wait, are cancelled, or replace the oldest ones", () => {
    const runs = { limit: 2, active: ["a", "b"], waiting: ["c"] };
    assert.deepEqual(overflow("queue", runs), []);
    assert.deepEqual(overflow("cancel-newest", runs), ["c"]);
    assert.deepEqual(overflow("cancel-oldest", runs), ["a"]);
  });

  it("replace as many as there are, and among themselves only the newest stay", () => {
    assert.deepEqual(overflow("cancel-oldest", { limit: 2, active: ["a", "b"], waiting: ["c", "d", "e"] }), [
      "a",
      "b",
      "c",
    ]);
    assert.deepEqual(overflow("cancel-oldest", { limit: 2, active: ["a"], waiting: ["b"] }), []);
    assert.deepEqual(overflow("cancel-oldest", { limit: 1, active: ["a"], waiting: [] }), []);
  });
});
