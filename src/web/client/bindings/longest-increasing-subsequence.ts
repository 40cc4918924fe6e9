/**
 * Positions of a longest increasing subsequence: rows that may stay where they are while the others move around them.
 * Patience sorting with back pointers; `-1` (a new row) never belongs to it.
 * @returns the last of them, and for each the one before it.
 * @param before old position of each row in its new order.
 */
export function longestIncreasingSubsequence(
  before: readonly number[],
): [last: number | undefined, previous: (number | undefined)[]] {
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  before.forEach((value, at) => {
    if (value < 0) return;
    let low = 0;
    let high = tails.length;
    // The last one first: most rows come after all that were before them.
    for (let middle = high - 1; low < high; middle = (low + high) >> 1) {
      if (before[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = tails[low - 1];
    tails[low] = at;
  });
  return [tails.at(-1), previous];
}
