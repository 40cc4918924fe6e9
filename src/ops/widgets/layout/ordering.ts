/**
 * Orders the places of each rank to minimize crossings: barycenter and median sweeps, then swaps of neighbors (Sugiyama, Tagawa and Toda;
 * Gansner et al., section 3), keeping the best order found. Uses flat arrays, because a server computes the layout before the JIT has
 * optimized the code.
 */
import { firstOrder } from "./initial-order.ts";
import type { Proper } from "./dummy-nodes.ts";
import { sweep, type Found } from "./sweeps.ts";

const MOST_ROUNDS = 40;
/** Size from which on a graph is large: speed matters more than crossings. */
export const LARGE = 3000;
/** Total work of all rounds, in visited places and edges. Large graphs get fewer rounds. */
const BUDGET = 12_000;

/** @param fixed index of each node among those of its rank that keep their order; -1 for all others */
export function orderOf(graph: Proper, fixed: Int32Array): Found {
  const size = graph.count + graph.out.ends.length;
  const rounds = Math.max(2, Math.min(MOST_ROUNDS, Math.floor(BUDGET / Math.max(size, 1))));
  const order = firstOrder(graph, true);
  const other = firstOrder(graph, false);
  // With a single root both orders are the same.
  const isOneEnough = size > LARGE || order.places.every((place, at) => other.places[at] === place);
  const deep = sweep(graph, fixed, order, rounds);
  if (deep.crossings === 0 || isOneEnough) return deep;
  const broad = sweep(graph, fixed, other, rounds);
  const best = broad.crossings < deep.crossings ? broad : deep;
  return { ...best, weighed: deep.weighed + broad.weighed };
}
