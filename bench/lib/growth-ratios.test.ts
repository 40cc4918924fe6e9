import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GrowthSample } from "./growth-loads.ts";
import { growthOf, tooMuch } from "./growth-ratios.ts";

const sample = (cpuMs: number, heapMb = 0): GrowthSample => ({ cpuMs, blockMs: 1, heapMb });

describe("The growth of a cost", () => {
  it("is its processor time per unit at each size, compared with the smallest, and the best round counts", () => {
    const { steps } = growthOf(
      { name: "load" },
      new Map([
        [100, [sample(30), sample(10)]],
        [800, [sample(160), sample(400)]],
      ]),
    );
    assert.deepEqual(
      steps.map(({ cpuUs, ratio }) => [cpuUs, ratio]),
      [
        [100, 1],
        [200, 2],
      ],
    );
  });

  it("is accepted if it is nearly linear, and reported if processor time or memory grow with the square", () => {
    const of = (small: GrowthSample, large: GrowthSample): string[] =>
      tooMuch(
        growthOf(
          { name: "load" },
          new Map([
            [100, [small]],
            [800, [large]],
          ]),
        ),
      );
    assert.deepEqual(of(sample(10, 3), sample(200, 40)), []);
    assert.deepEqual(of(sample(10), sample(640)), [
      "load: at 800, a unit takes 8.0 times the processor time of that at 100; at most 3 times is allowed",
    ]);
    assert.match(of(sample(10, 3), sample(80, 192))[0] ?? "", /takes 8\.0 times the memory/);
    // A small heap has changed for other reasons.
    assert.deepEqual(of(sample(10, 0.001), sample(80, 4)), []);
  });
});
