import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RowHeights, rowsAround } from "./row-heights.ts";

/** The reference implementation: looks at every row. */
class Naive {
  readonly sizes: number[];
  constructor(sizes: readonly number[]) {
    this.sizes = [...sizes];
  }
  offset(index: number): number {
    return this.sizes.slice(0, index).reduce((sum, size) => sum + size, 0);
  }
  indexAt(y: number): number {
    const found = this.sizes.findLastIndex((_, index) => this.offset(index) <= y);
    return Math.max(0, found);
  }
}

const size = fc.integer({ min: 1, max: 300 });
const lists = fc.array(size, { maxLength: 200 });

describe("RowHeights", () => {
  it("returns the same offsets as a linear sum after any changes of heights", () => {
    const changes = fc.array(fc.tuple(fc.nat(), size), { maxLength: 30 });
    fc.assert(
      fc.property(lists, changes, fc.array(fc.integer({ min: -500, max: 60_000 })), (sizes, set, places) => {
        const heights = new RowHeights(sizes.length, (index) => sizes[index] ?? 0);
        const naive = new Naive(sizes);
        for (const [at, next] of sizes.length === 0 ? [] : set) {
          const index = at % sizes.length;
          heights._sizes[index] = next;
          heights._sum(index);
          naive.sizes[index] = next;
        }
        for (let index = 0; index <= sizes.length; index++) assert.equal(heights._tops[index], naive.offset(index));
        for (const y of places) assert.equal(heights._indexAt(y), naive.indexAt(y), `at ${y}`);
      }),
    );
  });
});

describe("rowsAround", () => {
  it("returns one range with all visible rows and few others", () => {
    const y = fc.integer({ min: -2000, max: 70_000 });
    fc.assert(
      fc.property(lists, y, fc.integer({ min: 0, max: 1500 }), (sizes, at, room) => {
        const naive = new Naive(sizes);
        const [start, stop] = rowsAround(new RowHeights(sizes.length, (index) => sizes[index] ?? 0), at, room);
        assert.ok(0 <= start && start <= stop && stop <= sizes.length, `${start} ${stop}`);
        const seen = sizes.flatMap((own, index) => {
          const top = naive.offset(index);
          return top < at + room && top + own > at ? [index] : [];
        });
        for (const index of seen) assert.ok(start <= index && index < stop, `${index} is not in ${start}..${stop}`);
        assert.ok(stop - start <= Math.max(seen.length + 4, 58), `${stop - start} rows, ${seen.length} seen`);
      }),
    );
  });

  it("returns fewer than 60 of 100,000 rows", () => {
    const heights = new RowHeights(100_000, () => 36);
    for (const at of [0, 1, 1_799_990, 3_599_400, 3_600_000]) {
      const [start, stop] = rowsAround(heights, at, 800);
      assert.ok(stop - start < 60);
      assert.ok(start * 36 <= at && (stop * 36 >= at + 800 || stop === 100_000));
    }
  });

  it("returns an empty range for an empty list", () => {
    assert.deepEqual(rowsAround(new RowHeights(0, () => 0), 0, 500), [0, 0]);
  });
});
