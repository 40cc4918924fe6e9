/**
 * Heights of the rows of a long list, most of them guessed, and which rows are to be there. Pure. Sums are kept in a Fenwick tree, so
 * that a height that turns out otherwise costs as little as a question.
 */

export class RowHeights {
  readonly _count: number;
  readonly #sizes: Float64Array;
  /** At `n`: the sum of the `n & -n` heights that end with number `n`, counted from 1. */
  readonly #sums: Float64Array;

  constructor(count: number, sizeOf: (index: number) => number) {
    this._count = count;
    this.#sizes = Float64Array.from({ length: count }, (_, index) => sizeOf(index));
    const sums = (this.#sums = new Float64Array(count + 1));
    for (let at = 1; at <= count; at++) {
      sums[at]! += this.#sizes[at - 1]!;
      const above = at + (at & -at);
      if (above <= count) sums[above]! += sums[at]!;
    }
  }

  /** @returns whether it is another than before. */
  _set(index: number, size: number): boolean {
    const change = size - this.#sizes[index]!;
    this.#sizes[index] = size;
    for (let at = index + 1; change && at <= this._count; at += at & -at) this.#sums[at]! += change;
    return !!change;
  }

  /** Where a row begins. @param index may be the number of rows: where the list ends. */
  _offset(index: number): number {
    let sum = 0;
    for (let at = index; at > 0; at -= at & -at) sum += this.#sums[at]!;
    return sum;
  }

  /** The row at a height of the list: the first above it, the last below it. */
  _indexAt(y: number): number {
    let at = 0;
    let left = y;
    for (let step = 2 ** 30; step >= 1; step /= 2) {
      const next = at + step;
      if (next < this._count && this.#sums[next]! <= left) {
        at = next;
        left -= this.#sums[next]!;
      }
    }
    return at;
  }
}

/** Rows beyond those that can be seen are there up to this many in all. */
const MOST = 54;

/**
 * @param y height of the list at which the view begins. @param room height of the view.
 * @returns first row to be there, and the one behind the last: those that can be seen, and half a view on both sides.
 */
export function rowsAround(heights: RowHeights, y: number, room: number): [start: number, stop: number] {
  const first = heights._indexAt(y);
  const last = heights._indexAt(y + room);
  const spare = Math.max(1, (MOST - (last - first)) >> 1);
  return [
    Math.max(first - spare, heights._indexAt(y - room / 2)),
    Math.min(last + spare, heights._indexAt(y + room * 1.5) + 1, heights._count),
  ];
}
