import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../../definition/definition.ts";
import type { GraphOptions } from "../../definition/definition-types.ts";
import { bench, gate, STORES, type Bench } from "../engine.testkit.ts";

interface Shop {
  id: string;
  n: number;
}

const wait = worker("wait", async ({ n }: Shop, ctx) => (await ctx.waitFor("go"), n));
const sync = (options: GraphOptions<Shop>) => graph<Shop, number>("sync", (g) => g.node("wait", wait), options);

const start = async ({ engine }: Bench, id: string, n: number): Promise<string> => {
  const run = await engine.start("sync", { id, n });
  await engine.idle();
  return run.id;
};
const outcome = async ({ engine }: Bench, id: string): Promise<string | undefined> => {
  const run = await engine.snapshot(id);
  return run?.error?.message ?? run?.phase;
};
const BUSY = "Cancelled because its key was in use when it was started";
const REPLACED = "Cancelled because a newer run with its key was started";

for (const url of STORES)
  describe(`A singleton graph with ${url}`, () => {
    it("cancels a run that is started while another one of its key is active", async () => {
      const table = await bench({ graphs: [sync({ singleton: { key: ({ id }) => id } })] }, url);
      const [first, second, other] = [
        await start(table, "a", 1),
        await start(table, "a", 2),
        await start(table, "b", 3),
      ];
      assert.deepEqual(
        [await outcome(table, first), await outcome(table, second), await outcome(table, other)],
        ["running", BUSY, "running"],
      );
      await table.engine.signal(first, "go");
      await table.engine.idle();
      assert.equal(await outcome(table, await start(table, "a", 4)), "running");
      await table.store.close();
    });

    it("with `cancel-oldest` starts the new run once the old one is cancelled and compensated", async () => {
      const undone = gate();
      const undo = worker("undo", { onCancel: () => undone.promise }, async (_: Shop, ctx) => ctx.waitFor("go"));
      const replaced = graph<Shop, unknown>("sync", (g) => g.node("undo", undo), {
        singleton: { onLimit: "cancel-oldest" },
      });
      const table = await bench({ graphs: [replaced] }, url);
      const first = await start(table, "a", 1);
      const second = (await table.engine.start("sync", { id: "a", n: 2 })).id;
      const third = (await table.engine.start("sync", { id: "a", n: 3 })).id;
      while ((await table.engine.snapshot(second))?.phase !== "failed") await new Promise(setImmediate);
      assert.deepEqual(
        [(await table.engine.snapshot(first))?.phase, (await table.engine.snapshot(third))?.is_queued],
        ["cancelling", true],
      );
      undone.open();
      await table.engine.idle();
      assert.deepEqual(
        [await outcome(table, first), await outcome(table, second), await outcome(table, third)],
        [REPLACED, REPLACED, "running"],
      );
      await table.store.close();
    });

    it("with `queue` starts its runs one after another", async () => {
      const table = await bench({ graphs: [sync({ singleton: { onLimit: "queue" } })] }, url);
      const [first, second] = [await start(table, "a", 1), await start(table, "b", 2)];
      assert.deepEqual([await outcome(table, first), await outcome(table, second)], ["running", "queued"]);
      await table.store.close();
    });

    it("cancels after a crash what the dead process had no time to cancel", async () => {
      const table = await bench({ graphs: [sync({ concurrency: { limit: 1, onLimit: "cancel-oldest" } })] }, url);
      const first = await start(table, "a", 1);
      // Another process has stored a run, and died before it asked for its admission.
      const { admission } = table.store;
      await table.crash({ store: { ...table.store, admission: { ...idle, open: async () => [] } } });
      const second = (await table.engine.start("sync", { id: "a", n: 2 })).id;
      await table.crash({ store: { ...table.store, admission } });
      await table.engine.idle();
      assert.deepEqual([await outcome(table, first), await outcome(table, second)], [REPLACED, "running"]);
      await table.store.close();
    });
  });

const idle = {
  admit: async () => [],
  admitFairly: async () => [],
  waiting: async () => [],
  admitted: async () => [],
  expired: async () => [],
  nextExpiryMs: async () => undefined,
};

it("The options of a singleton graph are checked when it is defined", () => {
  const refused = (options: object, message: RegExp): void =>
    assert.throws(() => sync(options), { code: "SVC_DEFINITION", message });
  refused({ singleton: true }, /has singleton true; use an object/);
  refused({ singleton: { mode: "skip" } }, /unknown option "mode"; known: key, onLimit/);
  refused({ singleton: { onLimit: "cancel" } }, /use "queue", "cancel-newest", "cancel-oldest"/);
  refused({ singleton: {}, concurrency: 2 }, /has concurrency and singleton; use one of them/);
});
