/**
 * In which order the places of each rank stand, so that few edges cross: sweeps by the mean and the median of what a place is tied to,
 * then swaps of neighbours (Sugiyama, Tagawa and Toda; Gansner et al., section 3). The best order that was seen stays.
 */
import { crossingsBetween } from "./crossings.ts";
import type { Proper } from "./proper.ts";

/** Rounds without a better order after which it is left at that. */
const PATIENCE = 6;
const MOST_ROUNDS = 40;
/** Work that all rounds together may come to, in places and edges looked at: a large graph has fewer of them. */
const BUDGET = 50_000;

/** Places by rank, in order. */
export type Order = number[][];

/**
 * @param fixed by node, its place among those of its rank that keep their order; -1 for all others
 */
export function orderOf(graph: Proper, fixed: Int32Array): Order {
  const rounds = roundsFor(graph);
  let best: { order: Order; crossings: number } | undefined;
  for (const first of [depthFirst(graph), breadthFirst(graph)]) {
    const found = new Sweeps(graph, fixed, first).run(rounds);
    if (!best || found.crossings < best.crossings) best = found;
    if (best.crossings === 0) break;
  }
  return best?.order ?? [];
}

function roundsFor({ count, links }: Proper): number {
  const size = links.out.reduce((sum, out) => sum + out.length, count);
  return Math.max(2, Math.min(MOST_ROUNDS, Math.floor(BUDGET / Math.max(size, 1))));
}

function emptyRanks({ ranks }: Proper): Order {
  return Array.from({ length: ranks.reduce((most, rank) => Math.max(most, rank + 1), 0) }, () => []);
}

/** What hangs together stands together. */
function depthFirst(graph: Proper): Order {
  const order = emptyRanks(graph);
  const seen = new Uint8Array(graph.count);
  for (let root = 0; root < graph.nodeCount; root++) {
    if ((graph.links.into[root]?.length ?? 0) > 0) continue;
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen[node]) continue;
      seen[node] = 1;
      order[graph.ranks[node] as number]?.push(node);
      open.push(...(graph.links.out[node] ?? []).toReversed());
    }
  }
  return order;
}

/** As the nodes were given, and then what they lead to. */
function breadthFirst(graph: Proper): Order {
  const order = emptyRanks(graph);
  const seen = new Uint8Array(graph.count);
  const open = Array.from({ length: graph.nodeCount }, (_, node) => node).filter(
    (node) => (graph.links.into[node]?.length ?? 0) === 0,
  );
  for (let at = 0; at < open.length; at++) {
    const node = open[at] as number;
    if (seen[node]) continue;
    seen[node] = 1;
    order[graph.ranks[node] as number]?.push(node);
    open.push(...(graph.links.out[node] ?? []));
  }
  return order;
}

class Sweeps {
  readonly #graph: Proper;
  readonly #fixed: Int32Array;
  readonly #order: Order;
  readonly #slots: Uint32Array;
  readonly #weights: Float64Array;

  constructor(graph: Proper, fixed: Int32Array, first: Order) {
    this.#graph = graph;
    this.#fixed = fixed;
    this.#order = first;
    this.#slots = new Uint32Array(graph.count);
    this.#weights = new Float64Array(graph.count);
    for (const rank of first) this.#settle(rank, rank.slice());
  }

  run(rounds: number): { order: Order; crossings: number } {
    let best = { order: this.#order.map((rank) => rank.slice()), crossings: this.#crossings() };
    for (let round = 0, since = 0; round < rounds && since < PATIENCE && best.crossings > 0; round++, since++) {
      this.#sweep(round);
      this.#swap();
      const crossings = this.#crossings();
      if (crossings >= best.crossings) continue;
      best = { order: this.#order.map((rank) => rank.slice()), crossings };
      since = 0;
    }
    return best;
  }

  #crossings(): number {
    const { out } = this.#graph.links;
    return this.#order.reduce(
      (sum, rank, at) => sum + crossingsBetween(rank, out, this.#slots, this.#order[at + 1]?.length ?? 0),
      0,
    );
  }

  /** Every rank by the one before it; every other round from the back. */
  #sweep(round: number): void {
    const isDown = round % 2 === 0;
    const { into, out } = this.#graph.links;
    const near = isDown ? into : out;
    const ranks = isDown ? this.#order : this.#order.toReversed();
    const weigh = round % 8 < 4 ? mean : median;
    // Where two weigh the same, their order is turned every other time: else some orders are never seen.
    const turned = round % 4 >= 2 ? -1 : 1;
    const weights = this.#weights;
    const at = (node: number): number => this.#slots[node] as number;
    for (const rank of ranks) {
      rank.forEach((node, slot) => {
        const others = near[node] ?? [];
        weights[node] = others.length === 0 ? slot : weigh(others, this.#slots);
      });
      this.#settle(
        rank,
        rank.toSorted((a, b) => (weights[a] as number) - (weights[b] as number) || turned * (at(a) - at(b))),
      );
    }
  }

  /** Puts a rank in this order, but for those that keep theirs: they share out the places that they have. */
  #settle(rank: number[], sorted: readonly number[]): void {
    const kept = sorted.filter((node) => this.#isFixed(node));
    kept.sort((a, b) => (this.#fixed[a] as number) - (this.#fixed[b] as number));
    let next = 0;
    sorted.forEach((node, slot) => {
      const placed = this.#isFixed(node) ? (kept[next++] as number) : node;
      rank[slot] = placed;
      this.#slots[placed] = slot;
    });
  }

  #isFixed(node: number): boolean {
    return node < this.#graph.nodeCount && (this.#fixed[node] as number) >= 0;
  }

  /** Changes neighbours as long as that helps. */
  #swap(): void {
    for (let hasChanged = true, left = 4; hasChanged && left > 0; left--) {
      hasChanged = false;
      for (const rank of this.#order)
        for (let slot = 0; slot + 1 < rank.length; slot++) hasChanged = this.#swapAt(rank, slot) || hasChanged;
    }
  }

  #swapAt(rank: number[], slot: number): boolean {
    const a = rank[slot] as number;
    const b = rank[slot + 1] as number;
    if (this.#isFixed(a) && this.#isFixed(b)) return false;
    const { into, out } = this.#graph.links;
    const gain = this.#gain(into[a], into[b]) + this.#gain(out[a], out[b]);
    if (gain <= 0) return false;
    rank[slot] = b;
    rank[slot + 1] = a;
    this.#slots[b] = slot;
    this.#slots[a] = slot + 1;
    return true;
  }

  /** Crossings fewer between the edges of two neighbours if they change places. */
  #gain(ofFirst: readonly number[] = [], ofSecond: readonly number[] = []): number {
    let gain = 0;
    for (const one of ofFirst)
      for (const other of ofSecond) gain += Math.sign((this.#slots[one] as number) - (this.#slots[other] as number));
    return gain;
  }
}

function mean(nodes: readonly number[], slots: Uint32Array): number {
  let sum = 0;
  for (const node of nodes) sum += slots[node] as number;
  return sum / nodes.length;
}

/** With an even number, between the two in the middle, nearer to the side where they are closer together. */
function median(nodes: readonly number[], slots: Uint32Array): number {
  if (nodes.length < 3) return mean(nodes, slots);
  const sorted = nodes.map((node) => slots[node] as number).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  if (sorted.length % 2 === 1) return upper;
  const lower = sorted[middle - 1] as number;
  const left = lower - (sorted[0] as number);
  const right = (sorted.at(-1) as number) - upper;
  return left + right === 0 ? (lower + upper) / 2 : (lower * right + upper * left) / (left + right);
}
