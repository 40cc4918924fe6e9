/**
 * In which order the places of each rank stand, so that few edges cross: sweeps by the mean and the median of what a place is tied to,
 * then swaps of neighbours (Sugiyama, Tagawa and Toda; Gansner et al., section 3). The best order that was seen stays. All in flat
 * arrays, for a server lays a graph out before its engine has had time to optimise anything.
 */
import { firstOrder } from "./initial-order.ts";
import type { Proper } from "./dummy-nodes.ts";
import { sweep, type Found } from "./sweeps.ts";

const MOST_ROUNDS = 40;
/** Places and edges from which on a graph is large: nobody counts the crossings of a thousand nodes, but somebody waits for the page. */
export const LARGE = 3000;
/** Work that all rounds together may come to, in places and edges looked at: a large graph has fewer of them. */
const BUDGET = 12_000;

/**
 * @param fixed by node, its place among those of its rank that keep their order; -1 for all others
 */
export function orderOf(graph: Proper, fixed: Int32Array): Found {
  const size = graph.count + graph.out.ends.length;
  const rounds = Math.max(2, Math.min(MOST_ROUNDS, Math.floor(BUDGET / Math.max(size, 1))));
  const order = firstOrder(graph, true);
  const other = firstOrder(graph, false);
  // Where all begins at one node both are the same.
  const isOneEnough = size > LARGE || order.places.every((place, at) => other.places[at] === place);
  const deep = sweep(graph, fixed, order, rounds);
  if (deep.crossings === 0 || isOneEnough) return deep;
  const broad = sweep(graph, fixed, other, rounds);
  const best = broad.crossings < deep.crossings ? broad : deep;
  return { ...best, weighed: deep.weighed + broad.weighed };
}
