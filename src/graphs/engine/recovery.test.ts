/** Nodes of runs that are resumed after crashes and stops of the process, and after failures of the store. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { openStore } from "../../storage/open-store.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate, STORES } from "./engine.testkit.ts";

const hangs = (): Promise<never> => new Promise(() => undefined);

/** Injected failures of a store. */
interface Fault {
  /** The next commit fails. */
  isNext: boolean;
  /** Blocks the lookup of a signal until this settles. */
  looks?: Promise<void>;
}

async function faulty(): Promise<{ store: Store; fault: Fault }> {
  const store = await openStore("memory:");
  const fault: Fault = { isNext: false };
  const commit: Store["graphs"]["commit"] = async (transition) => {
    if (!fault.isNext) return store.graphs.commit(transition);
    fault.isNext = false;
    throw new Error("the disk is full");
  };
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      if (key === "commit") return commit;
      if (key === "hasSignal")
        return async (...given: Parameters<typeof target.hasSignal>) => {
          await fault.looks;
          return target.hasSignal(...given);
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { store: { ...store, graphs, close: () => store.close() }, fault };
}

for (const url of STORES) {
  describe(`nodes that were running when the process died, on ${url}`, () => {
    it("are given up one after the other after two crashes together, and none starts a fourth time", async () => {
      let calls = 0;
      const bomb = worker("bomb", () => (calls++, hangs()));
      const list = worker("list", () => [1, 2, 3, 4]);
      const fan = graph("fan", (g) => g.map("bombs", bomb, g.node("list", list), (all) => all, { onError: "collect" }));
      const it = await bench({ graphs: [fan] }, url);
      const { snapshot } = await it.engine.start("fan", null);
      for (let death = 0; death < 6; death++) {
        await it.clock.advance(0);
        await it.crash();
      }
      await it.clock.advance(0);
      const end = await it.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([end?.status, calls], ["done", 12]);
      const reported = (await it.store.graphs.events(snapshot.graph_id, 0)).filter(
        ({ type }) => type === "node.failed",
      );
      assert.deepEqual(
        reported.map(({ data }) => (data as { reason: string }).reason),
        Array(4).fill("poison"),
      );
      await it.store.close();
    });

    it("fail their run only once if none of them may fail", async () => {
      let calls = 0;
      const bomb = worker("bomb", () => (calls++, hangs()));
      const two = graph("two", (g) => void [g.node("a", bomb), g.node("b", bomb)]);
      const it = await bench({ graphs: [two] }, url);
      const { snapshot } = await it.engine.start("two", null);
      for (let death = 0; death < 3; death++) {
        await it.clock.advance(0);
        await it.crash();
      }
      await it.clock.advance(0);
      const end = await it.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([end?.status, end?.error?.reason, calls], ["failed", "poison", 5]);
      const types = (await it.store.graphs.events(snapshot.graph_id, 0)).map(({ type }) => type);
      assert.deepEqual(types.slice(-2), ["node.failed", "graph.failed"]);
      await it.store.close();
    });

    it("keep their attempts if they were waiting, after any number of crashes and stops", async () => {
      let hasFailed = false;
      const nap = worker("nap", { retry: { max: 2, base: "1s", jitter: false } }, async (_: Json, ctx) => {
        await ctx.sleep("1h");
        if (hasFailed) return ctx.attempt;
        hasFailed = true;
        throw new Error("no luck");
      });
      const it = await bench({ workers: [nap] }, url);
      const { snapshot } = await it.engine.start("nap", null);
      for (let stop = 0; stop < 2; stop++) {
        await it.pass(60_000);
        await it.restart();
        await it.pass(60_000);
        await it.crash();
      }
      await it.pass(3_600_000);
      await it.pass(3_600_000);
      const end = await it.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([end?.status, end?.result], ["done", 2]);
      await it.store.close();
    });
  });
}

describe("nodes that were running when the store failed", () => {
  it("keep their attempts", async () => {
    const { store, fault } = await faulty();
    let calls = 0;
    const flaky = worker("flaky", { retry: { max: 2, base: "1s", jitter: false } }, async (_: Json, ctx) => {
      if (++calls === 4) throw new Error("no luck");
      if (calls > 4) return ctx.attempt;
      fault.isNext = true;
      await ctx.step("step", () => null);
      return null;
    });
    const { engine, pass } = await bench({ workers: [flaky], store }, "memory:");
    const { snapshot } = await engine.start("flaky", null);
    for (let at = 0; at < 5; at++) await pass(1000);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual([end?.status, end?.result, calls], ["done", 2, 5]);
  });

  it("receive a signal that was sent meanwhile", async () => {
    const { store, fault } = await faulty();
    const waits = worker("waits", (_: Json, ctx) => ctx.waitFor("go"));
    const { engine, clock, pass } = await bench({ workers: [waits], store }, "memory:");
    const { snapshot } = await engine.start("waits", null);
    const id = snapshot.graph_id;
    await clock.advance(0);
    const held = gate();
    fault.looks = held.promise;
    const sent = engine.signal(id, "go", "now", { idempotencyKey: "once" });
    await clock.advance(0);
    fault.isNext = true;
    await assert.rejects(engine.signal(id, "other"), /the disk is full/);
    await clock.advance(1000);
    held.open();
    await sent;
    await pass(0);
    assert.equal((await engine.snapshot(id))?.result, "now");
  });
});
