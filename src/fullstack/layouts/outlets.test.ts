import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { outletKey } from "./outlets.ts";

describe("the key of a layout", () => {
  it("is the same for every request if its folder has no parameter", () => {
    const key = outletKey("users/_layout.tsx");
    assert.equal(key({ id: "1" }), key({ id: "2" }));
    assert.match(key({}), /^[0-9a-f]{8}$/);
  });

  it("differs between files", () => {
    assert.notEqual(outletKey("_layout.tsx")({}), outletKey("users/_layout.tsx")({}));
  });

  it("depends on the parameters of its folder, and on no others", () => {
    const key = outletKey("(app)/users/[id]/[[tab]]/[...rest]/_layout.tsx");
    const params = { id: "1", tab: "posts", rest: "a/b", other: "x" };
    assert.equal(key(params), key({ ...params, other: "y" }));
    for (const name of ["id", "tab", "rest"]) assert.notEqual(key(params), key({ ...params, [name]: "z" }), name);
    assert.notEqual(key({ id: "1", rest: "a" }), key(params));
  });
});
