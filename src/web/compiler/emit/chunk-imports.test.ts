import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceOrder, throughLoader } from "./chunk-imports.ts";

describe("imports of a chunk", () => {
  it("are sorted, independent of the order of resolution", () => {
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

  it("of the runtime go through the loader, which can retry them", () => {
    const gives: Record<string, string> = {
      'import { A, T as e } from "/_svc/core.js";': 'const { A, T: e } = await $svc.load("core");',
      'import { n as t } from "./shared-1a2b3c4d.js";': 'import { n as t } from "./shared-1a2b3c4d.js";',
      'import { x } from "/_svc/handler/x.js";': 'import { x } from "/_svc/handler/x.js";',
    };
    for (const [given, expected] of Object.entries(gives)) assert.equal(throughLoader(given), expected);
  });
});
