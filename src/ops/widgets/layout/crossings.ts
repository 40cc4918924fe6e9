/** Counts the edge crossings between two adjacent ranks (Barth, Jünger and Mutzel, "Simple and Efficient Bilayer Cross Counting"). */
import type { Ties } from "./ranks.ts";

/**
 * @param upper the nodes of a rank in order, with their edges to the next rank in the second parameter @param slots index of each node in
 * its rank @param tree scratch space: at least four times `lowerCount`, and 2
 */
export function crossingsBetween(
  upper: Int32Array,
  { starts, ends }: Ties,
  slots: Int32Array,
  lowerCount: number,
  tree: Uint32Array,
): number {
  let first = 1;
  while (first < lowerCount) first *= 2;
  tree.fill(0, 0, 2 * first);
  let crossings = 0;
  for (let at = 0; at < upper.length; at++) {
    const node = upper[at]!;
    const from = starts[node]!;
    const until = starts[node + 1]!;
    // Edges of the same node do not cross each other, so all are counted before any is inserted.
    for (let tie = from; tie < until; tie++)
      for (let leaf = slots[ends[tie]!]! + first; leaf > 1; leaf >>= 1)
        if ((leaf & 1) === 0) crossings += tree[leaf + 1]!;
    for (let tie = from; tie < until; tie++)
      for (let leaf = slots[ends[tie]!]! + first; leaf >= 1; leaf >>= 1) tree[leaf] = tree[leaf]! + 1;
  }
  return crossings;
}
