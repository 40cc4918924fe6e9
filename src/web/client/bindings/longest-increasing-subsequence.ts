/**
 * Finds a longest increasing subsequence: the rows that can stay in place while the others move around them.
 * Patience sorting with back pointers. New rows (`-1`) never belong to it.
 * @returns the last position, and for each position the one before it.
 * @param before previous index of each row, in the new order.
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
    // Compares with the last tail first: most rows follow those that were before them.
    for (let middle = high - 1; low < high; middle = (low + high) >> 1) {
      if (before[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = tails[low - 1];
    tails[low] = at;
  });
  return [tails.at(-1), previous];
}
