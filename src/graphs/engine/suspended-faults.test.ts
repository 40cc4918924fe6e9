/** Suspended runs whose values can't be read, and processes that stop while suspended runs are idle or are being loaded. */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { worker } from "../definition/definition.ts";
import { bench, gate, STORES, type Bench } from "./engine.testkit.ts";

const HOUR_MS = 3_600_000;
/** Longer than the grace period. */
const AFTER_GRACE_MS = 2000;

const sleeper = worker("sleeper", { suspend: true }, async (_: Json, ctx) => (await ctx.sleep("1h"), "awake"));
const waiter = worker("waiter", { suspend: true }, (_: Json, ctx) => ctx.waitFor("go"));

/** A store that can't read runs while there is a fault. */
function faulty(store: Store) {
  const state: { fault: SvcError | undefined } = { fault: undefined };
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = value.bind(target) as (...given: unknown[]) => unknown;
      if (key !== "load") return call;
      return (...given: unknown[]) => (state.fault ? Promise.reject(state.fault) : call(...given));
    },
  });
  return { state, store: { ...store, graphs } };
}

async function suspended(table: Bench, name: string): Promise<string> {
  const { snapshot } = await table.engine.start(name, null);
  await table.pass(0);
  await table.pass(AFTER_GRACE_MS);
  return snapshot.graph_id;
}

const FAULTS: readonly SvcError[] = [
  new SvcError("SVC_PAYLOAD_KEY", 'The key "2025" is missing'),
  new SvcError("SVC_BUCKET", 'The object "run/v/1" is missing'),
];

for (const url of STORES)
  describe(`A suspended run on ${url}`, () => {
    for (const fault of FAULTS)
      it(`that can't be loaded at its time (${fault.code}) is logged with the reason, and goes on once it can be read`, async () => {
        const table = await bench({ workers: [sleeper] }, url);
        const id = await suspended(table, "sleeper");
        const { state, store } = faulty(table.store);
        await table.crash({ store });
        state.fault = fault;
        await table.pass(HOUR_MS);
        await table.pass(5000);
        const reported = table.logs.filter((text) => text.includes(`The run ${id} is due and could not be loaded`));
        assert.deepEqual([reported.length, reported[0]?.includes(fault.message.slice(-10))], [1, true]);
        state.fault = undefined;
        assert.equal((await table.engine.snapshot(id))?.status, "running");
        await table.pass(1000);
        assert.equal((await table.engine.snapshot(id))?.result, "awake");
        await table.store.close();
      });

    for (const fault of FAULTS)
      it(`that can't be loaded for a signal (${fault.code}) rejects the signal with the reason, and accepts it later`, async () => {
        const table = await bench({ workers: [waiter] }, url);
        const id = await suspended(table, "waiter");
        const { state, store } = faulty(table.store);
        await table.crash({ store });
        state.fault = fault;
        await assert.rejects(table.engine.signal(id, "go", 1), { code: fault.code });
        state.fault = undefined;
        await table.engine.signal(id, "go", 2);
        await table.pass(0);
        assert.equal((await table.engine.snapshot(id))?.result, 2);
        await table.store.close();
      });

    it("does not keep engine.idle() waiting, until it is due", async () => {
      const table = await bench({ workers: [sleeper] }, url);
      const id = await suspended(table, "sleeper");
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(id))?.status, "running");
      await table.clock.advance(HOUR_MS);
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(id))?.result, "awake");
      await table.store.close();
    });

    it("that is loaded for a signal when the process stops keeps the signal", async () => {
      const hold = gate();
      let calls = 0;
      const slow = worker("slow", { suspend: true }, async (_: Json, ctx) => {
        if (++calls === 2) await hold.promise;
        return ctx.waitFor("go");
      });
      const table = await bench({ workers: [slow] }, url);
      const id = await suspended(table, "slow");
      const signalled = table.engine.signal(id, "go", 1);
      while (calls < 2) await turn();
      await table.restart();
      hold.open();
      await signalled;
      await table.pass(0);
      assert.equal((await table.engine.snapshot(id))?.result, 1);
      await table.store.close();
    });
  });
