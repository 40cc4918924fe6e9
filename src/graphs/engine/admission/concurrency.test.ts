import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../platform/shared/json.ts";
import { graph, worker } from "../../definition/definition.ts";
import type { GraphOptions } from "../../definition/definition-types.ts";
import { bench, STORES, typesOf, type Bench } from "../engine.testkit.ts";

interface Job {
  tenant: string;
  n: number;
}

/** Waits for the signal "go", so that the test decides when a run ends. */
const wait = worker("wait", async ({ n }: Job, ctx) => (await ctx.waitFor("go"), n));
const limited = (options: GraphOptions<Job>) => graph<Job, number>("limited", (g) => g.node("wait", wait), options);
const byTenant = limited({ concurrency: { limit: 2, key: ({ tenant }) => tenant } });

const start = async ({ engine }: Bench, tenant: string, n: number, options = {}): Promise<string> =>
  (await engine.start("limited", { tenant, n }, options)).id;
/** Inputs `n` of the runs with a status, oldest first. */
const numbers = async ({ engine }: Bench, status: "queued" | "running" | "done"): Promise<number[]> => {
  const { items } = await engine.list({ worker: "limited", status, limit: 200 });
  return items.map(({ input }) => (input as unknown as Job).n).toReversed();
};
const go = async ({ engine }: Bench, id: string): Promise<void> => {
  await engine.signal(id, "go");
  await engine.idle();
};

for (const url of STORES)
  describe(`The concurrency of a graph with ${url}`, () => {
    it("starts at most its limit of runs for each key, queues the others, and starts them in order as runs end", async () => {
      const table = await bench({ graphs: [byTenant] }, url);
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4]) ids.push(await start(table, "a", n));
      await start(table, "b", 5);
      await table.engine.idle();
      assert.deepEqual(
        [await numbers(table, "running"), await numbers(table, "queued")],
        [
          [1, 2, 5],
          [3, 4],
        ],
      );
      await go(table, ids[1] ?? "");
      assert.deepEqual([await numbers(table, "running"), await numbers(table, "queued")], [[1, 3, 5], [4]]);
      assert.equal((await table.store.graphs.countByStatus()).queued, 1);
      await table.store.close();
    });

    it("shows a waiting run as queued with its key, and acknowledges it with its row stored", async () => {
      const table = await bench({ graphs: [byTenant] }, url);
      for (const n of [1, 2]) await start(table, "a", n);
      const { snapshot, created } = await table.engine.start(byTenant, { tenant: "a", n: 3 });
      assert.deepEqual(
        [created, snapshot.status, snapshot.is_queued, snapshot.concurrency_key],
        [true, "pending", true, "a"],
      );
      await table.engine.idle();
      const events = typesOf(await table.store.graphs.events(snapshot.graph_id, 0));
      assert.deepEqual(events, ["graph.queued"]);
      const [listed] = (await table.engine.list({ status: "queued" })).items;
      assert.deepEqual([listed?.graph_id, listed?.is_queued], [snapshot.graph_id, true]);
      await table.store.close();
    });

    it("holds a key while its run waits and while it is paused", async () => {
      const table = await bench({ graphs: [limited({ concurrency: 1 })] }, url);
      const id = await start(table, "a", 1);
      await start(table, "b", 2);
      await table.pass(24 * 3_600_000);
      await table.engine.pause(id);
      await table.engine.idle();
      assert.deepEqual(await numbers(table, "queued"), [2]);
      await table.engine.resume(id);
      await go(table, id);
      assert.deepEqual(await numbers(table, "running"), [2]);
      await table.store.close();
    });

    it("continues after a crash: running runs keep their keys, and waiting ones stay in order", async () => {
      const table = await bench({ graphs: [byTenant] }, url);
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4]) ids.push(await start(table, "a", n));
      await table.engine.idle();
      await table.crash();
      await table.engine.idle();
      assert.deepEqual(
        [await numbers(table, "running"), await numbers(table, "queued")],
        [
          [1, 2],
          [3, 4],
        ],
      );
      await go(table, ids[0] ?? "");
      assert.deepEqual([await numbers(table, "running"), await numbers(table, "queued")], [[2, 3], [4]]);
      await table.store.close();
    });

    it("starts a run that was admitted, or whose predecessor ended, right before the process died", async () => {
      const table = await bench({ graphs: [limited({ concurrency: 1 })] }, url);
      const id = await start(table, "a", 1);
      await start(table, "a", 2);
      await table.engine.idle();
      // The end of the first run is stored, and nothing follows it.
      await table.store.graphs.commit({ graphId: id, graph: { phase: "done", status: "done" } });
      await table.crash();
      await table.engine.idle();
      assert.deepEqual(await numbers(table, "running"), [2]);
      const third = await start(table, "a", 3);
      await table.engine.idle();
      const [second] = (await table.engine.list({ worker: "limited", status: "running" })).items;
      await table.store.graphs.commit({ graphId: second?.graph_id ?? "", graph: { phase: "done", status: "done" } });
      const admitted = await table.store.admission.admit({ worker: "limited", key: "" }, 1, table.clock.now(), false);
      assert.deepEqual(admitted, [third]);
      await table.crash();
      await table.engine.idle();
      assert.deepEqual(await numbers(table, "running"), [3]);
      await table.store.close();
    });

    it("queues a delayed run once it is due, behind those that were due before", async () => {
      const table = await bench({ graphs: [limited({ concurrency: 1 })] }, url);
      const first = await start(table, "a", 1);
      await start(table, "a", 2, { delay: "10s" });
      await table.pass(1000);
      const third = await start(table, "a", 3);
      assert.deepEqual(await numbers(table, "queued"), [3]);
      await table.pass(10_000);
      assert.deepEqual(await numbers(table, "queued"), [2, 3]);
      await go(table, first);
      assert.deepEqual(await numbers(table, "running"), [3]);
      await go(table, third);
      assert.deepEqual(await numbers(table, "running"), [2]);
      await table.store.close();
    });

    it("starts a waiting run with a higher priority first", async () => {
      const table = await bench({ graphs: [limited({ concurrency: 1 })] }, url);
      const first = await start(table, "a", 1);
      await start(table, "a", 2);
      await start(table, "a", 3, { priority: 1 });
      await go(table, first);
      assert.deepEqual(await numbers(table, "running"), [3]);
      await table.store.close();
    });

    it("lets a waiting run be paused, resumed, cancelled and signalled, which frees no key", async () => {
      const table = await bench({ graphs: [limited({ concurrency: 1 })] }, url);
      const [first, paused, cancelled, signalled] = [
        await start(table, "a", 1),
        await start(table, "a", 2),
        await start(table, "a", 3),
        await start(table, "a", 4),
      ];
      await table.engine.pause(paused);
      await table.engine.cancel(cancelled);
      await table.engine.signal(signalled, "go");
      await table.engine.idle();
      assert.deepEqual([await numbers(table, "running"), await numbers(table, "queued")], [[1], [4]]);
      await go(table, first);
      assert.deepEqual(await numbers(table, "done"), [1, 4]);
      assert.equal((await table.engine.resume(paused)).phase, "queued");
      await table.engine.idle();
      assert.deepEqual(await numbers(table, "running"), [2]);
      assert.equal((await table.engine.snapshot(cancelled))?.error?.reason, "cancelled");
      await table.store.close();
    });

    it("counts a retried run again: it waits while its key is taken", async () => {
      const table = await bench({ graphs: [limited({ concurrency: 1, timeout: "1h" })] }, url);
      const first = await start(table, "a", 1);
      await table.engine.idle();
      await table.engine.cancel(first);
      await table.engine.idle();
      const second = await start(table, "a", 2);
      await table.engine.idle();
      const retried = await table.engine.retry(first, { by: "ada" });
      assert.deepEqual([retried.epoch, retried.is_queued], [2, true]);
      // Its time has not begun.
      await table.pass(2 * 60_000);
      await table.crash();
      await go(table, second);
      assert.deepEqual(await numbers(table, "running"), [1]);
      await go(table, first);
      assert.equal((await table.engine.snapshot(first))?.result, 1);
      await table.store.close();
    });

    it("applies to forks and children, and a parent waits for a queued child", async () => {
      const parent = graph<Job[], number[]>("parent", (g) => {
        const list = g.node(
          "list",
          worker("list", (jobs: Job[]) => jobs),
        );
        return g.map("child", limited({ concurrency: 1 }), list, (jobs) => jobs);
      });
      const table = await bench({ graphs: [parent] }, url);
      const { id } = await table.engine.start("parent", [
        { tenant: "a", n: 1 },
        { tenant: "a", n: 2 },
      ]);
      await table.engine.idle();
      assert.equal((await numbers(table, "queued")).length, 1);
      for (let ended = 0; ended < 2; ended++) {
        const [running] = (await table.engine.list({ worker: "limited", status: "running" })).items;
        await go(table, running?.graph_id ?? "");
      }
      assert.deepEqual((await table.engine.snapshot(id))?.result, [1, 2]);
      await table.store.close();
    });

    it("rejects an input whose key is not a text", async () => {
      const key = (({ tenant }: Job) => (tenant === "throws" ? fail() : 7)) as never;
      const table = await bench({ graphs: [limited({ concurrency: { limit: 1, key } })] }, url);
      await assert.rejects(start(table, "a", 1), { code: "SVC_INVALID", message: /its function returned another/ });
      await assert.rejects(start(table, "throws", 1), { code: "SVC_INVALID", message: /: no tenant/ });
      await table.store.close();
    });
  });

it("The options of a graph's concurrency are checked when it is defined", () => {
  const refused = (concurrency: Json, message: RegExp): void =>
    assert.throws(() => limited({ concurrency } as never), { code: "SVC_DEFINITION", message });
  refused(0, /has concurrency 0; use a whole number from 1/);
  refused({}, /lacks concurrency\.limit/);
  refused({ limit: 1, total: 2 }, /unknown option "total"/);
  refused({ limit: 1, key: "tenant" }, /has concurrency\.key "tenant"; use a function/);
});

function fail(): never {
  throw new Error("no tenant");
}
