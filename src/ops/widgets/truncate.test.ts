import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cut, cutToWidth } from "./truncate.ts";

describe("A truncated text", () => {
  it("is cut to a number of characters", () => {
    assert.deepEqual([cut("parcel", 6), cut("parcels", 6)], ["parcel", "parce…"]);
  });

  it("is cut to a width that depends on its letters", () => {
    assert.equal(cutToWidth("charge-card", 138, 14), "charge-card");
    assert.equal(cutToWidth("import-customers-from-abroad", 138, 14), "import-customer…");
    assert.equal(cutToWidth("iiiiiiiiiiiiiiiiiiii", 100, 14), "iiiiiiiiiiiiiiiiiiii");
    assert.equal(cutToWidth("MMMMMMMMMMMMMMMMMMMM", 100, 14), "MMMMMM…");
    assert.equal(cutToWidth("one and two", 62, 14), "one a…");
  });
});
