import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GrowthSample } from "./growth-loads.ts";
import { goalRows } from "./growth-goals.ts";
import { growthOf, tooMuch } from "./growth-ratios.ts";

const sample = (cpuMs: number, heapMb = 0): GrowthSample => ({ cpuMs, blockMs: 1, heapMb, peakMb: 50 });

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
    assert.deepEqual(of(sample(10), { ...sample(80), bytes: 300_001 }), [
      "load: at 800, a response has 300001 bytes; at most 300000 are allowed",
    ]);
    // A small heap has changed for other reasons.
    assert.deepEqual(of(sample(10, 0.001), sample(80, 4)), []);
  });

  it("is compared with the goal of its size: a share above 1 misses it", () => {
    const growths = [
      growthOf({ name: "recover() with waiting runs" }, new Map([[100_000, [{ ...sample(10), blockMs: 100 }]]])),
      growthOf({ name: "starts over HTTP on PostgreSQL" }, new Map([[16_384, [{ ...sample(10), perSecond: 3800 }]]])),
      growthOf({ name: "sleepers that wake together" }, new Map([[500, [sample(10)]]])),
    ];
    assert.deepEqual(goalRows(growths), [
      ["recover() with waiting runs", "100000", "longest block", "100 ms", "≤ 50 ms", "2.00"],
      ["recover() with waiting runs", "100000", "peak memory", "50 MB", "≤ 300 MB", "0.17"],
      ["starts over HTTP on PostgreSQL", "16384", "starts", "3800 per second", "≥ 1900 per second", "0.50"],
    ]);
  });
});
