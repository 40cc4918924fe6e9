/** How many pairs of edges cross, between one rank and the next (Barth, Jünger and Mutzel, "Simple and Efficient Bilayer Cross Counting"). */

/**
 * @param upper the nodes of a rank in their order, with what each leads to in the next
 * @param slots by node, its place in its rank
 */
export function crossingsBetween(
  upper: readonly number[],
  out: readonly (readonly number[])[],
  slots: Uint32Array,
  lowerCount: number,
): number {
  let first = 1;
  while (first < lowerCount) first *= 2;
  const tree = new Uint32Array(2 * first);
  let crossings = 0;
  for (const node of upper) {
    const targets = out[node] ?? [];
    // Those of one node don't cross each other: all are counted before any is put in.
    for (const to of targets)
      for (let at = (slots[to] as number) + first; at > 1; at >>= 1)
        if ((at & 1) === 0) crossings += tree[at + 1] as number;
    for (const to of targets)
      for (let at = (slots[to] as number) + first; at >= 1; at >>= 1) tree[at] = (tree[at] as number) + 1;
  }
  return crossings;
}
