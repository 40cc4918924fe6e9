/**
 * Assigns coordinates across the ranks: each place as close to its neighbors in other ranks as order and gaps allow. For one rank this is
 * an isotonic regression, solved exactly by pooling adjacent violators (Ayer et al.).
 */
import type { Order } from "./initial-order.ts";
import { LARGE } from "./ordering.ts";
import type { Proper } from "./dummy-nodes.ts";
import type { Ties } from "./ranks.ts";

const ROUNDS = 10;
const ROUNDS_OF_LARGE = 6;
/** Weights that keep edges straight where they pass a rank, and more so between two such places. */
const STRAIGHT = 2;
const VERY_STRAIGHT = 8;
/** Weight of places without edges: they stay unless others need the room. */
const LIGHT = 0.01;

/** @param sizes of each place, across its rank @param gapOf between two neighbors @returns the center of each place */
export function middles(
  { nodeCount, count, rankCount, into, out }: Proper,
  { places, begins }: Order,
  sizes: Float64Array,
  gapOf: (first: number, second: number) => number,
): Float64Array {
  const at = new Float64Array(count);
  /** Distance from the first place of the rank when packed tightly, by index in the order. */
  const offsets = offsetsOf(places, begins, sizes, gapOf);
  for (let rank = 0; rank < rankCount; rank++) spread(begins[rank]!, begins[rank + 1]!);
  /** Sum of weighted preferred positions, and sum of weights. */
  const preferred = new Float64Array(count);
  const weights = new Float64Array(count);
  const firsts = new Int32Array(count);
  const rounds = count + out.ends.length > LARGE ? ROUNDS_OF_LARGE : ROUNDS;
  for (let round = 0; round < rounds; round++) {
    const isDown = round % 2 === 0;
    // The last rounds consider both sides.
    const isToBoth = round >= rounds - 3;
    for (let step = 0; step < rankCount; step++) {
      const rank = isDown ? step : rankCount - 1 - step;
      const begin = begins[rank]!;
      const until = begins[rank + 1]!;
      for (let number = begin; number < until; number++) {
        preferred[number] = 0;
        weights[number] = 0;
        if (isDown || isToBoth) pull(into, number);
        if (!isDown || isToBoth) pull(out, number);
        if (weights[number] === 0) {
          weights[number] = LIGHT;
          preferred[number] = at[places[number]!]! * LIGHT;
        }
        preferred[number] = preferred[number]! - offsets[number]! * weights[number]!;
      }
      settle(begin, until);
    }
  }
  return at;

  /** Initial positions: packed tightly around 0. */
  function spread(begin: number, until: number): void {
    const half = until > begin ? offsets[until - 1]! / 2 : 0;
    for (let number = begin; number < until; number++) at[places[number]!] = offsets[number]! - half;
  }

  /** Adds the preferences of the edges on one side. */
  function pull({ starts, ends }: Ties, number: number): void {
    const place = places[number]!;
    const toNode = place < nodeCount ? 1 : STRAIGHT;
    const toPass = place < nodeCount ? STRAIGHT : VERY_STRAIGHT;
    for (let tie = starts[place]!; tie < starts[place + 1]!; tie++) {
      const other = ends[tie]!;
      const by = other < nodeCount ? toNode : toPass;
      preferred[number] = preferred[number]! + by * at[other]!;
      weights[number] = weights[number]! + by;
    }
  }

  /** Moves the places of a rank as close as possible to their preferred positions. */
  function settle(begin: number, until: number): void {
    const end = poolsOf(begin, until, preferred, weights, firsts);
    for (let pool = begin; pool < end; pool++) {
      const middle = preferred[pool]! / weights[pool]!;
      const stop = pool + 1 < end ? firsts[pool + 1]! : until;
      for (let number = firsts[pool]!; number < stop; number++) at[places[number]!] = middle + offsets[number]!;
    }
  }
}

/** By index in the order. */
function offsetsOf(
  places: Int32Array,
  begins: Int32Array,
  sizes: Float64Array,
  gapOf: (first: number, second: number) => number,
): Float64Array {
  const offsets = new Float64Array(places.length);
  for (let rank = 0; rank + 1 < begins.length; rank++) {
    for (let number = begins[rank]! + 1; number < begins[rank + 1]!; number++) {
      const before = places[number - 1]!;
      const place = places[number]!;
      offsets[number] = offsets[number - 1]! + (sizes[before]! + sizes[place]!) / 2 + gapOf(before, place);
    }
  }
  return offsets;
}

/**
 * Pools neighbors that would overlap; a pool's preferred position is that of all its places. @returns the end of the pools, which overwrite
 * their inputs; `firsts` has the first place of each pool
 */
function poolsOf(
  begin: number,
  until: number,
  preferred: Float64Array,
  weights: Float64Array,
  firsts: Int32Array,
): number {
  let end = begin;
  for (let number = begin; number < until; number++) {
    let sum = preferred[number]!;
    let weight = weights[number]!;
    let first = number;
    while (end > begin && preferred[end - 1]! / weights[end - 1]! > sum / weight) {
      end--;
      sum += preferred[end]!;
      weight += weights[end]!;
      first = firsts[end]!;
    }
    preferred[end] = sum;
    weights[end] = weight;
    firsts[end++] = first;
  }
  return end;
}
