/** Improves an order: sorts rank by rank by the positions of neighbors, then swaps adjacent places. */
import { crossingsBetween } from "./crossings.ts";
import { rankOf, type Order } from "./initial-order.ts";
import type { Proper } from "./dummy-nodes.ts";
import type { Ties } from "./ranks.ts";

/** Maximum number of rounds without an improvement. */
const PATIENCE = 6;
/** Maximum swap passes per round. */
const PASSES = 4;

export interface Found {
  order: Order;
  crossings: number;
  /** Number of considered swaps: a machine-independent cost. */
  weighed: number;
}

/** @returns the best order found. Small functions on flat arrays, because most of the cost of a first layout is compiling them. */
export function sweep(graph: Proper, fixed: Int32Array, order: Order, rounds: number): Found {
  const { nodeCount, count, rankCount, into, out } = graph;
  /** The places of each rank in order, as views of the whole array. */
  const ranks = Array.from({ length: rankCount }, (_, rank) => rankOf(order, rank));
  /** Index of each place in its rank. */
  const slots = new Int32Array(count);
  const weights = new Float64Array(count);
  /** The pass in which each place or one of its neighbors last moved. */
  const moved = new Int32Array(count);
  const tree = new Uint32Array(4 * count + 2);
  const hasFixed = fixed.some((slot) => slot >= 0);
  const isFixed = (place: number): boolean => place < nodeCount && fixed[place]! >= 0;
  let pass = 0;
  let weighed = 0;

  for (const places of ranks) settle(places);
  let best = order.places.slice();
  let least = crossings();
  for (let round = 0, since = 0; round < rounds && since < PATIENCE && least > 0; round++, since++) {
    sweepAll(round);
    swap();
    const now = crossings();
    if (now >= least) continue;
    best = order.places.slice();
    least = now;
    since = 0;
  }
  return { order: { ...order, places: best }, crossings: least, weighed };

  function crossings(): number {
    let sum = 0;
    for (let rank = 1; rank < rankCount; rank++)
      sum += crossingsBetween(ranks[rank - 1]!, out, slots, ranks[rank]!.length, tree);
    return sum;
  }

  /** Sorts every rank by its predecessor, or in odd rounds by its successor. */
  function sweepAll(round: number): void {
    const isDown = round % 2 === 0;
    for (let step = 0; step < rankCount; step++) {
      const places = ranks[isDown ? step : rankCount - 1 - step]!;
      weigh(places, isDown ? into : out, round % 8 < 4, slots, weights);
      // Reverses ties every other time, because some orders would never be found otherwise.
      if (round % 4 >= 2) places.reverse();
      sortBy(places, weights);
      settle(places);
    }
  }

  /** Records the positions of a rank's places. Places with a fixed order are sorted among the positions they occupy. */
  function settle(places: Int32Array): void {
    if (hasFixed) {
      const kept = places.filter(isFixed).sort((a, b) => fixed[a]! - fixed[b]!);
      let next = 0;
      places.forEach((place, slot) => {
        if (isFixed(place)) places[slot] = kept[next++]!;
      });
    }
    for (let slot = 0; slot < places.length; slot++) slots[places[slot]!] = slot;
  }

  /** Swaps neighbors as long as that helps. */
  function swap(): void {
    // The sweep may have moved any place.
    moved.fill(pass + 1);
    for (let left = PASSES, hasChanged = true; hasChanged && left > 0; left--) {
      pass++;
      hasChanged = false;
      for (const places of ranks) if (swapIn(places)) hasChanged = true;
    }
  }

  /** Skips pairs that have not moved since the last pass. */
  function swapIn(places: Int32Array): boolean {
    let hasChanged = false;
    for (let slot = 0; slot + 1 < places.length; slot++) {
      const a = places[slot]!;
      const b = places[slot + 1]!;
      if (moved[a]! < pass - 1 && moved[b]! < pass - 1) continue;
      if (hasFixed && isFixed(a) && isFixed(b)) continue;
      weighed++;
      if (gain(into, a, b, slots) + gain(out, a, b, slots) <= 0) continue;
      hasChanged = true;
      places[slot] = b;
      places[slot + 1] = a;
      slots[b] = slot;
      slots[a] = slot + 1;
      touch(a);
      touch(b);
    }
    return hasChanged;
  }

  function touch(place: number): void {
    moved[place] = pass;
    for (let tie = into.starts[place]!; tie < into.starts[place + 1]!; tie++) moved[into.ends[tie]!] = pass;
    for (let tie = out.starts[place]!; tie < out.starts[place + 1]!; tie++) moved[out.ends[tie]!] = pass;
  }
}

/** Number of crossings saved by swapping two neighbors. */
function gain({ starts, ends }: Ties, a: number, b: number, slots: Int32Array): number {
  const from = starts[b]!;
  const until = starts[b + 1]!;
  let sum = 0;
  for (let one = starts[a]!; one < starts[a + 1]!; one++) {
    const at = slots[ends[one]!]!;
    for (let other = from; other < until; other++) sum += Math.sign(at - slots[ends[other]!]!);
  }
  return sum;
}

/** Weighs each place by the mean or median position of its neighbors; places without neighbors keep theirs. */
function weigh(places: Int32Array, near: Ties, isByMean: boolean, slots: Int32Array, weights: Float64Array): void {
  for (let slot = 0; slot < places.length; slot++) {
    const place = places[slot]!;
    const ties = near.starts[place + 1]! - near.starts[place]!;
    weights[place] = ties === 0 ? slot : isByMean || ties < 3 ? mean(near, place, slots) : median(near, place, slots);
  }
}

function mean({ starts, ends }: Ties, place: number, slots: Int32Array): number {
  const from = starts[place]!;
  const until = starts[place + 1]!;
  let sum = 0;
  for (let tie = from; tie < until; tie++) sum += slots[ends[tie]!]!;
  return sum / (until - from);
}

/** For an even number, between the two middle values, closer to the side with the smaller spread. */
function median({ starts, ends }: Ties, place: number, slots: Int32Array): number {
  const sorted = ends
    .slice(starts[place], starts[place + 1])
    .map((end) => slots[end]!)
    .sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle]!;
  if (sorted.length % 2 === 1) return upper;
  const lower = sorted[middle - 1]!;
  const left = lower - sorted[0]!;
  const right = sorted.at(-1)! - upper;
  return left + right === 0 ? (lower + upper) / 2 : (lower * right + upper * left) / (left + right);
}

/** Maximum size for insertion sort, which is fast on nearly sorted ranks. */
const FEW = 64;

/** Sorts in place; the sort is stable. */
function sortBy(places: Int32Array, weights: Float64Array): void {
  if (places.length > FEW) {
    places.sort((a, b) => weights[a]! - weights[b]!);
    return;
  }
  for (let slot = 1; slot < places.length; slot++) {
    const place = places[slot]!;
    const weight = weights[place]!;
    let at = slot;
    for (; at > 0 && weights[places[at - 1]!]! > weight; at--) places[at] = places[at - 1]!;
    places[at] = place;
  }
}
