import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../../definition/definition.ts";
import type { GraphOptions } from "../../definition/definition-types.ts";
import { bench, STORES, type Bench } from "../engine.testkit.ts";

interface Job {
  tenant: string;
  n: number;
}

/** Waits for the signal "go", so that the test decides when a run ends. */
const wait = worker("wait", async ({ n }: Job, ctx) => (await ctx.waitFor("go"), n));
const shared = (options: GraphOptions<Job>) => graph<Job, number>("shared", (g) => g.node("wait", wait), options);
const byTenant = { fairness: { key: ({ tenant }: Job) => tenant } };

const start = async ({ engine }: Bench, tenant: string, n: number, options = {}): Promise<string> =>
  (await engine.start("shared", { tenant, n }, options)).id;

/** Runs that are active, as tenant and number. */
const active = async ({ engine }: Bench): Promise<{ id: string; name: string }[]> => {
  const { items } = await engine.list({ worker: "shared", status: "running" });
  return items.map(({ graph_id: id, input }) => {
    const { tenant, n } = input as unknown as Job;
    return { id, name: `${tenant}${n}` };
  });
};

/** Ends the active run, until `count` runs have ended. @returns the runs in the order in which they were active. */
async function drain(table: Bench, count: number): Promise<string> {
  const order: string[] = [];
  await table.engine.idle();
  for (let ended = 0; ended < count; ended++) {
    const [run, ...others] = await active(table);
    assert.deepEqual(others, []);
    order.push(run?.name ?? "none");
    await table.engine.signal(run?.id ?? "", "go");
    await table.engine.idle();
  }
  return order.join(" ");
}

for (const url of STORES)
  describe(`The fairness of a graph with ${url}`, () => {
    it("lets tenants take turns, so that one with many runs does not delay the others", async () => {
      const table = await bench({ graphs: [shared({ concurrency: 1, ...byTenant })] }, url);
      for (let n = 1; n <= 6; n++) await start(table, "a", n);
      for (let n = 1; n <= 2; n++) await start(table, "b", n);
      await start(table, "c", 1);
      assert.equal(await drain(table, 9), "a1 b1 c1 a2 b2 a3 a4 a5 a6");
      await table.store.close();
    });

    it("starts runs of a tenant in proportion to its weight, also over a crash", async () => {
      const weight = ({ tenant }: Job) => (tenant === "paid" ? 4 : 1);
      const graphs = [shared({ concurrency: 1, fairness: { ...byTenant.fairness, weight } })];
      const table = await bench({ graphs }, url);
      for (let n = 1; n <= 4; n++) await start(table, "free", n);
      for (let n = 1; n <= 8; n++) await start(table, "paid", n);
      const before = await drain(table, 6);
      await table.crash();
      const order = `${before} ${await drain(table, 6)}`;
      assert.equal(order, "free1 paid1 paid2 paid3 paid4 free2 paid5 paid6 paid7 paid8 free3 free4");
      await table.store.close();
    });

    it("gives no advantage to a tenant that starts its next run when its last one ends", async () => {
      const table = await bench({ graphs: [shared({ concurrency: 1, ...byTenant })] }, url);
      for (let n = 1; n <= 4; n++) await start(table, "a", n);
      const order: string[] = [];
      await start(table, "b", 1);
      for (let n = 2; n <= 4; n++) {
        order.push(await drain(table, 2));
        await start(table, "b", n);
      }
      assert.equal(order.join(" "), "a1 b1 a2 b2 a3 b3");
      await table.store.close();
    });

    it("counts runs when they start: delayed and cancelled ones take no turn away from their tenant", async () => {
      const table = await bench({ graphs: [shared({ concurrency: 1, ...byTenant })] }, url);
      for (let n = 1; n <= 3; n++) await start(table, "a", n, { delay: "1h" });
      const first = await start(table, "b", 1);
      await table.engine.idle();
      const cancelled = [await start(table, "b", 2), await start(table, "b", 3)];
      for (const id of cancelled) await table.engine.cancel(id);
      for (let n = 4; n <= 6; n++) await start(table, "b", n);
      await table.pass(3_600_000);
      await table.engine.signal(first, "go");
      assert.equal(await drain(table, 6), "a1 b4 a2 b5 a3 b6");
      await table.store.close();
    });

    it("keeps priorities within a tenant, and applies to each concurrency key", async () => {
      const concurrency = { limit: 1, key: ({ n }: Job) => String(n % 2) };
      const table = await bench({ graphs: [shared({ concurrency, ...byTenant })] }, url);
      await start(table, "a", 1);
      await table.engine.idle();
      for (const n of [3, 5]) await start(table, "a", n);
      await start(table, "a", 7, { priority: 5 });
      await start(table, "b", 9);
      await table.engine.idle();
      const even = await start(table, "a", 2);
      await table.engine.idle();
      assert.deepEqual((await active(table)).map(({ name }) => name).sort(), ["a1", "a2"]);
      await table.engine.signal(even, "go");
      assert.equal(await drain(table, 5), "a1 b9 a7 a3 a5");
      await table.store.close();
    });

    it("admits many runs at once up to the limit, and takes over runs that waited before the graph had it", async () => {
      const table = await bench({ graphs: [shared({ concurrency: 1 })] }, url);
      const first = await start(table, "a", 1);
      for (let n = 2; n <= 3; n++) await start(table, "a", n);
      await table.engine.idle();
      await table.crash({ graphs: [shared({ concurrency: 50, ...byTenant })] });
      await table.engine.idle();
      assert.equal((await active(table)).length, 3);
      await Promise.all(Array.from({ length: 70 }, (_, n) => start(table, `t${n % 9}`, n)));
      await table.engine.idle();
      const { queued, running } = await table.store.graphs.countByStatus();
      assert.deepEqual([queued, running], [23, 50]);
      await table.engine.signal(first, "go");
      await table.engine.idle();
      assert.equal((await table.store.graphs.countByStatus()).queued, 22);
      await table.store.close();
    });

    it("rejects a start whose key or weight can't be used", async () => {
      const key = (({ n }: Job) => (n === 0 ? 7 : "a")) as never;
      const weight = ({ n }: Job) => n;
      const table = await bench({ graphs: [shared({ concurrency: 1, fairness: { key, weight } })] }, url);
      await assert.rejects(start(table, "a", 2000), {
        code: "SVC_INVALID",
        message: /fairness weight of "shared" must be a number from 0\.001 to 1000/,
      });
      await assert.rejects(start(table, "a", 0), { code: "SVC_INVALID", message: /The fairness/ });
      await table.store.close();
    });
  });

it("The options of a graph's fairness are checked when it is defined", () => {
  const refused = (options: object, message: RegExp): void =>
    assert.throws(() => shared(options), { code: "SVC_DEFINITION", message });
  refused({ concurrency: 1, fairness: {} }, /lacks fairness\.key/);
  refused({ concurrency: 1, fairness: { key: "tenant" } }, /has fairness\.key "tenant"; use a function/);
  refused({ concurrency: 1, fairness: { ...byTenant.fairness, share: 1 } }, /unknown option "share"/);
  refused(
    { concurrency: 1, fairness: { ...byTenant.fairness, weight: 0 } },
    /has fairness\.weight 0; use a number from/,
  );
  refused({ ...byTenant }, /has fairness, and its runs never wait/);
  refused({ ...byTenant, singleton: {} }, /has fairness, and its runs never wait/);
  refused(
    { ...byTenant, concurrency: { limit: 1, onLimit: "cancel-newest" } },
    /add concurrency or singleton with onLimit/,
  );
});
