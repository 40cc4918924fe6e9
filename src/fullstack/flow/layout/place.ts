/**
 * Where places stand across their rank: each as near to what it is tied to as order and gaps allow. One rank at a time that is
 * a regression under "this one before that one", solved exactly by pooling neighbours that would collide (Ayer et al.).
 */
import type { Order } from "./order.ts";
import type { Proper } from "./proper.ts";

const ROUNDS = 10;
/** Where an edge passes a rank it should run straight, and more so on its way from one such place to another. */
const STRAIGHT = 2;
const VERY_STRAIGHT = 8;

/**
 * @param sizes of each place, across its rank
 * @param gapOf between two neighbours
 * @returns the middle of each place
 */
export function middles(
  graph: Proper,
  order: Order,
  sizes: Float64Array,
  gapOf: (first: number, second: number) => number,
): Float64Array {
  const at = new Float64Array(graph.count);
  const spaces = order.map((rank) => spacesOf(rank, sizes, gapOf));
  order.forEach((rank, number) => spread(rank, spaces[number] as Float64Array, at));
  const weight = weightOf(graph);
  for (let round = 0; round < ROUNDS; round++) {
    const isDown = round % 2 === 0;
    for (let step = 0; step < order.length; step++) {
      const number = isDown ? step : order.length - 1 - step;
      const rank = order[number] as number[];
      // The last rounds look to both sides.
      const sides =
        round >= ROUNDS - 3 ? [graph.links.into, graph.links.out] : [isDown ? graph.links.into : graph.links.out];
      settle(rank, spaces[number] as Float64Array, at, (node) => wish(node, sides, at, weight));
    }
  }
  return at;
}

/** Distance of the middle of each place of a rank from that of the one before. */
function spacesOf(rank: readonly number[], sizes: Float64Array, gapOf: (a: number, b: number) => number): Float64Array {
  return Float64Array.from(rank, (node, slot) => {
    const before = rank[slot - 1];
    if (before === undefined) return 0;
    return ((sizes[before] as number) + (sizes[node] as number)) / 2 + gapOf(before, node);
  });
}

/** One behind the other, around 0. */
function spread(rank: readonly number[], spaces: Float64Array, at: Float64Array): void {
  let sum = 0;
  rank.forEach((node, slot) => void (at[node] = sum += spaces[slot] as number));
  for (const node of rank) at[node] = (at[node] as number) - sum / 2;
}

function weightOf({ nodeCount }: Proper): (a: number, b: number) => number {
  return (a, b) => (a < nodeCount ? (b < nodeCount ? 1 : STRAIGHT) : b < nodeCount ? STRAIGHT : VERY_STRAIGHT);
}

interface Wish {
  at: number;
  weight: number;
}

function wish(
  node: number,
  sides: readonly (readonly (readonly number[])[])[],
  at: Float64Array,
  weightOfEdge: (a: number, b: number) => number,
): Wish {
  let sum = 0;
  let weight = 0;
  for (const side of sides) {
    for (const other of side[node] ?? []) {
      const by = weightOfEdge(node, other);
      sum += by * (at[other] as number);
      weight += by;
    }
  }
  // Who is tied to nobody stays, and gives way.
  return weight === 0 ? { at: at[node] as number, weight: 0.01 } : { at: sum / weight, weight };
}

/** The places of a rank as near as they can be to where they wish to be. */
function settle(rank: readonly number[], spaces: Float64Array, at: Float64Array, wishOf: (node: number) => Wish): void {
  const pools: { sum: number; weight: number; from: number }[] = [];
  const offsets = new Float64Array(rank.length);
  let offset = 0;
  rank.forEach((node, slot) => {
    offset += spaces[slot] as number;
    offsets[slot] = offset;
    const { at: wanted, weight } = wishOf(node);
    let pool = { sum: (wanted - offset) * weight, weight, from: slot };
    for (let last = pools.at(-1); last && last.sum / last.weight > pool.sum / pool.weight; last = pools.at(-1)) {
      pools.pop();
      pool = { sum: last.sum + pool.sum, weight: last.weight + pool.weight, from: last.from };
    }
    pools.push(pool);
  });
  pools.forEach(({ sum, weight, from }, number) => {
    const until = pools[number + 1]?.from ?? rank.length;
    for (let slot = from; slot < until; slot++) at[rank[slot] as number] = sum / weight + (offsets[slot] as number);
  });
}
