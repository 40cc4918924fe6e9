/** The graph with a place in each rank that an edge passes: then all edges lead from one rank to the next. */
import { linksOf, type Links } from "./ranks.ts";

export interface Proper {
  /** How many of the places are nodes; the numbers of the others follow theirs. */
  nodeCount: number;
  count: number;
  ranks: number[];
  links: Links;
  /** For each edge the places it passes, its ends with them. */
  chains: number[][];
}

export function properOf(nodeCount: number, edges: readonly (readonly [number, number])[], ranks: Uint32Array): Proper {
  const all = [...ranks];
  const short: [number, number][] = [];
  const chains = edges.map(([from, to]) => {
    const chain = [from];
    for (let rank = (all[from] as number) + 1; rank < (all[to] as number); rank++) chain.push(all.push(rank) - 1);
    chain.push(to);
    for (let at = 1; at < chain.length; at++) short.push([chain[at - 1] as number, chain[at] as number]);
    return chain;
  });
  return { nodeCount, count: all.length, ranks: all, links: linksOf(all.length, short), chains };
}
