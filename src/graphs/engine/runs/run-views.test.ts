import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import { graph, worker } from "../../definition/definition.ts";
import { bench, STORES } from "../engine.testkit.ts";
import { createEngine } from "../engine.ts";

const make = worker("make", async (text: string, ctx) => {
  await ctx.step("fetch", () => text);
  return { text: text.repeat(20_000) };
});
const ask = worker("ask", async (_: unknown, ctx) => ctx.waitFor("approved"));
const flow = graph("flow", (g) => {
  g.node("ask", ask, { after: [g.node("make", make)] });
});

/** A store that fails if a list reads the values of nodes. */
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
  describe(`runs as they are listed, on ${url}`, () => {
    it("are equal to their snapshots, without reading the inputs and results of nodes", async () => {
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
      assert.deepEqual(plain(await lists.snapshot(snapshot.graph_id)), plain(alone));
      await engine.close(0);
      await store.close();
    });

    it("list their nodes in parts", async () => {
      const { engine, store, pass } = await bench({ graphs: [flow] }, url);
      const { id } = await engine.start("flow", "x");
      await pass(0);
      const idsOf = async (after?: string) => {
        const part = await engine.snapshot(id, { limit: 2, ...(after !== undefined && { after }) });
        return [part?.nodes.map((node) => node.id), part?.next_node];
      };
      assert.deepEqual(await idsOf(), [["ask", "ask#approved"], "ask#approved"]);
      assert.deepEqual(await idsOf("ask#approved"), [["make", "make#fetch"], undefined]);
      assert.deepEqual(await idsOf("make"), [["make#fetch"], undefined]);
      assert.equal(await engine.snapshot("g_unknown", { limit: 1 }), undefined);
      await store.close();
    });
  });
}

/** A snapshot as it is sent, without fields that are computed on request. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
