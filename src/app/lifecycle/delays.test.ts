import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Delays } from "./delays.ts";

describe("the p99 of recent delays", () => {
  it("is exceeded by at most one in a hundred of them", () => {
    const kept = 240;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5000 }), { minLength: 1, maxLength: 600 }), (given) => {
        const delays = new Delays(kept);
        for (const ms of given) delays.add(ms);
        const last = given.slice(-kept).map((ms) => Math.max(0, ms));
        const p99 = delays.p99Ms() ?? assert.fail();
        assert.ok(last.includes(p99));
        assert.ok(last.filter((ms) => ms > p99).length <= last.length / 100);
        assert.ok(last.filter((ms) => ms < p99).length < last.length * 0.99);
      }),
    );
  });

  it("is unknown before the first delay", () => {
    assert.equal(new Delays(10).p99Ms(), undefined);
  });
});
