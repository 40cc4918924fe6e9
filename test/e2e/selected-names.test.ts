import assert from "node:assert/strict";
import { it } from "node:test";
import { selectedNames } from "./selected-names.ts";

const names = ["rows-of-a-tree", "a-tree", "a-form"];

it("all fixtures are played without a selection", () => {
  assert.deepEqual(selectedNames(names, "PARTS", {}), ["a-form", "a-tree", "rows-of-a-tree"]);
});

it("fixtures are selected by parts of their names", () => {
  assert.deepEqual(selectedNames(names, "PARTS", { PARTS: "rows,form" }), ["a-form", "rows-of-a-tree"]);
});

it("a part that selects no fixture is an error", () => {
  assert.throws(
    () => selectedNames(names, "PARTS", { PARTS: "rows|form" }),
    /PARTS: no fixture has "rows\|form" in its name/,
  );
});
