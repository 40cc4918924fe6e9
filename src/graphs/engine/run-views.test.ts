import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";
import { createEngine } from "./engine.ts";

const make = worker("make", async (text: string, ctx) => {
  await ctx.step("fetch", () => text);
  return { text: text.repeat(20_000) };
});
const ask = worker("ask", async (_: unknown, ctx) => ctx.waitFor("approved"));
const flow = graph("flow", (g) => {
  g.node("ask", ask, { after: [g.node("make", make)] });
});

/** The store, where nodes can be read without their values only. */
function headsOnly(graphs: GraphStore): GraphStore {
  return new Proxy(graphs, {
    get: (from, key) => {
      if (key === "load") return () => Promise.reject(new Error("All of a graph was read for a list."));
      const value: unknown = Reflect.get(from, key);
      return typeof value === "function" ? (value.bind(from) as unknown) : value;
    },
  });
}

for (const url of STORES) {
  describe(`graphs as they are seen on ${url}`, () => {
    it("are the same in lists, for which nothing is read of what their nodes were given and gave", async () => {
      const { engine, store, clock, pass } = await bench({ graphs: [flow] }, url);
      const { snapshot } = await engine.start("flow", "ž");
      await pass(0);
      const alone = await engine.snapshot(snapshot.graph_id);
      const bytes = alone?.nodes.map(({ id, result_bytes }) => [id, result_bytes]);
      assert.deepEqual(bytes, [
        ["ask", null],
        ["ask#approved", null],
        ["make", 40_011],
        ["make#fetch", 4],
      ]);
      const lists = createEngine({ store: { ...store, graphs: headsOnly(store.graphs) }, clock, graphs: [flow] });
      assert.deepEqual((await lists.list({})).items.map(plain), [plain(alone)]);
      assert.deepEqual((await lists.waiting(5)).map(plain), [plain(alone)]);
      await assert.rejects(lists.snapshot(snapshot.graph_id), /All of a graph/);
      await engine.close(0);
      await store.close();
    });
  });
}

/** As it is sent: what is counted where it is asked for is counted. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
