import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Store } from "../../../storage/contract/contract.ts";
import { graph, worker } from "../../definition/definition.ts";
import { bench, gate, STORES } from "../engine.testkit.ts";
import { createEngine } from "../engine.ts";
import { CallError } from "../../execution/attempt/call-error.ts";

/** Ends its runs on command. */
function held() {
  const { promise, open } = gate<number>();
  return { open, hold: worker("hold", async () => promise) };
}

/** Counts the rows that are read. */
function counting(store: Store): { store: Store; reads: () => number } {
  let reads = 0;
  const graph: Store["graphs"]["graph"] = (id) => (reads++, store.graphs.graph(id));
  const graphs = new Proxy(store.graphs, {
    get: (from, key) => {
      if (key === "graph") return graph;
      const value: unknown = Reflect.get(from, key);
      return typeof value === "function" ? (value.bind(from) as unknown) : value;
    },
  });
  return { store: { ...store, graphs }, reads: () => reads };
}

for (const url of STORES) {
  describe(`the result of a run on ${url}`, () => {
    it("is returned with the commit of its end, without reading the store", async () => {
      const { hold, open } = held();
      const { store, clock } = await bench({}, url);
      const counted = counting(store);
      const engine = createEngine({ store: counted.store, clock, workers: [hold] });
      const { snapshot } = await engine.start("hold", 0);
      const both = [engine.result(snapshot.graph_id), engine.result(snapshot.graph_id)];
      open(7);
      assert.deepEqual(await Promise.all(both), [7, 7]);
      assert.equal((await store.graphs.graph(snapshot.graph_id))?.phase, "done");
      assert.equal(counted.reads(), 0);
      await engine.close();
      await store.close();
    });

    it("is returned at once if the run has ended, in this process or an earlier one", async () => {
      const add = worker("add", (n: number) => n + 1);
      const { engine, store, clock } = await bench({ workers: [add] }, url);
      const { snapshot } = await engine.start("add", 1);
      await engine.idle();
      assert.equal(await engine.result(snapshot.graph_id), 2);
      const other = createEngine({ store, clock, workers: [add] });
      assert.equal(await other.result(snapshot.graph_id), 2);
      await store.close();
    });

    it("is awaited over a crash", async () => {
      const { hold, open } = held();
      const self = await bench({ workers: [hold] }, url);
      const { snapshot } = await self.engine.start("hold", 0);
      await self.crash();
      const result = self.engine.result(snapshot.graph_id);
      open(3);
      assert.equal(await result, 3);
      await self.store.close();
    });

    it("is an error with the reason and the failed node", async () => {
      const fail = worker("fail", { retry: { max: 1 } }, () => {
        throw new Error("no paper");
      });
      const print = graph("print", (g) => g.node("page", fail));
      const { engine, store } = await bench({ graphs: [print] }, url);
      const { snapshot } = await engine.start("print", 0);
      const isReported = (error: unknown): boolean =>
        error instanceof CallError &&
        error.message === '"page" failed: no paper' &&
        error.reason === "error" &&
        error.node === "page";
      await assert.rejects(engine.result(snapshot.graph_id), isReported);
      await assert.rejects(engine.result(snapshot.graph_id), isReported);
      await store.close();
    });

    it("is an error with the reason of a cancel, for every caller", async () => {
      const { hold, open } = held();
      const { engine, store } = await bench({ workers: [hold] }, url);
      const { snapshot } = await engine.start("hold", 0);
      const waiting = assert.rejects(engine.result(snapshot.graph_id), { reason: "cancelled" });
      await engine.cancel(snapshot.graph_id);
      await waiting;
      open(0);
      await store.close();
    });

    it("changes when the run is run again", async () => {
      let runs = 0;
      const count = worker("count", () => ++runs);
      const { engine, store } = await bench({ workers: [count] }, url);
      const { snapshot } = await engine.start("count", 0);
      assert.equal(await engine.result(snapshot.graph_id), 1);
      await engine.retry(snapshot.graph_id, { from: "count" });
      assert.equal(await engine.result(snapshot.graph_id), 2);
      await store.close();
    });

    it("is rejected for an unknown run", async () => {
      const { engine, store } = await bench({}, url);
      await assert.rejects(
        engine.result("g_none"),
        (error: unknown) => error instanceof SvcError && error.code === "SVC_NOT_FOUND",
      );
      await store.close();
    });

    it("is awaited only until a signal aborts", async () => {
      const { hold, open } = held();
      const { engine, store } = await bench({ workers: [hold] }, url);
      const { snapshot } = await engine.start("hold", 0);
      const controller = new AbortController();
      const waiting = assert.rejects(engine.result(snapshot.graph_id, controller), /enough/);
      controller.abort(new Error("enough"));
      await waiting;
      await assert.rejects(engine.result(snapshot.graph_id, controller), /enough/);
      open(0);
      await engine.idle();
      await store.close();
    });
  });
}
