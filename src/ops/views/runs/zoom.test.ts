import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { offsetText, scaleOf, type Stretch } from "./time-scale.ts";
import { readRange, rangeEntries, zoomSteps } from "./zoom.ts";

const run = (fromMs: number, toMs: number): Stretch => ({ kind: "run", fromMs, toMs });
/** A second of work, an hour without activity, a second of work; starts at 500. */
const STRETCHES = [run(500, 1500), run(3_601_500, 3_602_500)];

describe("The axis of a range", () => {
  it("starts and ends with the range, with labels relative to the start of the run", () => {
    const { at, ticks, breaks, range } = scaleOf(STRETCHES, { fromMs: 200, toMs: 600 });
    assert.deepEqual([at(700), at(900), at(1100), at(0), at(9999)], [0, 50, 100, 0, 100]);
    assert.deepEqual(
      ticks.map(({ label }) => label),
      ["200 ms", "300 ms", "400 ms", "500 ms", "600 ms"],
    );
    assert.deepEqual([breaks, range], [[], { fromMs: 200, toMs: 600 }]);
  });

  it("collapses idle gaps, except one that fills the whole range", () => {
    assert.deepEqual(scaleOf(STRETCHES).marks.length, 4);
    assert.deepEqual(
      scaleOf(STRETCHES, { fromMs: 500, toMs: 3_602_000 }).breaks.map(({ label }) => label),
      ["1 h 00 m"],
    );
    assert.deepEqual(scaleOf(STRETCHES, { fromMs: 5000, toMs: 900_000 }).breaks, []);
  });

  it("shows every stretch that overlaps it", () => {
    const { shows } = scaleOf([run(0, 100)], { fromMs: 40, toMs: 60 });
    const seen = [run(0, 100), run(0, 40), run(50, 50), run(60, 90), run(59, 90)].map(shows);
    assert.deepEqual(seen, [true, false, true, false, true]);
  });

  it("covers the whole run if the range is outside of it", () => {
    assert.deepEqual(scaleOf([run(0, 100)], { fromMs: 500, toMs: 900 }).range, { fromMs: 0, toMs: 100 });
  });

  it("is linear between its marks, so that a position can be converted to a time", () => {
    fc.assert(
      fc.property(fc.nat(3_602_000), fc.nat(3_602_000), fc.nat(3_602_000), (one, other, ms) => {
        const { at, marks } = scaleOf(STRETCHES, { fromMs: Math.min(one, other), toMs: Math.max(one, other) });
        const after = marks.findIndex(([, markMs]) => markMs >= ms);
        const [low, high] = [marks[after - 1], marks[after]];
        if (!low || !high) return;
        const share = (ms - low[1]) / Math.max(1, high[1] - low[1]);
        assert.ok(Math.abs(at(ms + 500) - (low[0] + share * (high[0] - low[0]))) < 0.01);
      }),
      { numRuns: 100 },
    );
  });
});

describe("Times on the axis", () => {
  it("have enough digits to be distinguishable", () => {
    assert.equal(offsetText(185_120, 5), "3 m 05.120 s");
    assert.equal(offsetText(185_120, 60_000), "3 m 05 s");
    assert.equal(offsetText(7_625_000, 5000), "2 h 7 m 05 s");
    assert.equal(offsetText(42_346, 20), "42.35 s");
    assert.equal(offsetText(840, 1), "840 ms");
  });
});

describe("The zoom steps", () => {
  it("halve and double the range, and move it by half to either side", () => {
    assert.deepEqual(zoomSteps({ fromMs: 400, toMs: 600 }, 1000), {
      closer: { fromMs: 450, toMs: 550 },
      wider: { fromMs: 300, toMs: 700 },
      earlier: { fromMs: 300, toMs: 500 },
      later: { fromMs: 500, toMs: 700 },
    });
  });

  it("stop at the ends of the run, and at the smallest range", () => {
    const all = zoomSteps({ fromMs: 0, toMs: 1000 }, 1000);
    assert.deepEqual([all.wider, all.earlier, all.later], [undefined, undefined, undefined]);
    assert.equal(zoomSteps({ fromMs: 100, toMs: 900 }, 1000).wider, "all");
    assert.equal(zoomSteps({ fromMs: 10, toMs: 14 }, 1000).closer, undefined);
    assert.deepEqual(zoomSteps({ fromMs: 900, toMs: 1000 }, 1000).earlier, { fromMs: 850, toMs: 950 });
  });

  it("are stored in the URL, and invalid ranges are ignored", () => {
    const read = (text: string): unknown => readRange(new URLSearchParams(text));
    assert.deepEqual(read("from=5&to=9"), { fromMs: 5, toMs: 9 });
    assert.deepEqual(read("to=9"), { fromMs: 0, toMs: 9 });
    for (const text of ["", "from=9&to=5", "from=-1&to=x", "from=1e9"]) assert.equal(read(text), undefined, text);
    assert.deepEqual(rangeEntries(readRange(new URLSearchParams("from=5"))), { from: "5", to: "" });
  });
});
