import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { graph, worker } from "../../definition/definition.ts";
import { bench, STORES, type Bench } from "../engine.testkit.ts";

const wait = worker("wait", async (_: Json, ctx) => ctx.waitFor("go"));
const limited = graph<Json, Json>("limited", (g) => g.node("wait", wait), { concurrency: 1, ttl: "1m" });

const start = async ({ engine }: Bench, options = {}): Promise<string> => {
  const { id } = await engine.start("limited", null, options);
  await engine.idle();
  return id;
};
const outcome = async ({ engine }: Bench, id: string): Promise<string | undefined> => {
  const run = await engine.snapshot(id);
  return run?.error?.message ?? run?.phase;
};
const EXPIRED = "Expired: its key was not free within the time to live of the run";

for (const url of STORES)
  describe(`The time to live of a queued run with ${url}`, () => {
    it("cancels it when its key was not free in that time, and never an active run", async () => {
      const table = await bench({ graphs: [limited] }, url);
      const [first, second, third] = [await start(table), await start(table), await start(table, { ttl: "2m" })];
      await table.pass(59_999);
      assert.equal(await outcome(table, second), "queued");
      await table.pass(1);
      assert.deepEqual(
        [await outcome(table, first), await outcome(table, second), await outcome(table, third)],
        ["running", EXPIRED, "queued"],
      );
      assert.equal((await table.store.graphs.countByStatus()).cancelled, 1);
      await table.pass(60_000);
      assert.equal(await outcome(table, third), EXPIRED);
      await table.store.close();
    });

    it("ends during a crash: the next start cancels the run, also if its key is free by then", async () => {
      const table = await bench({ graphs: [limited] }, url);
      const [first, second] = [await start(table), await start(table)];
      await table.clock.advance(30_000);
      await table.store.graphs.commit({ graphId: first, graph: { phase: "done", status: "done" } });
      // The process is down for a minute.
      table.clock = new SimulatedClock(table.clock.now() + 60_000);
      await table.crash();
      await table.engine.idle();
      assert.equal(await outcome(table, second), EXPIRED);
      await table.store.close();
    });

    it("of a delayed run begins when it is due", async () => {
      const table = await bench({ graphs: [limited] }, url);
      await start(table);
      const delayed = await start(table, { delay: "10m" });
      await table.pass(10 * 60_000);
      assert.equal(await outcome(table, delayed), "queued");
      await table.pass(60_000);
      assert.equal(await outcome(table, delayed), EXPIRED);
      await table.store.close();
    });

    it("does not apply to a retry: an expired run that an operator retries waits as long as it takes", async () => {
      const table = await bench({ graphs: [limited] }, url);
      const [first, second] = [await start(table), await start(table)];
      await table.pass(60_000);
      assert.equal(await outcome(table, second), EXPIRED);
      await table.engine.retry(second);
      await table.pass(600_000);
      assert.equal(await outcome(table, second), "queued");
      await table.engine.signal(first, "go");
      await table.engine.idle();
      assert.equal(await outcome(table, second), "running");
      await table.store.close();
    });

    it("is checked when it is given", async () => {
      const table = await bench({ graphs: [limited] }, url);
      await assert.rejects(start(table, { ttl: "soon" }), { code: "SVC_INVALID" });
      await table.store.close();
    });
  });

it("A time to live is refused for a graph whose runs never wait", () => {
  const define = (options: object) => graph("free", (g) => g.node("wait", wait), options);
  assert.throws(() => define({ ttl: "1m" }), { code: "SVC_DEFINITION", message: /its runs never wait/ });
  assert.throws(() => define({ ttl: 0, concurrency: 1 }), {
    code: "SVC_DEFINITION",
    message: /ttl 0; use a time above 0/,
  });
});
