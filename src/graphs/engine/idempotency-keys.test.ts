import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, PLACES } from "./engine.testkit.ts";

const once = { retry: { max: 1 } };

for (const url of PLACES) {
  describe(`an idempotency key on ${url}`, () => {
    it("of a failed node stays the same when an operator retries the run", async () => {
      const keys: string[] = [];
      let isAway = true;
      const pay = worker("pay", once, async (_: Json, ctx) => {
        keys.push(ctx.idempotencyKey(), ctx.idempotencyKey("card"));
        await ctx.step("charge", ({ idempotencyKey }) => {
          keys.push(idempotencyKey);
          if (isAway) throw new Error("no answer from the bank");
        });
        return ctx.epoch;
      });
      const { engine, store } = await bench({ workers: [pay] }, url);
      const { snapshot } = await engine.start("pay", null);
      await engine.idle();
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      isAway = false;
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result], ["done", 3]);
      const key = `${snapshot.graph_id}/pay/1`;
      const each = [key, `${key}/card`, `${key}/charge`];
      assert.deepEqual(keys, [...each, ...each, ...each]);
      await store.close();
    });

    it("changes once the node is compensated, and stays the same for the node that failed", async () => {
      const keys: string[] = [];
      const noted = (_: unknown, ctx: { idempotencyKey: () => string; graphId: string }): void =>
        void keys.push(ctx.idempotencyKey().slice(ctx.graphId.length + 1));
      const reserve = worker("reserve", { compensate: () => undefined }, noted);
      let isAway = true;
      const charge = worker("charge", once, (input: unknown, ctx) => {
        noted(input, ctx);
        if (isAway) throw new Error("declined");
      });
      const order = graph("order", (g) => {
        const reserved = g.node("reserve", reserve);
        g.node("charge", charge, { after: [reserved] });
      });
      const { engine, store } = await bench({ graphs: [order] }, url);
      const { snapshot } = await engine.start("order", null);
      await engine.idle();
      isAway = false;
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
      assert.deepEqual(keys, ["reserve/1", "charge/1", "reserve/2", "charge/1"]);
      await store.close();
    });

    it("of a called worker stays the same when an operator retries the run", async () => {
      const keys: string[] = [];
      let isAway = true;
      const charge = worker("charge", once, (_: Json, ctx) => {
        keys.push(ctx.idempotencyKey().slice(ctx.graphId.length + 1));
        if (isAway) throw new Error("declined");
      });
      const order = worker("order", once, async (_: Json, ctx) => ctx.call("card", charge, null));
      const { engine, store } = await bench({ workers: [order, charge] }, url);
      const { snapshot } = await engine.start("order", null);
      await engine.idle();
      isAway = false;
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
      assert.deepEqual(keys, ["order#card/1", "order#card/1"]);
      await store.close();
    });
  });
}
