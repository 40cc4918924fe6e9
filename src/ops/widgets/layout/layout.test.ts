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

/** Any edges, circles, doubles and loops among them. */
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

describe("layouts", () => {
  it("show every node, none over another, all in the picture", () => {
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

  it("lead edges forward, from side to side", () => {
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

  it("leave no edge out that closes no circle", () => {
    for (const { nodes, edges } of SAMPLE_GRAPHS) {
      const drawn = layout(nodes, edges).edges.map(({ from, to }) => `${from}>${to}`);
      assert.deepEqual(drawn.sort(), [...new Set(edges.map(([from, to]) => `${from}>${to}`))].sort());
    }
  });

  it("draw no edge over a node that it has nothing to do with", () => {
    for (const { nodes, edges } of SAMPLE_GRAPHS) {
      const made = layout(nodes, edges);
      for (const { from, to, points } of made.edges) {
        for (const [id, node] of made.nodes) {
          if (id === from || id === to) continue;
          // Where it passes the node's rank it is straight.
          for (const [x, y] of points)
            assert.ok(x < node.x || x > node.x + node.width || y < node.y || y > node.y + node.height, `${from} ${id}`);
        }
      }
    }
  });

  it("keep the order of those that were there before as nodes are added", () => {
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

  it("come out the same every time", () => {
    for (const { nodes, edges } of SAMPLE_GRAPHS) assert.deepEqual(layout(nodes, edges), layout(nodes, edges));
  });

  it("know what to do with nothing", () => {
    assert.deepEqual(layout([], []), { width: 0, height: 0, nodes: new Map(), edges: [], ranks: [] });
  });

  it("of large graphs weigh few neighbours for each place, so that the first is made as soon as the tenth", () => {
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

  it("of 1,000 nodes tell how long they take", (t) => {
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
