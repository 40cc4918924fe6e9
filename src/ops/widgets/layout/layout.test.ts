import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { layout } from "./layout.ts";
import { orderOf } from "./ordering.ts";
import { properOf } from "./dummy-nodes.ts";
import { forward, linksOf, ranksOf } from "./ranks.ts";
import { randomGraph, SAMPLE_GRAPHS } from "./sample-graphs.test.ts";
import type { Layout, LayoutEdge, LayoutNode, Placed } from "./types.ts";

interface Given {
  nodes: LayoutNode[];
  edges: LayoutEdge[];
}

/** Arbitrary edges, including cycles, duplicates and loops. */
const graphs: fc.Arbitrary<Given> = fc.integer({ min: 1, max: 18 }).chain((count) =>
  fc.record({
    nodes: fc.tuple(
      ...Array.from({ length: count }, (_, at) =>
        fc.record({
          id: fc.constant(`n${at}`),
          width: fc.integer({ min: 10, max: 200 }),
          height: fc.integer({ min: 10, max: 120 }),
        }),
      ),
    ),
    edges: fc.array(
      fc
        .tuple(fc.integer({ min: 0, max: count - 1 }), fc.integer({ min: 0, max: count - 1 }))
        .map(([from, to]): LayoutEdge => [`n${from}`, `n${to}`]),
      { maxLength: 30 },
    ),
  }),
);

const directions = fc.constantFrom("right" as const, "down" as const);

function placed({ nodes }: Layout, id: string): Placed {
  const found = nodes.get(id);
  assert.ok(found, id);
  return found;
}

function doOverlap(one: Placed, other: Placed): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

describe("The layout", () => {
  it("places every node without overlap and inside the picture", () => {
    fc.assert(
      fc.property(graphs, directions, ({ nodes, edges }, direction) => {
        const made = layout(nodes, edges, { direction });
        const all = nodes.map(({ id }) => placed(made, id));
        all.forEach((one, at) => {
          assert.ok(one.x >= 0 && one.y >= 0 && one.x + one.width <= made.width && one.y + one.height <= made.height);
          for (const other of all.slice(at + 1)) assert.ok(!doOverlap(one, other));
        });
      }),
    );
  });

  it("routes edges forward, from side to side", () => {
    fc.assert(
      fc.property(graphs, directions, ({ nodes, edges }, direction) => {
        const made = layout(nodes, edges, { direction });
        const along = direction === "right" ? 0 : 1;
        for (const { from, to, points } of made.edges) {
          assert.ok(placed(made, from).rank < placed(made, to).rank);
          for (let at = 1; at < points.length; at++)
            assert.ok((points[at - 1]?.[along] ?? NaN) <= (points[at]?.[along] ?? NaN));
        }
      }),
    );
  });

  it("omits no edge unless it closes a cycle", () => {
    for (const { nodes, edges } of SAMPLE_GRAPHS) {
      const drawn = layout(nodes, edges).edges.map(({ from, to }) => `${from}>${to}`);
      assert.deepEqual(drawn.sort(), [...new Set(edges.map(([from, to]) => `${from}>${to}`))].sort());
    }
  });

  it("draws no edge over an unrelated node", () => {
    for (const { nodes, edges } of SAMPLE_GRAPHS) {
      const made = layout(nodes, edges);
      for (const { from, to, points } of made.edges) {
        for (const [id, node] of made.nodes) {
          if (id === from || id === to) continue;
          // Edges are straight where they pass a rank.
          for (const [x, y] of points)
            assert.ok(x < node.x || x > node.x + node.width || y < node.y || y > node.y + node.height, `${from} ${id}`);
        }
      }
    }
  });

  it("keeps the order of existing nodes when nodes are added", () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 1, max: 17 }), ({ nodes, edges }, count) => {
        const first = layout(nodes.slice(0, count), edges);
        const then = layout(nodes, edges, { previous: first.ranks });
        for (const rank of first.ranks) {
          for (const together of then.ranks) {
            const before = rank.filter((id) => together.includes(id));
            assert.deepEqual(
              together.filter((id) => before.includes(id)),
              before,
            );
          }
        }
      }),
    );
  });

  it("is deterministic", () => {
    for (const { nodes, edges } of SAMPLE_GRAPHS) assert.deepEqual(layout(nodes, edges), layout(nodes, edges));
  });

  it("is empty for an empty graph", () => {
    assert.deepEqual(layout([], []), { width: 0, height: 0, nodes: new Map(), edges: [], ranks: [] });
  });

  it("considers few swaps per place in large graphs, so that the first layout is fast", () => {
    for (const [count, reach] of [
      [1000, 40],
      [1000, 4],
      [4000, 40],
    ] as const) {
      const { edges } = randomGraph(count, 7, { reach });
      const pairs = forward(
        count,
        edges.map(([from, to]): [number, number] => [Number(from.slice(1)), Number(to.slice(1))]),
      );
      const graph = properOf(count, pairs, ranksOf(count, linksOf(count, pairs)));
      const { weighed } = orderOf(graph, new Int32Array(count).fill(-1));
      assert.ok(weighed > 0 && weighed <= 8 * graph.count, `${weighed} for ${graph.count} places`);
    }
  });

  it("reports its time for 1,000 nodes", (t) => {
    const { nodes, edges } = randomGraph(1000, 7, { reach: 40 });
    const times = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      assert.equal(layout(nodes, edges).nodes.size, 1000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    t.diagnostic(`1,000 nodes, ${edges.length} edges: ${times.map((ms) => ms.toFixed(1)).join(", ")} ms of CPU`);
  });
});
