/**
 * Assigns ranks: each node after all its predecessors, and as close to its successors as that allows. Longest paths first; then nodes with
 * more outgoing than incoming edges move towards their successors (after Gansner et al., "A Technique for Drawing Directed Graphs", section
 * 2, without the simplex: worker graphs are shallow).
 */

/** Edges by node index. `forward` removes those that would close a cycle. */
export interface Links {
  /** The successors of each node. */
  out: number[][];
  /** The predecessors of each node. */
  into: number[][];
}

export function linksOf(count: number, edges: readonly (readonly [number, number])[]): Links {
  const links: Links = { out: Array.from({ length: count }, () => []), into: Array.from({ length: count }, () => []) };
  for (const [from, to] of edges) {
    links.out[from]?.push(to);
    links.into[to]?.push(from);
  }
  return links;
}

/** Adjacency lists in one array: the neighbors of place `n` are from `starts[n]` to before `starts[n + 1]`. */
export interface Ties {
  starts: Int32Array;
  ends: Int32Array;
}

/** @param froms start of each edge @param tos end of each edge; edges of one place keep their order */
export function tiesOf(count: number, froms: Int32Array, tos: Int32Array): Ties {
  const starts = new Int32Array(count + 1);
  for (let tie = 0; tie < froms.length; tie++) starts[froms[tie]! + 1] = starts[froms[tie]! + 1]! + 1;
  for (let at = 0; at < count; at++) starts[at + 1] = starts[at + 1]! + starts[at]!;
  const next = starts.slice();
  const ends = new Int32Array(froms.length);
  for (let tie = 0; tie < froms.length; tie++) {
    const from = froms[tie]!;
    ends[next[from]!] = tos[tie]!;
    next[from] = next[from]! + 1;
  }
  return { starts, ends };
}

/** Removes back edges, so that no cycle remains, and duplicates. */
export function forward(count: number, edges: readonly (readonly [number, number])[]): [number, number][] {
  const { out } = linksOf(count, edges);
  const state = new Uint8Array(count);
  const kept: [number, number][] = [];
  const next = new Uint32Array(count);
  for (let root = 0; root < count; root++) {
    if (state[root]) continue;
    const trail = [root];
    state[root] = 1;
    while (trail.length > 0) {
      const node = trail[trail.length - 1] as number;
      const at = next[node] as number;
      next[node] = at + 1;
      const to = out[node]?.[at];
      if (to === undefined) {
        state[node] = 2;
        trail.pop();
        continue;
      }
      if (state[to] === 1) continue;
      kept.push([node, to]);
      if (state[to] === 2) continue;
      state[to] = 1;
      trail.push(to);
    }
  }
  const known = new Set<number>();
  return kept.filter(([from, to]) => {
    const key = from * count + to;
    return !known.has(key) && known.add(key);
  });
}

/** The rank of each node, from 0. */
export function ranksOf(count: number, links: Links): Uint32Array {
  const order = topological(count, links);
  const ranks = new Uint32Array(count);
  for (const node of order)
    for (const to of links.out[node] ?? []) ranks[to] = Math.max(ranks[to] as number, (ranks[node] as number) + 1);
  // Backwards, so that a chain moves together with the node at its end.
  for (const node of order.reverse()) {
    const out = links.out[node] ?? [];
    if (out.length <= (links.into[node]?.length ?? 0)) continue;
    let least = Infinity;
    for (const to of out) least = Math.min(least, (ranks[to] as number) - 1);
    ranks[node] = least;
  }
  return ranks;
}

function topological(count: number, { out, into }: Links): number[] {
  const missing = into.map((from) => from.length);
  const order: number[] = [];
  for (let node = 0; node < count; node++) if (missing[node] === 0) order.push(node);
  for (let at = 0; at < order.length; at++) {
    for (const to of out[order[at] as number] ?? []) {
      missing[to] = (missing[to] as number) - 1;
      if (missing[to] === 0) order.push(to);
    }
  }
  return order;
}
