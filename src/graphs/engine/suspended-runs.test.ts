/** Workers with `suspend: true`: their attempts end while they wait, and run again from their stored steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { event } from "../definition/event.ts";
import { graph, worker } from "../definition/definition.ts";
import type { GraphDefinition, Worker } from "../definition/definition-types.ts";
import { defineUpdate } from "../definition/update-definition.ts";
import type { WorkerContext } from "../definition/worker-types.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import { composeEngine } from "./engine-parts.ts";
import { bench, STORES, type Bench } from "./engine.testkit.ts";

const HOUR_MS = 3_600_000;
/** Longer than the grace period. */
const AFTER_GRACE_MS = 2000;

/** Counts the calls of a suspending worker. */
function counted<Out>(name: string, run: (ctx: WorkerContext) => Promise<Out>) {
  const calls: { attempt: number; key: string }[] = [];
  const suspends = worker(name, { suspend: true }, (_: Json, ctx) => {
    calls.push({ attempt: ctx.attempt, key: ctx.idempotencyKey() });
    return run(ctx as WorkerContext);
  });
  return { suspends, calls };
}

async function suspended(table: Bench, name: string): Promise<string> {
  const { snapshot } = await table.engine.start(name, null);
  await table.pass(0);
  await table.pass(AFTER_GRACE_MS);
  return snapshot.graph_id;
}

const resultOf = async ({ engine }: Bench, id: string) => (await engine.snapshot(id))?.result;

/** Runs that a new process has in memory after its recovery. */
async function loadedAfterRecovery(
  { store, clock }: Bench,
  lists: { workers?: Worker<never, unknown>[]; graphs?: GraphDefinition[] },
): Promise<number> {
  const parts = composeEngine({ store, clock, log: silentLog, ...lists });
  await new EngineLifecycle({ store, clock, log: silentLog, ...lists }, parts).recover();
  await parts.busy.idle();
  return parts.activeRuns.all().length;
}

/** A graph whose node is a graph that waits for the signal `go`. */
function parentOfWaiting() {
  const child = graph("child", (g) =>
    g.node(
      "wait",
      worker("wait", (_: Json, ctx) => ctx.waitFor("go")),
    ),
  );
  return graph("parent", (g) => g.node("child", child));
}

for (const url of STORES)
  describe(`runs whose attempts are suspended, on ${url}`, () => {
    it("run their worker again from its stored steps when the sleep is over", async () => {
      let steps = 0;
      const { suspends, calls } = counted("sleeper", async (ctx) => {
        await ctx.step("once", () => ++steps);
        await ctx.sleep("1h");
        return steps;
      });
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "sleeper");
      await table.pass(HOUR_MS - AFTER_GRACE_MS - 1);
      assert.equal(calls.length, 1);
      await table.pass(1);
      assert.equal(await resultOf(table, id), 1);
      assert.deepEqual(calls, [calls[0], calls[0]]);
      assert.equal((await table.engine.snapshot(id))?.nodes[0]?.attempts, 1);
      await table.store.close();
    });

    it("stay in memory during a wait that is shorter than the grace period", async () => {
      const { suspends, calls } = counted("short", (ctx) => ctx.sleep(900));
      const table = await bench({ workers: [suspends] }, url);
      await suspended(table, "short");
      assert.equal(calls.length, 1);
      await table.store.close();
    });

    it("stay in memory without the option", async () => {
      let calls = 0;
      const plain = worker("plain", (_: Json, ctx) => (calls++, ctx.waitFor("go")));
      const table = await bench({ workers: [plain] }, url);
      const id = await suspended(table, "plain");
      await table.engine.signal(id, "go", 5);
      await table.pass(0);
      assert.deepEqual([calls, await resultOf(table, id)], [1, 5]);
      await table.store.close();
    });

    it("receive a signal that their schema accepts, and reject another one", async () => {
      const number = {
        "~standard": {
          version: 1 as const,
          vendor: "test",
          validate: (value: unknown) =>
            typeof value === "number" ? { value } : { issues: [{ message: "not a number" }] },
        },
      };
      const { suspends, calls } = counted("approval", (ctx) => ctx.waitFor("go", { schema: number, timeout: "2h" }));
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "approval");
      await assert.rejects(
        table.engine.signal(id, "go", "five"),
        (error) => error instanceof SvcError && error.code === "SVC_INVALID",
      );
      await table.pass(AFTER_GRACE_MS);
      await table.engine.signal(id, "go", 5);
      await table.pass(0);
      assert.equal(await resultOf(table, id), 5);
      assert.equal(calls.length, 3);
      await table.store.close();
    });

    it("receive two signals that come together", async () => {
      const { suspends, calls } = counted("pair", (ctx) => Promise.all([ctx.waitFor("a"), ctx.waitFor("b")]));
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "pair");
      await Promise.all([table.engine.signal(id, "b", 2), table.engine.signal(id, "a", 1)]);
      await table.pass(0);
      assert.deepEqual(await resultOf(table, id), [1, 2]);
      assert.equal(calls.length, 2);
      await table.store.close();
    });

    it("receive an event that is sent during the wait", async () => {
      const paid = event("paid");
      const { suspends, calls } = counted("payment", async (ctx) => (await ctx.waitForEvent(paid)).data as Json);
      const table = await bench({ workers: [suspends], events: [paid] }, url);
      const id = await suspended(table, "payment");
      await table.engine.send(paid, { amount: 7 });
      await table.pass(0);
      assert.deepEqual(await resultOf(table, id), { amount: 7 });
      assert.equal(calls.length, 2);
      await table.store.close();
    });

    it("answer updates", async () => {
      const add = defineUpdate<number, number>("add");
      const { suspends, calls } = counted("cart", async (ctx) => {
        let sum = 0;
        while (sum < 5) {
          const { value } = await ctx.handleUpdate(add, (more) => sum + more);
          sum += value;
        }
        return sum;
      });
      const table = await bench({ workers: [suspends] }, url);
      const run = await table.engine.start(suspends, null);
      await table.pass(AFTER_GRACE_MS);
      assert.equal(await run.update(add, 2), 2);
      await table.pass(AFTER_GRACE_MS);
      assert.equal(await run.update(add, 3), 5);
      assert.equal(await run.result(), 5);
      assert.equal(calls.length, 3);
      await table.store.close();
    });

    it("keep the winner of a race of a wait and a sleep", async () => {
      const { suspends } = counted("race", async (ctx) => {
        const first = await Promise.race([ctx.waitFor("go"), ctx.sleep("1h").then(() => "late")]);
        await ctx.sleep("1h", { key: "then" });
        return first;
      });
      const table = await bench({ workers: [suspends] }, url);
      const [signalled, late] = [await suspended(table, "race"), await suspended(table, "race")];
      await table.engine.signal(signalled, "go", "signal");
      await table.pass(HOUR_MS);
      await table.pass(2 * HOUR_MS);
      assert.deepEqual([await resultOf(table, signalled), await resultOf(table, late)], ["signal", "late"]);
      await table.store.close();
    });

    it("stay in memory while a step runs beside the wait", async () => {
      let end = (): void => undefined;
      const { suspends, calls } = counted("both", (ctx) =>
        Promise.all([ctx.step("slow", () => new Promise<void>((resolve) => (end = resolve))), ctx.waitFor("go")]),
      );
      const table = await bench({ workers: [suspends] }, url);
      const { snapshot } = await table.engine.start("both", null);
      await table.clock.advance(10 * AFTER_GRACE_MS);
      end();
      await table.pass(10);
      await table.engine.signal(snapshot.graph_id, "go");
      await table.pass(0);
      assert.equal(calls.length, 1);
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.status, "done");
      await table.store.close();
    });

    it("do not run finally blocks when they are suspended", async () => {
      const ends: string[] = [];
      const { suspends } = counted("pooled", async (ctx) => {
        try {
          await ctx.waitFor("go");
        } finally {
          ends.push(ctx.signal.aborted ? "aborted" : "signalled");
        }
      });
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "pooled");
      assert.deepEqual(ends, []);
      await table.engine.signal(id, "go");
      await table.pass(0);
      assert.deepEqual(ends, ["signalled"]);
      await table.store.close();
    });

    it("can be paused, and go on after a resume", async () => {
      const { suspends } = counted("waiter", (ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "waiter");
      assert.equal((await table.engine.pause(id)).status, "paused");
      await table.engine.signal(id, "go", 5);
      await table.pass(AFTER_GRACE_MS);
      assert.equal((await table.engine.snapshot(id))?.status, "paused");
      await table.engine.resume(id);
      await table.pass(0);
      assert.equal(await resultOf(table, id), 5);
      await table.store.close();
    });

    it("call onCancel when they are cancelled, and not when they are terminated", async () => {
      const undone: string[] = [];
      const reserves = worker(
        "reserves",
        { suspend: true, onCancel: ({ graphId }) => void undone.push(graphId) },
        (_: Json, ctx) => ctx.waitFor("go"),
      );
      const table = await bench({ workers: [reserves] }, url);
      const [cancelled, terminated] = [await suspended(table, "reserves"), await suspended(table, "reserves")];
      await table.engine.cancel(cancelled);
      await table.engine.terminate(terminated);
      await table.pass(0);
      assert.deepEqual(undone, [cancelled]);
      const phases = await Promise.all([cancelled, terminated].map((id) => table.engine.snapshot(id)));
      assert.deepEqual(
        phases.map((one) => one?.error?.reason),
        ["cancelled", "cancelled"],
      );
      await table.store.close();
    });

    it("fail at the deadline of the run", async () => {
      const { suspends } = counted("waiter", (ctx) => ctx.waitFor("go"));
      const limited = graph("limited", (g) => g.node("wait", suspends), { timeout: "1h" });
      const table = await bench({ graphs: [limited] }, url);
      const id = await suspended(table, "limited");
      await table.pass(HOUR_MS);
      assert.equal((await table.engine.snapshot(id))?.error?.reason, "timeout");
      await table.store.close();
    });

    it("settle result() when they end", async () => {
      const { suspends } = counted("waiter", (ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "waiter");
      const result = table.engine.result(id);
      await table.engine.signal(id, "go", 5);
      assert.equal(await result, 5);
      await table.store.close();
    });

    it("wait for their children without memory, and get their results", async () => {
      const table = await bench({ graphs: [parentOfWaiting()] }, url);
      const id = await suspended(table, "parent");
      const started = async () => (await table.engine.events(id)).filter(({ type }) => type === "node.started").length;
      const before = await started();
      const [childView] = (await table.engine.snapshot(id))?.children ?? [];
      await table.engine.signal(childView?.graph_id ?? "", "go", 5);
      await table.pass(0);
      assert.equal((await table.engine.snapshot(id))?.status, "done");
      assert.equal(await started(), before + 1);
      await table.store.close();
    });

    it("stay rows when the process starts again", async () => {
      const { suspends, calls } = counted("waiter", (ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "waiter");
      assert.equal(await loadedAfterRecovery(table, { workers: [suspends] }), 0);
      await table.crash();
      await table.engine.signal(id, "go", 5);
      await table.pass(0);
      assert.equal(await resultOf(table, id), 5);
      assert.equal(calls.length, 2);
      await table.store.close();
    });

    it("run again after a crash before the attempt was suspended", async () => {
      const { suspends, calls } = counted("waiter", (ctx) => ctx.waitFor("go"));
      const table = await bench({ workers: [suspends] }, url);
      await table.engine.start("waiter", null);
      await table.pass(0);
      await table.crash();
      await table.pass(0);
      assert.equal(calls.length, 2);
      await table.store.close();
    });

    it("go on after the process was stopped and started", async () => {
      const { suspends, calls } = counted("sleeper", (ctx) => ctx.sleep("1h"));
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "sleeper");
      await table.restart();
      await table.pass(HOUR_MS);
      assert.equal((await table.engine.snapshot(id))?.status, "done");
      assert.deepEqual(calls, [calls[0], calls[0]]);
      await table.store.close();
    });

    it("count as no retry and no crash, however often they are suspended", async () => {
      const { suspends, calls } = counted("often", async (ctx) => {
        for (let at = 0; at < 6; at++) await ctx.waitFor("go", { timeout: "9h" });
        return ctx.attempt;
      });
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "often");
      for (let at = 0; at < 6; at++) {
        await table.engine.signal(id, "go");
        await table.pass(AFTER_GRACE_MS);
        await table.crash();
      }
      assert.equal(await resultOf(table, id), 1);
      assert.deepEqual(new Set(calls.map(({ key }) => key)).size, 1);
      assert.equal(calls.length, 7);
      await table.store.close();
    });

    it("keep a signal, and answer it at once, while their worker has no slot", async () => {
      let end = (): void => undefined;
      const narrow = worker("narrow", { suspend: true, concurrency: 1 }, async (input: Json, ctx) => {
        if (input === "busy") await ctx.step("work", () => new Promise<void>((resolve) => (end = resolve)));
        return input === "busy" ? null : ctx.waitFor("go");
      });
      const table = await bench({ workers: [narrow] }, url);
      const id = await suspended(table, "narrow");
      await table.engine.start("narrow", "busy");
      await table.clock.advance(1);
      await table.engine.signal(id, "go", 5);
      end();
      await table.pass(1);
      assert.equal(await resultOf(table, id), 5);
      await table.store.close();
    });

    it("can be forked", async () => {
      const { suspends } = counted("waiter", async (ctx) => [await ctx.step("made", () => 1), await ctx.waitFor("go")]);
      const table = await bench({ workers: [suspends] }, url);
      const id = await suspended(table, "waiter");
      const fork = await table.engine.fork(id, { from: "waiter" });
      await table.pass(AFTER_GRACE_MS);
      await table.engine.signal(fork.graph_id, "go", 2);
      await table.engine.signal(id, "go", 3);
      await table.pass(0);
      assert.deepEqual(await resultOf(table, fork.graph_id), [1, 2]);
      assert.deepEqual(await resultOf(table, id), [1, 3]);
      await table.store.close();
    });

    it("fail at the time limit of an attempt that hangs after its wait", async () => {
      const hangs = worker("hangs", { suspend: true, timeout: "5s", retry: { max: 1 } }, async (_: Json, ctx) => {
        await ctx.sleep("1h");
        await new Promise(() => undefined);
      });
      const table = await bench({ workers: [hangs] }, url);
      const id = await suspended(table, "hangs");
      await table.clock.advance(HOUR_MS);
      await table.pass(5000);
      assert.equal((await table.engine.snapshot(id))?.error?.reason, "timeout");
      await table.store.close();
    });

    it("are parked when the process starts with another definition", async () => {
      const { suspends } = counted("waiter", (ctx) => ctx.waitFor("go"));
      const then = worker("then", (input: Json) => input);
      const table = await bench({ graphs: [graph("changed", (g) => g.node("wait", suspends))] }, url);
      const id = await suspended(table, "changed");
      const changed = graph("changed", (g) => {
        const wait = g.node("wait", suspends);
        g.node("then", then, { after: [wait] });
      });
      await table.crash({ graphs: [changed] });
      assert.equal((await table.engine.snapshot(id))?.phase, "parked");
      await table.store.close();
    });

    it("are reported ends of children that the last process has not reported", async () => {
      const table = await bench({ graphs: [parentOfWaiting()] }, url);
      const id = await suspended(table, "parent");
      const [childView] = (await table.engine.snapshot(id))?.children ?? [];
      const { store } = table;
      // The signal to the parent is never stored.
      const graphs = new Proxy(store.graphs, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key);
          if (key === "hasSignal") return () => Promise.reject(new Error("the process dies"));
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      await table.crash({ store: { ...store, graphs } });
      await table.engine.signal(childView?.graph_id ?? "", "go", 5);
      await table.pass(0);
      assert.equal((await table.engine.snapshot(id))?.status, "running");
      await table.crash({ store });
      await table.pass(0);
      assert.equal((await table.engine.snapshot(id))?.status, "done");
      await table.store.close();
    });
  });

describe("the option suspend", () => {
  it("is refused with a value that is no boolean", () => {
    const options = { suspend: "yes" as unknown as boolean };
    assert.throws(() => worker("wrong", options, () => null), /suspend "yes"; use true or false/);
  });

  it("is refused together with isolate, whose thread keeps the attempt", () => {
    const options = { suspend: true, isolate: { module: import.meta.url } };
    assert.throws(() => worker("wrong", options, () => null), /suspend and isolate/);
  });
});
