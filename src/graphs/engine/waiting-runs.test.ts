/** Workers without the option suspend: their attempts stay in memory while they wait, and after a restart only their rows do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { silentLog } from "../../platform/shared/log.ts";
import type { Json } from "../../platform/shared/json.ts";
import { event } from "../definition/event.ts";
import { worker } from "../definition/definition.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { WorkerContext } from "../definition/worker-types.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import { composeEngine } from "./engine-parts.ts";
import { bench, gate, nodesOf, STORES, typesOf, type Bench } from "./engine.testkit.ts";

const HOUR_MS = 3_600_000;
/** Longer than an attempt waits before its rest is recorded. */
const AFTER_GRACE_MS = 2000;
/** Longer than the time between two looks at a run that did more than wait. */
const AFTER_LOOK_MS = 20_000;

/** A worker that counts its calls. @param suspend option of the worker */
function counted<Out>(run: (ctx: WorkerContext) => Promise<Out>, suspend?: boolean) {
  const calls: { attempt: number; key: string }[] = [];
  const waits = worker("waits", suspend === undefined ? {} : { suspend }, (_: Json, ctx) => {
    calls.push({ attempt: ctx.attempt, key: ctx.idempotencyKey() });
    return run(ctx as WorkerContext);
  });
  return { waits, calls };
}

async function waiting(table: Bench): Promise<string> {
  const { snapshot } = await table.engine.start("waits", null);
  await table.pass(0);
  await table.pass(AFTER_GRACE_MS);
  return snapshot.graph_id;
}

const resultOf = async ({ engine }: Bench, id: string) => (await engine.snapshot(id))?.result;

/** Whether the process has recorded that the attempt only waits. */
const isRecorded = async ({ store }: Bench, id: string) =>
  (await nodesOf(store, id)).some(
    (node) => node.id === "waits" && node.status === "waiting" && node.dueMs !== undefined,
  );

const ACTS: readonly [string, (ctx: WorkerContext) => void][] = [
  ["a log", (ctx) => ctx.log("info", "still here")],
  ["a heartbeat", (ctx) => ctx.heartbeat()],
  ["its state", (ctx) => ctx.state.set("at", 1)],
  ["its progress", (ctx) => ctx.progress(0.5)],
  ["its attributes", (ctx) => void ctx.setAttributes({ at: 1 })],
];

/** Number of runs that a new process has in memory after its recovery. */
async function loadedAfterRecovery({ store, clock }: Bench, one: Worker<never, unknown>): Promise<number> {
  const options = { store, clock, log: silentLog, workers: [one] };
  const parts = composeEngine(options);
  await new EngineLifecycle(options, parts).recover();
  await parts.busy.idle();
  return parts.activeRuns.all().length;
}

for (const url of STORES)
  describe(`runs that wait, on ${url}`, () => {
    it("stay rows when the process starts again, and receive a signal", async () => {
      const { waits, calls } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      assert.equal(await loadedAfterRecovery(table, waits), 0);
      await table.crash();
      await table.engine.signal(id, "go", 5);
      await table.pass(0);
      assert.equal(await resultOf(table, id), 5);
      assert.deepEqual(calls, [calls[0], calls[0]]);
      await table.store.close();
    });

    it("keep their attempt in memory while the process lives", async () => {
      const { waits, calls } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      assert.equal(await isRecorded(table, id), true);
      await table.engine.signal(id, "go", 5);
      await table.pass(0);
      assert.equal(await resultOf(table, id), 5);
      assert.equal(calls.length, 1);
      assert.equal((await nodesOf(table.store, id))[0]?.dueMs, undefined);
      await table.store.close();
    });

    it("go on after a crash when their sleep is over, with stored steps and the same attempt", async () => {
      let steps = 0;
      const { waits, calls } = counted(async (ctx) => {
        await ctx.step("once", () => ++steps);
        await ctx.sleep("1h");
        return steps;
      });
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      await table.crash();
      await table.pass(HOUR_MS - AFTER_GRACE_MS - 1);
      assert.equal(calls.length, 1);
      await table.pass(1);
      assert.equal(await resultOf(table, id), 1);
      assert.deepEqual(calls, [calls[0], calls[0]]);
      await table.store.close();
    });

    it("log one more start, with the same attempt, when they go on after a restart", async () => {
      const { waits } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      await table.restart();
      await table.engine.signal(id, "go");
      await table.pass(0);
      const events = await table.engine.events(id);
      assert.deepEqual(typesOf(events).slice(1, -2), [
        "graph.started",
        "node.ready waits",
        "node.started waits",
        "node.waiting waits#go",
        "node.ready waits",
        "node.started waits",
        "node.waiting waits#go",
        "graph.signal",
        "node.done waits#go",
      ]);
      await table.store.close();
    });

    it("receive an event that is sent after the restart", async () => {
      const paid = event("paid");
      const { waits } = counted(async (ctx) => (await ctx.waitForEvent(paid)).data as Json);
      const table = await bench({ workers: [waits], events: [paid] }, url);
      const id = await waiting(table);
      await table.crash();
      await table.engine.send(paid, { amount: 7 });
      await table.pass(0);
      assert.deepEqual(await resultOf(table, id), { amount: 7 });
      await table.store.close();
    });

    it("run again at once after a crash within the first second of the wait", async () => {
      const { waits, calls } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      await table.engine.start("waits", null);
      await table.pass(900);
      await table.crash();
      await table.pass(0);
      assert.equal(calls.length, 2);
      await table.store.close();
    });

    it("run again at once after a crash if their worker has suspend: false", async () => {
      const { waits, calls } = counted((ctx) => ctx.waitFor("go"), false);
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      assert.equal(await isRecorded(table, id), false);
      await table.crash();
      await table.pass(0);
      assert.equal(calls.length, 2);
      await table.store.close();
    });

    it("run again at once after a crash if their worker has suspend: false only now", async () => {
      const { waits } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      await waiting(table);
      const now = counted((ctx) => ctx.waitFor("go"), false);
      await table.crash({ workers: [now.waits] });
      await table.pass(0);
      assert.equal(now.calls.length, 1);
      await table.store.close();
    });

    it("run again at once after a crash during a step that began beside a recorded wait", async () => {
      const begin = gate();
      let steps = 0;
      const { waits } = counted(async (ctx) => {
        await Promise.race([
          ctx.waitFor("go"),
          begin.promise.then(() => ctx.step("slow", () => (steps++, new Promise(() => undefined)))),
        ]);
      });
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      assert.equal(await isRecorded(table, id), true);
      begin.open();
      await table.clock.advance(1);
      assert.deepEqual([steps, await isRecorded(table, id)], [1, false]);
      await table.crash();
      await table.clock.advance(1);
      assert.equal(steps, 2);
      await table.store.close();
    });

    for (const [what, act] of ACTS)
      it(`lose the record when the worker writes ${what} beside its wait`, async () => {
        const begin = gate();
        const { waits, calls } = counted(async (ctx) => {
          void begin.promise.then(() => act(ctx));
          await ctx.waitFor("go");
        });
        const table = await bench({ workers: [waits] }, url);
        const id = await waiting(table);
        const before = await isRecorded(table, id);
        begin.open();
        await table.pass(0);
        assert.deepEqual([before, await isRecorded(table, id)], [true, false]);
        await table.crash();
        await table.pass(0);
        assert.equal(calls.length, 2);
        await table.store.close();
      });

    it("are not recorded while a request of the worker is in progress", async () => {
      const silent = createServer(() => undefined).listen(0, "127.0.0.1");
      await once(silent, "listening");
      const { port } = silent.address() as AddressInfo;
      const { waits } = counted((ctx) =>
        Promise.race([ctx.fetch(`http://127.0.0.1:${port}/`).then(() => null), ctx.waitFor("go")]),
      );
      const table = await bench({ workers: [waits], tools: { fetch: { allowCidrs: ["127.0.0.0/8"] } } }, url);
      const id = await waiting(table);
      assert.equal(await isRecorded(table, id), false);
      await table.engine.signal(id, "go");
      await table.pass(0);
      silent.close();
      silent.closeAllConnections();
      await table.store.close();
    });

    it("are recorded again when one of their waits is over", async () => {
      const { waits } = counted((ctx) => Promise.all([ctx.waitFor("a"), ctx.waitFor("b")]));
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      await table.engine.signal(id, "a", 1);
      await table.pass(0);
      assert.equal(await isRecorded(table, id), false);
      await table.pass(AFTER_GRACE_MS);
      assert.equal(await isRecorded(table, id), true);
      await table.crash();
      await table.engine.signal(id, "b", 2);
      await table.pass(0);
      assert.deepEqual(await resultOf(table, id), [1, 2]);
      await table.store.close();
    });

    it("warn once for each worker that goes on beside a recorded wait, and name the option", async () => {
      const end = gate();
      const { waits } = counted((ctx) => Promise.race([ctx.waitFor("go"), end.promise]));
      const table = await bench({ workers: [waits] }, url);
      await waiting(table);
      await waiting(table);
      end.open();
      await table.pass(0);
      const warnings = table.logs.filter((text) => text.includes("set suspend: false"));
      assert.deepEqual([warnings.length, warnings[0]?.includes('The worker "waits" went on')], [1, true]);
      await table.store.close();
    });

    it("warn of no worker whose waits end, is paused, cancelled or stopped", async () => {
      const { waits } = counted((ctx) => Promise.all([ctx.waitFor("a"), ctx.sleep("1h")]).then(() => "both"));
      const table = await bench({ workers: [waits] }, url);
      const [ended, cancelled, paused] = [await waiting(table), await waiting(table), await waiting(table)];
      await table.engine.signal(ended, "a");
      await table.engine.cancel(cancelled);
      await table.engine.pause(paused);
      await table.engine.resume(paused);
      await table.pass(HOUR_MS);
      await waiting(table);
      await table.restart();
      await table.pass(0);
      assert.equal((await table.engine.snapshot(ended))?.status, "done");
      assert.deepEqual(
        table.logs.filter((text) => text.includes("set suspend: false")),
        [],
      );
      await table.store.close();
    });

    it("leave no time in their row when the worker ends beside its wait", async () => {
      const end = gate();
      const { waits } = counted((ctx) => Promise.race([ctx.waitFor("go"), end.promise.then(() => "ended")]));
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      end.open();
      await table.pass(0);
      assert.equal(await resultOf(table, id), "ended");
      assert.equal((await nodesOf(table.store, id)).find((node) => node.id === "waits")?.dueMs, undefined);
      await table.store.close();
    });

    it("are recorded after a pause that began in the first second of the wait", async () => {
      const { waits } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      const { id } = await table.engine.start("waits", null);
      await table.pass(0);
      await table.engine.pause(id);
      await table.pass(AFTER_GRACE_MS);
      await table.engine.resume(id);
      await table.pass(AFTER_LOOK_MS);
      assert.equal(await isRecorded(table, id), true);
      await table.store.close();
    });

    it("can be paused before a restart and resumed after it", async () => {
      const { waits } = counted((ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [waits] }, url);
      const id = await waiting(table);
      assert.equal((await table.engine.pause(id)).status, "paused");
      await table.crash();
      await table.engine.resume(id);
      await table.engine.signal(id, "go", 5);
      await table.pass(0);
      assert.equal(await resultOf(table, id), 5);
      await table.store.close();
    });

    for (const command of ["cancel", "terminate"] as const)
      it(`leave no time in their row after ${command}, in memory and after a restart`, async () => {
        const { waits } = counted((ctx) => ctx.waitFor("go"));
        const table = await bench({ workers: [waits] }, url);
        const ids = [await waiting(table), await waiting(table)];
        await table.engine[command](ids[0] ?? "");
        await table.crash();
        await table.engine[command](ids[1] ?? "");
        await table.pass(0);
        for (const id of ids) {
          const [node] = await nodesOf(table.store, id);
          assert.deepEqual([node?.status, node?.dueMs], ["cancelled", undefined]);
        }
        await table.store.close();
      });
  });
