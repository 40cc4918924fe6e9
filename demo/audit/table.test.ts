import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { arrangeRows, type Arrangement } from "./table.ts";
import type { ReportRow } from "./types.ts";

const row = (name: string, more: Partial<ReportRow> = {}): ReportRow => ({
  path: `node_modules/${name}`,
  name,
  version: "1.0.0",
  license: "MIT",
  dev: false,
  weight: 0,
  severity: "none",
  notes: [],
  ...more,
});
const rows = [
  row("b", { weight: 60, severity: "high", notes: ["runs a script"] }),
  row("a", { license: "ISC" }),
  row("c", { weight: 5, severity: "low" }),
];
const shown = (wanted: Partial<Arrangement>): string => {
  const all: Arrangement = { sortBy: "weight", isDescending: true, search: "", level: "all" };
  return arrangeRows(rows, { ...all, ...wanted })
    .map((item) => item.name)
    .join("");
};

describe("The rows of the report", () => {
  it("are sorted by the chosen column and direction", () => {
    assert.equal(shown({}), "bca");
    assert.equal(shown({ isDescending: false }), "acb");
    assert.equal(shown({ sortBy: "name", isDescending: false }), "abc");
    assert.equal(shown({ sortBy: "license", isDescending: false }), "abc");
  });

  it("have a stable order among equals in both directions", () => {
    assert.equal(shown({ sortBy: "license" }), "bca");
  });

  it("are filtered by name, licence and note, ignoring case", () => {
    assert.equal(shown({ search: "SCRIPT" }), "b");
    assert.equal(shown({ search: " isc " }), "a");
    assert.equal(shown({ search: "nothing like it" }), "");
  });

  it("are filtered by level", () => {
    assert.equal(shown({ level: "flagged" }), "bc");
    assert.equal(shown({ level: "low" }), "c");
    assert.equal(shown({ level: "medium" }), "");
  });

  it("are a new array, and the input keeps its order", () => {
    shown({ sortBy: "name" });
    assert.equal(rows.map((item) => item.name).join(""), "bac");
  });
});
