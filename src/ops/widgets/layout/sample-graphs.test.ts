/** Sample graphs for layout tests: shapes that workers have, and pseudo-random ones, the same in each run. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { LayoutEdge, LayoutNode } from "./types.ts";

export interface SampleGraph {
  name: string;
  nodes: LayoutNode[];
  edges: LayoutEdge[];
}

function nodesOf(count: number): LayoutNode[] {
  return Array.from({ length: count }, (_, at) => ({ id: `n${at}`, width: 160, height: 44 }));
}

/** Pseudo-random numbers from 0 to below 1, determined by the seed. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Every node depends on one to `most` of the `reach` nodes before it. */
export function randomGraph(count: number, seed: number, { reach = 12, most = 2 } = {}): SampleGraph {
  const random = chance(seed);
  const edges: LayoutEdge[] = [];
  for (let to = 1; to < count; to++) {
    const before = new Set<number>();
    for (let left = 1 + Math.floor(random() * most); left > 0; left--)
      before.add(Math.max(0, to - 1 - Math.floor(random() * reach)));
    for (const from of before) edges.push([`n${from}`, `n${to}`]);
  }
  return { name: `random ${count}/${seed}`, nodes: nodesOf(count), edges };
}

/** Stages; each node depends on some nodes of the previous stage. */
export function stagedGraph(stages: number, wide: number, seed: number): SampleGraph {
  const random = chance(seed);
  const edges: LayoutEdge[] = [];
  for (let to = wide; to < stages * wide; to++) {
    const first = (Math.floor(to / wide) - 1) * wide;
    const before = new Set([0, 1].map(() => first + Math.floor(random() * wide)));
    for (const from of before) edges.push([`n${from}`, `n${to}`]);
  }
  return { name: `staged ${stages}x${wide}/${seed}`, nodes: nodesOf(stages * wide), edges };
}

function handmade(name: string, text: string): SampleGraph {
  const edges = text.split(/\s+/).map((pair) => pair.split(">") as unknown as LayoutEdge);
  const ids = new Set(edges.flat());
  return { name, nodes: [...ids].map((id) => ({ id, width: 160, height: 44 })), edges };
}

/** 36 graphs. */
export const SAMPLE_GRAPHS: readonly SampleGraph[] = [
  handmade("diamond", "a>b a>c b>d c>d"),
  handmade("order", "read>approve read>greet read>reserve approve>close greet>close reserve>close"),
  handmade("audit", "parse>inspect parse>licences inspect>table licences>table table>report parse>report"),
  handmade("warehouse", "o>s o>p c>s c>m i>p i>m s>d p>d m>d s>q p>r m>q d>z q>z r>z"),
  handmade("two ways in", "a>c b>c c>d c>e d>f e>f a>f b>e"),
  handmade("long edges", "a>b b>c c>d d>e e>f a>f a>e b>f g>c g>f h>d a>h"),
  ...[3, 5, 7, 9].map((seed) => randomGraph(8, seed)),
  ...[11, 12, 13, 14, 15, 16].map((seed) => randomGraph(15, seed)),
  ...[21, 22, 23, 24, 25, 26].map((seed) => randomGraph(25, seed, { reach: 8 })),
  ...[31, 32, 33, 34].map((seed) => randomGraph(40, seed, { reach: 10 })),
  ...[41, 42, 43, 44, 45].map((seed) => stagedGraph(5, 5, seed)),
  ...[51, 52, 53].map((seed) => stagedGraph(6, 8, seed)),
  ...[61, 62].map((seed) => randomGraph(60, seed, { reach: 15, most: 3 })),
];

it("The sample graphs are the same in every run", () => {
  assert.equal(SAMPLE_GRAPHS.length, 36);
  assert.deepEqual(randomGraph(5, 3).edges, randomGraph(5, 3).edges);
});
