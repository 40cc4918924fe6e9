/**
 * The layered layout of a graph, as a pure function: ranks, an order within each rank with few crossings, coordinates, and edge routes. It
 * is deterministic, so the picture is the same on every server and nothing jumps.
 */
import { rankOf } from "./initial-order.ts";
import { orderOf } from "./ordering.ts";
import { middles } from "./coordinates.ts";
import { properOf, type Proper } from "./dummy-nodes.ts";
import { forward, linksOf, ranksOf } from "./ranks.ts";
import type { Layout, LayoutEdge, LayoutNode, LayoutOptions, Placed, Point, RoutedEdge } from "./types.ts";

/** Width of an edge where it passes a rank. */
const EDGE_SIZE = 2;
const EDGE_GAP = 12;

/** @param edges edges with unknown ends, and those that would close a cycle, are ignored */
export function layout(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  options: LayoutOptions = {},
): Layout {
  const { direction = "right", rankGap = 56, nodeGap = 20, previous = [] } = options;
  const isRight = direction === "right";
  const numbers = new Map(nodes.map(({ id }, number) => [id, number]));
  const known = forward(nodes.length, numbered(edges, numbers));
  const graph = properOf(nodes.length, known, ranksOf(nodes.length, linksOf(nodes.length, known)));
  const { order } = orderOf(graph, fixedBy(previous, numbers, graph));
  const rankNumbers = Array.from({ length: graph.rankCount }, (_, rank) => rank);
  const sizes = new Float64Array(graph.count).fill(EDGE_SIZE);
  nodes.forEach(({ width, height }, number) => void (sizes[number] = isRight ? height : width));
  const isNode = (place: number): boolean => place < nodes.length;
  const across = middles(graph, order, sizes, (a, b) => (isNode(a) && isNode(b) ? nodeGap : EDGE_GAP));
  fromZero(across, sizes);
  const bands = bandsOf(graph, nodes, isRight, rankGap);
  const turned = (along: number, side: number): Point => (isRight ? [along, side] : [side, along]);
  const routed = graph.chains.map((chain) => route(chain, graph, nodes, bands, across, turned));
  const placed = new Map(nodes.map((node, number) => [node.id, placedAt(number)]));
  return {
    ...extent(placed, routed),
    nodes: placed,
    edges: routed,
    ranks: rankNumbers.map((rank) => idsOf(rankOf(order, rank), nodes)),
  };

  function placedAt(number: number): Placed {
    const { width, height } = nodes[number] as LayoutNode;
    const rank = graph.ranks[number] as number;
    const [x, y] = turned((bands[rank] as Band).start, (across[number] as number) - (sizes[number] as number) / 2);
    return { x, y, width, height, rank };
  }
}

/** Extent of a rank in the direction of the edges. */
interface Band {
  start: number;
  end: number;
}

function numbered(edges: readonly LayoutEdge[], numbers: ReadonlyMap<string, number>): [number, number][] {
  return edges.flatMap(([from, to]) => {
    const ends = [numbers.get(from), numbers.get(to)] as const;
    return ends[0] === undefined || ends[1] === undefined || from === to ? [] : [[ends[0], ends[1]]];
  });
}

/** Nodes of the previous layout keep their relative order, as far as they are still in the same rank. */
function fixedBy(
  previous: readonly (readonly string[])[],
  numbers: ReadonlyMap<string, number>,
  { nodeCount }: Proper,
): Int32Array {
  const fixed = new Int32Array(nodeCount).fill(-1);
  for (const rank of previous) {
    rank.forEach((id, slot) => {
      const number = numbers.get(id);
      if (number !== undefined) fixed[number] = slot;
    });
  }
  return fixed;
}

/** Shifts the layout to begin at 0, and rounds to whole pixels. */
function fromZero(across: Float64Array, sizes: Float64Array): void {
  const begin = (place: number): number => (across[place] as number) - (sizes[place] as number) / 2;
  let least = Infinity;
  for (let place = 0; place < across.length; place++) least = Math.min(least, begin(place));
  for (let place = 0; place < across.length; place++)
    across[place] = Math.round(begin(place) - least) + (sizes[place] as number) / 2;
}

function bandsOf({ ranks, rankCount }: Proper, nodes: readonly LayoutNode[], isRight: boolean, gap: number): Band[] {
  const bands = Array.from({ length: rankCount }, (): Band => ({ start: 0, end: 0 }));
  nodes.forEach(({ width, height }, place) => {
    const band = bands[ranks[place] as number] as Band;
    band.end = Math.max(band.end, isRight ? width : height);
  });
  let start = 0;
  for (const band of bands) {
    band.start = start;
    band.end += start;
    start = band.end + gap;
  }
  return bands;
}

function route(
  chain: Int32Array,
  graph: Proper,
  nodes: readonly LayoutNode[],
  bands: readonly Band[],
  across: Float64Array,
  turned: (along: number, side: number) => Point,
): RoutedEdge {
  const isRight = turned(1, 0)[0] === 1;
  const points: Point[] = [];
  chain.forEach((place, step) => {
    const { start, end } = bands[graph.ranks[place] as number] as Band;
    const side = across[place] as number;
    const node = nodes[place];
    const isFirst = step === 0 && node !== undefined;
    const from = isFirst ? start + (isRight ? node.width : node.height) : start;
    points.push(turned(from, side));
    if (step < chain.length - 1 && from < end) points.push(turned(end, side));
  });
  const id = (place: number | undefined): string => nodes[place as number]?.id ?? "";
  return { from: id(chain[0]), to: id(chain.at(-1)), points };
}

function extent(nodes: ReadonlyMap<string, Placed>, edges: readonly RoutedEdge[]): { width: number; height: number } {
  let [width, height] = [0, 0];
  for (const node of nodes.values()) {
    width = Math.max(width, node.x + node.width);
    height = Math.max(height, node.y + node.height);
  }
  for (const { points } of edges) {
    for (const [x, y] of points) {
      width = Math.max(width, x);
      height = Math.max(height, y);
    }
  }
  return { width, height };
}

function idsOf(rank: Int32Array, nodes: readonly LayoutNode[]): string[] {
  return Array.from(rank).flatMap((place) => nodes[place]?.id ?? []);
}
