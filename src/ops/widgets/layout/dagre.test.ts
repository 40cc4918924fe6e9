/** Compares our layouts with those of dagre, which many dashboards use: on the same graphs ours have no more edge crossings. */
import assert from "node:assert/strict";
import { it } from "node:test";
import dagre from "@dagrejs/dagre";
import { layout } from "./layout.ts";
import { SAMPLE_GRAPHS, type SampleGraph } from "./sample-graphs.test.ts";
import type { Point } from "./types.ts";

type Segment = readonly [Point, Point];

/** The side of a line on which a point is. */
function side([from, to]: Segment, [x, y]: Point): number {
  return Math.sign((to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0]));
}

function doCross(one: Segment, other: Segment): boolean {
  return side(one, other[0]) * side(one, other[1]) < 0 && side(other, one[0]) * side(other, one[1]) < 0;
}

/** Number of crossing edges, drawn as straight segments. */
function crossings(edges: readonly (readonly Point[])[]): number {
  const lines = edges.map((points) => points.slice(1).map((point, at): Segment => [points[at] as Point, point]));
  let sum = 0;
  lines.forEach((line, at) => {
    for (const other of lines.slice(at + 1))
      for (const one of line) for (const two of other) if (doCross(one, two)) sum++;
  });
  return sum;
}

function ours({ nodes, edges }: SampleGraph): number {
  const { nodes: placed, edges: routed } = layout(nodes, edges);
  return crossings(
    routed.map(({ from, to, points }) => [middle(placed.get(from)), ...points.slice(1, -1), middle(placed.get(to))]),
  );
}

function middle(placed: { x: number; y: number; width: number; height: number } | undefined): Point {
  assert.ok(placed);
  return [placed.x + placed.width / 2, placed.y + placed.height / 2];
}

function dagres({ nodes, edges }: SampleGraph): number {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 20, ranksep: 56 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const [from, to] of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  const at = (id: string): Point => [graph.node(id).x, graph.node(id).y];
  const drawn: readonly { v: string; w: string }[] = graph.edges();
  const passes = (edge: { v: string; w: string }): Point[] => {
    const { points }: { points: readonly { x: number; y: number }[] } = graph.edge(edge);
    return points.slice(1, -1).map(({ x, y }) => [x, y]);
  };
  return crossings(drawn.map((edge) => [at(edge.v), ...passes(edge), at(edge.w)]));
}

it("The layout of 36 graphs has no more edge crossings in total than dagre's", (t) => {
  const results = SAMPLE_GRAPHS.map((graph) => ({ name: graph.name, ours: ours(graph), dagre: dagres(graph) }));
  const sum = (which: "ours" | "dagre"): number => results.reduce((total, result) => total + result[which], 0);
  const worse = results.filter((result) => result.ours > result.dagre);
  t.diagnostic(
    `crossings: ours ${sum("ours")}, dagre's ${sum("dagre")}; more than dagre's in ${JSON.stringify(worse)}`,
  );
  assert.ok(sum("ours") <= sum("dagre"), JSON.stringify(results));
});
