import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench, gate, nodesOf, PLACES } from "./engine.testkit.ts";

const once = { retry: { max: 1 } };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const url of PLACES) {
  describe(`a race of steps on ${url}`, () => {
    it("has the same winner after a restart", async () => {
      const winners: Json[] = [];
      const slow = gate();
      const race = worker("race", once, async (_: Json, ctx) => {
        const both = [ctx.step("first", () => slow.promise.then(() => "first")), ctx.step("second", () => "second")];
        winners.push(await Promise.race(both));
        slow.open();
        await Promise.all(both);
        await ctx.waitFor("go");
        return winners.at(-1) as Json;
      });
      const table = await bench({ workers: [race] }, url);
      const { snapshot } = await table.engine.start("race", null);
      await table.engine.idle();
      await table.crash();
      await table.engine.idle();
      await table.engine.signal(snapshot.graph_id, "go", null);
      await table.engine.idle();
      assert.deepEqual(winners, ["second", "second"]);
      await table.store.close();
    });

    it("and a sleep has the same winner after a restart", async () => {
      const winners: Json[] = [];
      const race = worker("race", once, async (_: Json, ctx) => {
        const [nap, signal] = [ctx.sleep("1m").then(() => "nap"), ctx.waitFor("early").then(() => "signal")];
        winners.push(await Promise.race([nap, signal]));
        await Promise.all([nap, signal]);
        await ctx.waitFor("go");
      });
      const table = await bench({ workers: [race] }, url);
      const { snapshot } = await table.engine.start("race", null);
      await table.engine.idle();
      await table.engine.signal(snapshot.graph_id, "early", null);
      await table.engine.idle();
      await table.pass(60_000);
      await table.crash();
      await table.engine.idle();
      assert.deepEqual(winners, ["signal", "signal"]);
      await table.store.close();
    });
  });

  describe(`the error of a step on ${url}`, () => {
    it("that the worker has caught is caught again after a restart, and the step does not run again", async () => {
      const calls: string[] = [];
      const caught: unknown[] = [];
      const pay = worker("pay", once, async (_: Json, ctx) => {
        try {
          await ctx.step("card", () => {
            calls.push("card");
            throw Object.assign(new Error("declined"), { name: "CardError" });
          });
        } catch (error) {
          const { name, message } = error as Error;
          caught.push([name, message]);
          await ctx.step("invoice", () => calls.push("invoice"));
        }
        await ctx.waitFor("go");
      });
      const table = await bench({ workers: [pay] }, url);
      const { snapshot } = await table.engine.start("pay", null);
      await table.engine.idle();
      await table.crash();
      await table.engine.idle();
      await table.engine.signal(snapshot.graph_id, "go", null);
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.status, "done");
      assert.deepEqual(calls, ["card", "invoice"]);
      assert.deepEqual(caught, [
        ["CardError", "declined"],
        ["CardError", "declined"],
      ]);
      await table.store.close();
    });

    it("of a transaction is caught again after a restart", async () => {
      let calls = 0;
      const write = worker("write", once, async (_: Json, ctx) => {
        const failed = await ctx
          .tx(() => {
            calls++;
            throw new Error("no such account");
          })
          .catch((error: Error) => error.message);
        await ctx.waitFor("go");
        return failed as Json;
      });
      const table = await bench({ workers: [write] }, url);
      const { snapshot } = await table.engine.start("write", null);
      await table.engine.idle();
      await table.crash();
      await table.engine.idle();
      await table.engine.signal(snapshot.graph_id, "go", null);
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, calls], ["done", "no such account", 1]);
      await table.store.close();
    });

    it("does not outlive its attempt: the next one runs the step again", async () => {
      const attempts: number[] = [];
      const pay = worker("pay", { retry: { max: 3, base: 10 } }, (_: Json, ctx) =>
        ctx.step("card", () => {
          attempts.push(ctx.attempt);
          if (ctx.attempt < 3) throw new Error("busy");
          return "paid";
        }),
      );
      const { engine, store, pass } = await bench({ workers: [pay] }, url);
      const { snapshot } = await engine.start("pay", null);
      await engine.idle();
      await pass(10);
      await pass(20);
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, attempts], ["done", "paid", [1, 2, 3]]);
      const row = (await nodesOf(store, snapshot.graph_id)).find(({ id }) => id === "pay#card");
      assert.deepEqual([row?.status, row?.error, row?.result], ["done", undefined, "paid"]);
      await store.close();
    });

    it("that is final is final after a restart as well", async () => {
      const { FinalError } = await import("../definition/final-error.ts");
      const held = gate();
      let attempts = 0;
      const pay = worker("pay", { retry: { max: 3, base: 10 } }, async (_: Json, ctx) => {
        attempts++;
        try {
          await ctx.step("card", () => {
            throw new FinalError("stolen");
          });
        } catch (error) {
          if (attempts === 1) await held.promise;
          throw error;
        }
      });
      const table = await bench({ workers: [pay] }, url);
      const { snapshot } = await table.engine.start("pay", null);
      while (!(await nodesOf(table.store, snapshot.graph_id)).some(({ id }) => id === "pay#card")) await turn();
      await table.crash();
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.error?.message, attempts], ["failed", "stolen", 2]);
      held.open();
      await table.store.close();
    });
  });

  describe(`a key on ${url}`, () => {
    for (const [call, name] of [
      ["wait", "ctx.waitFor"],
      ["sleep", "ctx.sleep"],
      ["call", "ctx.call"],
      ["map", "ctx.map"],
      ["tx", "ctx.tx"],
      ["artifact", "ctx.artifact"],
    ] as const) {
      it(`of a step is refused for ${name} by an error that names both`, async () => {
        const other = worker("other", () => "other");
        let isChanged = false;
        const odd = worker("odd", once, async (_: Json, ctx) => {
          if (!isChanged) {
            await ctx.step("k", () => "old");
            return ctx.waitFor("go");
          }
          if (call === "wait") return ctx.waitFor("approval", { key: "k" });
          if (call === "sleep") return ctx.sleep("1s", { key: "k" }).then(() => null);
          if (call === "call") return ctx.call("k", other, null);
          if (call === "map") return ctx.map("k", [1], other);
          if (call === "tx") return ctx.tx(() => 1, { key: "k" });
          return ctx.artifact("k", "text").then(({ name }) => name);
        });
        const table = await bench({ workers: [odd, other] }, url);
        const { snapshot } = await table.engine.start("odd", null);
        await table.engine.idle();
        isChanged = true;
        await table.crash();
        await table.engine.idle();
        const done = await table.engine.snapshot(snapshot.graph_id);
        assert.equal(done?.status, "failed");
        assert.match(done?.error?.message ?? "", /The key "k" of ctx\.\w+ in "odd" has an outcome of ctx\.step/);
        assert.ok(done?.error?.message.includes(name));
        await table.store.close();
      });
    }

    it("of ctx.map is refused for ctx.call", async () => {
      const other = worker("other", () => "other");
      let isChanged = false;
      const odd = worker("odd", once, async (_: Json, ctx) => {
        if (isChanged) return ctx.call("k", other, null);
        await ctx.map("k", [1], other);
        return ctx.waitFor("go");
      });
      const table = await bench({ workers: [odd, other] }, url);
      const { snapshot } = await table.engine.start("odd", null);
      await table.engine.idle();
      isChanged = true;
      await table.crash();
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.match(done?.error?.message ?? "", /The key "k" of ctx\.call in "odd" has an outcome of ctx\.map/);
      await table.store.close();
    });
  });
}
