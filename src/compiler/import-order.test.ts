import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceOrder } from "./import-order.ts";

describe("imports of a chunk", () => {
  it("stand in one order, whichever was resolved first", () => {
    const core = 'import { T } from "/_svc/core.js";';
    const region = 'import { For, tpl } from "/_svc/region.js";';
    const store = 'import { raw } from "/_svc/store.js";';
    for (const found of [
      [region, core, store],
      [store, region, core],
    ]) {
      assert.deepEqual(sourceOrder(found), [core, region, store]);
    }
  });
});
