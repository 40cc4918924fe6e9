import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TemplateInfo } from "../template-info.ts";
import { lift, moduleValue, referenceOf } from "./function-props.ts";

const block: TemplateInfo = { moduleId: "view.tsx", bind: 0, events: [], parts: [], names: [""] };

describe("a constant of the module that a component gets", () => {
  it("is returned as it is, and its functions are recorded by their keys", () => {
    const columns = [{ key: "a" }, { key: "b", format: (x: number) => x }];
    assert.equal(moduleValue(block, "f0", columns), columns);
    assert.deepEqual(referenceOf(columns[1]?.format), { block, symbol: "f0", slots: ["1", "format"] });
    assert.equal(referenceOf(columns[0]), undefined);
  });

  it("may be a function, and may contain itself", () => {
    const run = () => 1;
    assert.equal(moduleValue(block, "f0", run), run);
    assert.deepEqual(referenceOf(run), { block, symbol: "f0", slots: [] });
    const loop: { self?: unknown; run: () => number } = { run: () => 2 };
    loop.self = loop;
    assert.equal(moduleValue(block, "f1", loop), loop);
    assert.deepEqual(referenceOf(loop.run), { block, symbol: "f1", slots: ["run"] });
  });

  it("keeps functions that are recorded already", () => {
    const run = lift(
      block,
      "h0",
      () => [],
      () => 1,
    );
    moduleValue(block, "f0", { run });
    assert.equal(referenceOf(run)?.symbol, "h0");
  });
});
