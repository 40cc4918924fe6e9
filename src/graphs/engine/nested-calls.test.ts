/** Durable calls inside the function of a step or a transaction are errors at the call: they would wait for a pause that waits for them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { event } from "../definition/event.ts";
import { defineUpdate } from "../definition/update-definition.ts";
import type { WorkerContext } from "../definition/worker-types.ts";
import { bench, gate, nodesOf, PLACES } from "./engine.testkit.ts";
import type { Engine } from "./engine-types.ts";

const other = worker("other", () => 1);
const paid = event("paid");
const ask = defineUpdate("ask", v.null(), v.null());

const CALLS: Readonly<Record<string, (ctx: WorkerContext) => Promise<unknown>>> = {
  'ctx.step("inner")': (ctx) => ctx.step("inner", () => 1),
  "ctx.tx": (ctx) => ctx.tx(() => 1),
  "ctx.sleep": (ctx) => ctx.sleep("1h"),
  'ctx.waitFor("go")': (ctx) => ctx.waitFor("go"),
  'ctx.waitForEvent("paid")': (ctx) => ctx.waitForEvent(paid),
  'ctx.handleUpdate("ask")': (ctx) => ctx.handleUpdate(ask, () => null),
  'ctx.call("inner")': (ctx) => ctx.call("inner", other, null),
  'ctx.map("inner")': (ctx) => ctx.map("inner", [1], other),
  'ctx.artifact("a.txt")': (ctx) => ctx.artifact("a.txt", "a"),
  "ctx.setAttributes": (ctx) => ctx.setAttributes({ tier: "gold" }),
  'ctx.patched("inner")': (ctx) => ctx.patched("inner"),
  "ctx.checkpoint": (ctx) => ctx.checkpoint(),
};

for (const url of PLACES) {
  describe(`a durable call inside another one on ${url}`, () => {
    for (const [name, call] of Object.entries(CALLS))
      it(`is an error at the call: ${name}`, async () => {
        const caught: unknown[] = [];
        const outer = worker("outer", { retry: { max: 3 } }, async (_: Json, ctx) => {
          await ctx.step("first", async () => {
            await call(ctx).catch((error: unknown) => {
              caught.push([(error as { code?: string }).code, (error as Error).message]);
              throw error;
            });
          });
        });
        const { engine, store } = await bench({ workers: [outer, other], events: [paid] }, url);
        const { snapshot } = await engine.start("outer", null);
        await engine.idle();
        const message = `${name} is called inside the function of ctx.step("first"). Call it before or after, or start a run of its own with engine.start.`;
        assert.deepEqual(caught, [["SVC_NESTED_CALL", message]], "not retried");
        const ended = await engine.snapshot(snapshot.graph_id);
        assert.deepEqual([ended?.status, ended?.error?.message], ["failed", message]);
        await store.close();
      });

    it("rolls the transaction back in which it is made", async () => {
      const outer = worker("outer", async (_: Json, ctx) => {
        await ctx.tx(async () => ctx.step("inner", () => 1));
      });
      const { engine, store } = await bench({ workers: [outer] }, url);
      const { snapshot } = await engine.start("outer", null);
      await engine.idle();
      const ended = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual(
        [ended?.status, ended?.error?.message.split(".")[1], ended?.nodes.find(({ id }) => id === "outer#inner")],
        ["failed", 'step("inner") is called inside the function of ctx', undefined],
      );
      await store.close();
    });

    it("no longer holds up a pause without a grace period", async () => {
      const [started, held] = [gate(), gate()];
      const outer = worker("outer", async (_: Json, ctx) => {
        await ctx.step("first", async () => {
          started.open();
          await held.promise;
          return ctx.step("inner", () => 1).catch((error: Error) => error.message.split(" ")[0] ?? "");
        });
        return ctx.step("second", () => 2);
      });
      const { engine, store } = await bench({ workers: [outer] }, url);
      const { snapshot } = await engine.start("outer", null);
      await started.promise;
      await engine.pause(snapshot.graph_id);
      held.open();
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "paused");
      await engine.resume(snapshot.graph_id);
      await engine.idle();
      const ended = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([ended?.status, ended?.result], ["done", 2]);
      const first = (await nodesOf(store, snapshot.graph_id)).find(({ id }) => id === "outer#first");
      assert.equal(first?.result, 'ctx.step("inner")');
      await store.close();
    });

    it("in the handler of an update fails the node, and refuses no request", async () => {
      const outer = worker("outer", async (_: Json, ctx) => {
        await ctx.handleUpdate(ask, async () => ctx.step("inner", () => null));
      });
      const { engine, store } = await bench({ workers: [outer] }, url);
      const run = await engine.start(outer, null);
      await engine.idle();
      await assert.rejects(run.update(ask, null), ({ code }: { code?: string }) => code !== "SVC_UPDATE_REFUSED");
      assert.equal((await engine.snapshot(run.id))?.status, "failed");
      await store.close();
    });
  });

  describe(`a durable call beside another one on ${url}`, () => {
    it("works, in parallel and in a callback that a step has left behind", async () => {
      let later = async (): Promise<unknown> => undefined;
      const both = worker("both", async (_: Json, ctx) => {
        const parallel = await Promise.all([ctx.step("a", () => 1), ctx.step("b", () => 2), ctx.sleep("1s")]);
        await ctx.step("leaves", () => {
          const callback = new Promise<void>((resolve) => (later = async () => resolve())).then(() =>
            ctx.step("callback", () => 3),
          );
          later = ((release) => async () => (await release(), callback))(later);
        });
        return [...parallel.slice(0, 2), (await later()) as number];
      });
      const { engine, store, pass } = await bench({ workers: [both] }, url);
      const { snapshot } = await engine.start("both", null);
      await pass(1000);
      const ended = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([ended?.status, ended?.result], ["done", [1, 2, 3]]);
      await store.close();
    });

    it("works in a run of the same worker that a step starts and awaits", async () => {
      let engine: Engine;
      const tree = worker("tree", async (depth: number, ctx): Promise<number> =>
        ctx
          .step("down", async () =>
            depth === 0 ? 0 : Number(await engine.result((await engine.start("tree", depth - 1)).snapshot.graph_id)),
          )
          .then((below) => ctx.step("up", () => below + 1)),
      );
      const made = await bench({ workers: [tree] }, url);
      engine = made.engine;
      const { snapshot } = await engine.start("tree", 2);
      await engine.idle();
      const ended = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([ended?.status, ended?.result], ["done", 3]);
      await made.store.close();
    });
  });
}
