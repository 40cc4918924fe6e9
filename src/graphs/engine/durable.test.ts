import assert from "node:assert/strict";
import { getMaxListeners } from "node:events";
import { describe, it } from "node:test";
import { SimulatedClock, type Timer } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench, REMOTE, gate, PLACES, typesOf, nodesOf } from "./engine.testkit.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { WorkerContext } from "../definition/worker-types.ts";

const HOUR_MS = 3_600_000;

const nodeOf = (snapshot: Snapshot | undefined, id: string) => snapshot?.nodes.find((node) => node.id === id);
const statusOf = (snapshot: Snapshot | undefined, id: string) => nodeOf(snapshot, id)?.status;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const url of PLACES) {
  describe(`a step on ${url}`, () => {
    it("that is done does not run again in the next attempt", async () => {
      const runs: string[] = [];
      const pay = worker("pay", { retry: { max: 2, base: 10 } }, async (_: Json, ctx) => {
        const order = await ctx.step("order", () => runs.push("order"));
        await ctx.step("charge", () => {
          runs.push("charge");
          if (ctx.attempt === 1) throw new Error("the card reader is away");
        });
        return order;
      });
      const { engine, store, pass } = await bench({ workers: [pay] }, url);
      const { snapshot } = await engine.start("pay", null);
      await engine.idle();
      await pass(10);
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, runs], ["done", 1, ["order", "charge", "charge"]]);
      assert.deepEqual(
        done?.nodes.map(({ id, kind, status }) => [id, kind, status]),
        [
          ["pay", "node", "done"],
          ["pay#charge", "step", "done"],
          ["pay#order", "step", "done"],
        ],
      );
      assert.deepEqual(typesOf(await store.graphs.events(snapshot.graph_id, 3)), [
        "node.started pay",
        "node.done pay#order",
        "node.failed pay#charge",
        "node.retrying pay",
        "node.ready pay",
        "node.started pay",
        "node.done pay#charge",
        "node.done pay",
        "graph.done",
      ]);
      await store.close();
    });

    it("has a signal with any number of parallel listeners, without a leak warning of Node", async () => {
      const most: number[] = [];
      const wide = worker("wide", async (_: Json, ctx) => {
        most.push(getMaxListeners(ctx.signal));
        await ctx.step("own", ({ signal }) => most.push(getMaxListeners(signal)));
        await ctx.step("timed", ({ signal }) => most.push(getMaxListeners(signal)), { timeout: "1m" });
      });
      const { engine, store } = await bench({ workers: [wide] }, url);
      await engine.start("wide", null);
      await engine.idle();
      assert.deepEqual(most, [Infinity, Infinity, Infinity]);
      await store.close();
    });

    it("survives the process if it is done, and runs again if it was running", async () => {
      const runs: string[] = [];
      const hang = gate();
      const two = worker("two", async (_: Json, ctx) => {
        const first = await ctx.step("first", () => runs.push("first"));
        await ctx.step("second", async () => {
          runs.push("second");
          if (runs.length === 2) await hang.promise;
        });
        return first;
      });
      const table = await bench({ workers: [two] }, url);
      const { snapshot } = await table.engine.start("two", null);
      while (runs.length < 2) await turn();
      await table.crash();
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, runs], ["done", 1, ["first", "second", "second"]]);
      hang.open();
      await table.store.close();
    });

    it("is retried within the attempt, with its own timeout, under one idempotency key", async () => {
      const keys = new Set<string>();
      const tries: number[] = [];
      const ask = worker("ask", { retry: { max: 1 } }, (_: Json, ctx) =>
        ctx.step(
          "ask",
          async ({ attempt, idempotencyKey, signal }) => {
            tries.push(attempt);
            keys.add(idempotencyKey);
            if (attempt === 1) throw new Error("busy");
            if (attempt === 2) await new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
            return "answer";
          },
          { retry: { max: 3, base: 100, jitter: false }, timeout: "5s" },
        ),
      );
      const { engine, clock, store } = await bench({ workers: [ask] }, url);
      const { snapshot } = await engine.start("ask", null);
      await clock.advance(100);
      assert.deepEqual(tries, [1, 2]);
      await clock.advance(5000);
      await clock.advance(200);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, tries], ["done", "answer", [1, 2, 3]]);
      assert.deepEqual([...keys], [`${snapshot.graph_id}/ask/1/ask`]);
      const retries = (await store.graphs.events(snapshot.graph_id, 0)).filter(({ type }) => type === "node.retrying");
      assert.deepEqual(
        retries.map(({ node, data }) => [node, (data as Record<string, Json>)["message"]]),
        [
          ["ask#ask", "busy"],
          ["ask#ask", "No result within 5s"],
        ],
      );
      await store.close();
    });

    it("is retried as long as retryIf allows it", async () => {
      const asked: string[] = [];
      const picky = worker("picky", { retry: { max: 1 } }, (_: Json, ctx) =>
        ctx.step(
          "ask",
          ({ attempt }) => {
            throw new Error(`no ${attempt}`);
          },
          {
            retry: {
              max: 5,
              base: 10,
              jitter: false,
              retryIf: (error, attempt) => {
                asked.push(`${(error as Error).message} of ${attempt}`);
                return attempt < 2;
              },
            },
          },
        ),
      );
      const { engine, store, pass } = await bench({ workers: [picky] }, url);
      const { snapshot } = await engine.start("picky", null);
      await pass(1000);
      assert.deepEqual(asked, ["no 1 of 1", "no 2 of 2"]);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.error?.message, "no 2");
      await store.close();
    });

    it("fails the node at once if its key is invalid, or used twice in one attempt", async () => {
      const twice = worker("twice", async (_: Json, ctx) => {
        await ctx.step("same", () => 1);
        await ctx.step("same", () => 2);
      });
      const bad = worker("bad", (_: Json, ctx) => ctx.step("a/b", () => 1));
      const { engine, store } = await bench({ workers: [twice, bad] }, url);
      for (const [name, message] of [
        ["twice", 'The key "same" was used before in this attempt of "twice"'],
        ["bad", '"a/b" is not a valid key for ctx.step in "bad"'],
      ] as const) {
        const { snapshot } = await engine.start(name, null);
        await engine.idle();
        const failed = await engine.snapshot(snapshot.graph_id);
        assert.equal(failed?.status, "failed");
        assert.ok(failed?.error?.message.startsWith(message), failed?.error?.message);
      }
      await store.close();
    });

    it("that returns a value JSON can't represent fails with its key and node", async () => {
      const dated = worker("dated", { retry: { max: 1 } }, (_: Json, ctx) => ctx.step("now", () => new Date(0)));
      const { engine, store } = await bench({ workers: [dated] }, url);
      const { snapshot } = await engine.start("dated", null);
      await engine.idle();
      const { error } = (await engine.snapshot(snapshot.graph_id)) as Snapshot;
      assert.match(error?.message ?? "", /^the result of the step "now" of "dated" is a Date, which JSON can't carry/);
      await store.close();
    });

    it("reads undefined for state that was never set, and accepts any key", async () => {
      const keys = ["constructor", "toString", "__proto__", ""];
      const keep = worker("keep", { retry: { max: 1 } }, (_: null, ctx) => {
        const before = keys.map((key) => ctx.state.get(key) ?? null);
        for (const key of keys) ctx.state.set(key, `of ${key}`);
        return { before, after: keys.map((key) => ctx.state.get(key) ?? null) };
      });
      const { engine, store } = await bench({ workers: [keep] }, url);
      const { snapshot } = await engine.start("keep", null);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, {
        before: [null, null, null, null],
        after: keys.map((key) => `of ${key}`),
      });
      await store.close();
    });

    it("saves the state, which survives attempts and crashes from the last step or checkpoint on", async () => {
      const seen: unknown[] = [];
      const hang = gate();
      type Cursor = { at: number; note: string };
      const walk = worker("walk", { retry: { max: 3, base: 0 } }, async (_: Json, ctx: WorkerContext<Cursor>) => {
        seen.push(ctx.state.get("at"));
        if (seen.length === 1) {
          ctx.state.set("at", 1);
          await ctx.checkpoint();
          ctx.state.set("at", 2);
          await hang.promise;
        }
        if (seen.length === 2) {
          ctx.state.set("at", 3);
          throw new Error("once more");
        }
        return ctx.state.get("at") ?? null;
      });
      const table = await bench({ workers: [walk] }, url);
      const { snapshot } = await table.engine.start("walk", null);
      while (seen.length < 1 || (await nodesOf(table.store, snapshot.graph_id))[0]?.state === undefined) await turn();
      await table.crash();
      await table.engine.idle();
      await table.pass(1);
      assert.deepEqual(seen, [undefined, 1, 3]);
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.result, 3);
      await table.store.close();
    });
  });

  describe(`a sleep on ${url}`, () => {
    it("frees the worker's slot, and its node waits", async () => {
      const order: string[] = [];
      const nap = worker("nap", { concurrency: 1 }, async (input: { name: string; ms: number }, ctx) => {
        order.push(`${input.name} starts`);
        await ctx.sleep(input.ms);
        order.push(`${input.name} wakes`);
      });
      const { engine, clock, store, pass } = await bench({ workers: [nap] }, url);
      const first = await engine.start("nap", { name: "a", ms: HOUR_MS });
      const second = await engine.start("nap", { name: "b", ms: 1000 });
      await engine.idle();
      assert.deepEqual(order, ["a starts", "b starts"]);
      const sleeping = await engine.snapshot(first.snapshot.graph_id);
      assert.deepEqual([sleeping?.status, statusOf(sleeping, "nap")], ["running", "waiting"]);
      assert.equal(nodeOf(sleeping, "nap#sleep~1")?.due_ms, clock.now() + HOUR_MS);
      assert.deepEqual(engine.queueReports(), [{ worker: "nap", running: 0, waiting: 0 }]);
      await pass(1000);
      await pass(HOUR_MS);
      assert.deepEqual(order, ["a starts", "b starts", "b wakes", "a wakes"]);
      assert.equal((await engine.snapshot(second.snapshot.graph_id))?.status, "done");
      assert.equal((await engine.snapshot(first.snapshot.graph_id))?.status, "done");
      await store.close();
    });

    it("ends at its time, as does a wait, though timers fire a moment early", async () => {
      class EarlyClock extends SimulatedClock {
        override schedule(delayMs: number, run: () => void): Timer {
          return super.schedule(delayMs > 1 ? delayMs - 1 : delayMs, run);
        }
      }
      const nap = worker("nap", async (_: Json, ctx) => {
        await ctx.sleep(1000);
        return ctx.waitFor("never", { timeout: 1000 }).catch((error: Error) => error.name);
      });
      const { engine, store, pass } = await bench({ workers: [nap] }, url, new EarlyClock());
      const { snapshot } = await engine.start("nap", null);
      await engine.idle();
      await pass(1000);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "running");
      await pass(1000);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
      await store.close();
    });

    it("continues over a crash until its original time, and is not repeated", async () => {
      let starts = 0;
      const nap = worker("nap", async (_: Json, ctx) => {
        starts++;
        await ctx.sleep("1h");
        await ctx.sleep("1h");
      });
      const table = await bench({ workers: [nap] }, url);
      const { snapshot } = await table.engine.start("nap", null);
      await table.engine.idle();
      await table.pass(HOUR_MS + 10);
      await table.crash();
      await table.pass(HOUR_MS - 11);
      assert.deepEqual([starts, (await table.engine.snapshot(snapshot.graph_id))?.status], [2, "running"]);
      // Another process may still run the attempt, so the next one gets a new number.
      const attempts = url === REMOTE ? 2 : 1;
      assert.equal(nodeOf(await table.engine.snapshot(snapshot.graph_id), "nap")?.attempts, attempts);
      await table.pass(1);
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.status, "done");
      assert.equal(starts, 2);
      await table.store.close();
    });

    it("does not count towards the node's timeout", async () => {
      const nap = worker("nap", { timeout: "10s" }, async (_: Json, ctx) => {
        await ctx.sleep("1h");
        await new Promise((resolve) => setImmediate(resolve));
        return "rested";
      });
      const { engine, store, pass } = await bench({ workers: [nap] }, url);
      const { snapshot } = await engine.start("nap", null);
      await engine.idle();
      await pass(HOUR_MS);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "rested");
      await store.close();
    });

    it("until a past date does not wait, and an invalid date is rejected", async () => {
      const nap = worker("nap", { retry: { max: 1 } }, async (text: string, ctx) => {
        await ctx.sleep(new Date(text), { key: "until" });
        return "awake";
      });
      const { engine, store } = await bench({ workers: [nap] }, url);
      const { snapshot } = await engine.start("nap", "2020-01-01");
      const bad = await engine.start("nap", "soon");
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "awake");
      assert.equal(
        (await engine.snapshot(bad.snapshot.graph_id))?.error?.message,
        'ctx.sleep in "nap" was given an invalid date',
      );
      await store.close();
    });

    it("that is due during a pause ends when the run is resumed", async () => {
      const nap = worker("nap", async (_: Json, ctx) => {
        await ctx.sleep("1h");
        return "awake";
      });
      const { engine, store, pass } = await bench({ workers: [nap] }, url);
      const { snapshot } = await engine.start("nap", null);
      await engine.idle();
      const paused = await engine.pause(snapshot.graph_id);
      assert.deepEqual([paused.status, statusOf(paused, "nap")], ["paused", "waiting"]);
      await pass(2 * HOUR_MS);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "paused");
      await engine.resume(snapshot.graph_id);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "awake");
      await store.close();
    });

    it("ends with a cancelled run, and the worker can clean up", async () => {
      let isClean = false;
      const nap = worker("nap", async (_: Json, ctx) => {
        try {
          await ctx.sleep("1h");
        } finally {
          isClean = true;
        }
      });
      const { engine, store, pass } = await bench({ workers: [nap] }, url);
      const { snapshot } = await engine.start("nap", null);
      await engine.idle();
      const cancelled = await engine.cancel(snapshot.graph_id);
      assert.deepEqual(
        [cancelled.error?.reason, cancelled.nodes.map(({ status }) => status)],
        ["cancelled", ["cancelled", "cancelled"]],
      );
      await pass(2 * HOUR_MS);
      assert.equal(isClean, true);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.last_seq, cancelled.last_seq);
      await store.close();
    });
  });

  describe(`a pause during a worker's attempt, on ${url}`, () => {
    it("waits for the running step but not for the worker's end, and the attempt does not count", async () => {
      const runs: string[] = [];
      const hang = gate();
      const long = worker("long", async (_: Json, ctx) => {
        await ctx.step("one", async () => {
          runs.push("one");
          await hang.promise;
        });
        runs.push("between");
        await ctx.step("two", () => runs.push("two"));
      });
      const { engine, store } = await bench({ workers: [long] }, url);
      const { snapshot } = await engine.start("long", null);
      while (runs.length === 0) await turn();
      assert.equal((await engine.pause(snapshot.graph_id)).phase, "pausing");
      hang.open();
      await engine.idle();
      const paused = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([paused?.phase, statusOf(paused, "long"), runs], ["paused", "ready", ["one"]]);
      assert.equal(nodeOf(paused, "long")?.attempts, 0);
      await engine.resume(snapshot.graph_id);
      await engine.idle();
      assert.deepEqual([(await engine.snapshot(snapshot.graph_id))?.status, runs], ["done", ["one", "between", "two"]]);
      await store.close();
    });

    it("waits until all parallel steps have ended", async () => {
      const runs: string[] = [];
      const hang = gate();
      const both = worker("both", async (_: Json, ctx) => {
        await Promise.all([
          ctx.step("quick", () => runs.push("quick")),
          ctx.step("slow", async () => {
            await hang.promise;
            runs.push("slow");
          }),
        ]);
        await ctx.step("last", () => runs.push("last"));
      });
      const { engine, store } = await bench({ workers: [both] }, url);
      const { snapshot } = await engine.start("both", null);
      while (runs.length === 0) await turn();
      await engine.pause(snapshot.graph_id);
      hang.open();
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "paused");
      await engine.resume(snapshot.graph_id);
      await engine.idle();
      assert.deepEqual([(await engine.snapshot(snapshot.graph_id))?.status, runs], ["done", ["quick", "slow", "last"]]);
      await store.close();
    });
  });
}
