/** Inserts dummy nodes where an edge passes a rank, so that every edge connects adjacent ranks. */
import { tiesOf, type Ties } from "./ranks.ts";

export interface Proper {
  /** Number of real nodes; dummy nodes have higher indexes. */
  nodeCount: number;
  count: number;
  ranks: Int32Array;
  rankCount: number;
  out: Ties;
  into: Ties;
  /** For each edge, the places it passes, including both ends. */
  chains: Int32Array[];
}

export function properOf(
  nodeCount: number,
  edges: readonly (readonly [number, number])[],
  nodeRanks: Uint32Array,
): Proper {
  let count = nodeCount;
  let short = 0;
  for (const [from, to] of edges) {
    const steps = nodeRanks[to]! - nodeRanks[from]!;
    count += steps - 1;
    short += steps;
  }
  const ranks = new Int32Array(count);
  ranks.set(nodeRanks);
  const froms = new Int32Array(short);
  const tos = new Int32Array(short);
  let place = nodeCount;
  let tie = 0;
  const chains = edges.map(([from, to]) => {
    const first = nodeRanks[from]!;
    const chain = new Int32Array(nodeRanks[to]! - first + 1);
    chain[0] = from;
    for (let step = 1; step < chain.length; step++, tie++) {
      const isLast = step === chain.length - 1;
      if (!isLast) ranks[place] = first + step;
      const next = isLast ? to : place++;
      chain[step] = next;
      froms[tie] = chain[step - 1]!;
      tos[tie] = next;
    }
    return chain;
  });
  let rankCount = 0;
  for (let at = 0; at < nodeCount; at++) rankCount = Math.max(rankCount, ranks[at]! + 1);
  return {
    nodeCount,
    count,
    ranks,
    rankCount,
    out: tiesOf(count, froms, tos),
    into: tiesOf(count, tos, froms),
    chains,
  };
}
