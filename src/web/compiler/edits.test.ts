import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits, offsetBefore } from "./edits.ts";

describe("edits of a source", () => {
  const text = "abcdefgh";
  const edits = [
    { start: 5, end: 6, insert: "" },
    { start: 2, end: 3, insert: "XYZ" },
    { start: 7, end: 7, insert: "-" },
  ];

  it("apply to the source in any order", () => {
    assert.equal(applyEdits(text, edits), "abXYZdeg-h");
  });

  it("lead back from each place of the result to that of the source", () => {
    const { length } = applyEdits(text, edits);
    const places = Array.from({ length }, (_, offset) => text[offsetBefore(edits, offset)]);
    assert.equal(places.join(""), "abcccdeghh");
  });

  it("lead back to where a moved part was", () => {
    const moved = [
      { start: 1, end: 1, insert: "(" },
      { start: 1, end: 1, insert: "fg", from: 5 },
      { start: 5, end: 7, insert: "" },
    ];
    const result = applyEdits(text, moved);
    assert.equal(result, "a(fgbcdeh");
    const places = Array.from(result, (_, offset) => text[offsetBefore(moved, offset)]);
    assert.equal(places.join(""), "abfgbcdeh");
  });
});
