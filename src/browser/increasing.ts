/**
 * Positions of a longest increasing subsequence: rows that may stay where they are while the others move around them.
 * Patience sorting with back pointers; `-1` (a new row) never belongs to it.
 * @param before old position of each row in its new order.
 */
export function increasing(before: readonly number[]): Set<number> {
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  before.forEach((value, at) => {
    if (value < 0) return;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before[tails[middle]!]! < value) low = middle + 1;
      else high = middle;
    }
    previous[at] = tails[low - 1];
    tails[low] = at;
  });
  const kept = new Set<number>();
  for (let at = tails.at(-1); at !== undefined; at = previous[at]) kept.add(at);
  return kept;
}
