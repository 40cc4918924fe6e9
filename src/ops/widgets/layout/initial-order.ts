/** Initial orders: places in traversal order, starting from the root nodes. */
import type { Proper } from "./dummy-nodes.ts";

/** The places of all ranks, concatenated. Rank `n` is from `begins[n]` to before `begins[n + 1]`. */
export interface Order {
  places: Int32Array;
  begins: Int32Array;
}

export function rankOf({ places, begins }: Order, rank: number): Int32Array {
  return places.subarray(begins[rank], begins[rank + 1]);
}

/** @param isDeep depth first, which keeps connected nodes together; otherwise breadth first */
export function firstOrder({ nodeCount, count, ranks, rankCount, out, into }: Proper, isDeep: boolean): Order {
  const begins = new Int32Array(rankCount + 1);
  for (let place = 0; place < count; place++) begins[ranks[place]! + 1] = begins[ranks[place]! + 1]! + 1;
  for (let rank = 0; rank < rankCount; rank++) begins[rank + 1] = begins[rank + 1]! + begins[rank]!;
  const next = begins.slice();
  const places = new Int32Array(count);
  const seen = new Uint8Array(count);
  const open = new Int32Array(nodeCount + out.ends.length);
  const isRoot = (node: number): boolean => into.starts[node] === into.starts[node + 1];
  let first = 0;
  let last = 0;
  const follow = (): void => {
    while (first < last) {
      const place = isDeep ? open[--last]! : open[first++]!;
      if (seen[place]) continue;
      seen[place] = 1;
      const rank = ranks[place]!;
      places[next[rank]!] = place;
      next[rank] = next[rank]! + 1;
      const from = out.starts[place]!;
      const until = out.starts[place + 1]!;
      for (let tie = from; tie < until; tie++) open[last++] = out.ends[isDeep ? until - 1 - (tie - from) : tie]!;
    }
  };
  for (let root = 0; root < nodeCount; root++) {
    if (!isRoot(root)) continue;
    open[last++] = root;
    if (isDeep) follow();
  }
  follow();
  return { places, begins };
}
