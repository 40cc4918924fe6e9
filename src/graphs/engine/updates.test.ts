import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { worker } from "../definition/definition.ts";
import { FinalError } from "../definition/final-error.ts";
import { defineUpdate } from "../definition/update-definition.ts";
import { bench, PLACES, STORES } from "./engine.testkit.ts";

const add = defineUpdate(
  "add",
  v.object({ sku: v.string(), count: v.optional(v.number(), 1) }),
  v.object({ items: v.number() }),
);

/** Takes items until it has three. */
function carts() {
  const handled: string[] = [];
  const cart = worker("cart", { retry: { max: 3, base: "1s" } }, async (_input: unknown, ctx) => {
    const skus: string[] = [];
    while (skus.length < 3) {
      const outcome = await ctx.handleUpdate(add, ({ sku, count }) => {
        handled.push(sku);
        if (sku === "gone") throw new FinalError("sold out");
        if (sku === "flaky" && handled.filter((one) => one === "flaky").length === 1) throw new Error("not yet");
        return { items: skus.length + count };
      });
      if (outcome.ok) skus.push(outcome.value.sku);
    }
    return skus.join(",");
  });
  return { cart, handled };
}

for (const url of PLACES)
  describe(`an update on ${url}`, () => {
    it("is answered by the worker, in the order of the requests, also those before the wait", async () => {
      const { cart, handled } = carts();
      const { engine, pass } = await bench({ workers: [cart] }, url);
      const run = await engine.start(cart, null, { delay: "1s" });
      const answers = Promise.all([run.update(add, { sku: "tea" }), run.update(add, { sku: "milk", count: 2 })]);
      await pass(1000);
      assert.deepEqual(await answers, [{ items: 1 }, { items: 3 }]);
      const last = run.update(add, { sku: "jam" });
      await pass(0);
      assert.deepEqual([await last, await run.result()], [{ items: 3 }, "tea,milk,jam"]);
      assert.deepEqual(handled, ["tea", "milk", "jam"]);
    });

    it("is refused with the message of a final error, and the worker continues", async () => {
      const { cart } = carts();
      const { engine, pass } = await bench({ workers: [cart] }, url);
      const run = await engine.start(cart, null);
      const refused = assert.rejects(run.update(add, { sku: "gone" }), {
        code: "SVC_UPDATE_REFUSED",
        status: 409,
        message: "sold out",
      });
      await pass(0);
      await refused;
      const answer = run.update(add, { sku: "tea" });
      await pass(0);
      assert.deepEqual(await answer, { items: 1 });
      await run.cancel();
      await pass(0);
    });

    it("is handled again by the next attempt if its handler fails", async () => {
      const { cart, handled } = carts();
      const { engine, pass } = await bench({ workers: [cart] }, url);
      const run = await engine.start(cart, null);
      const answer = run.update(add, { sku: "flaky" });
      await pass(0);
      await pass(1000);
      assert.deepEqual([await answer, handled], [{ items: 1 }, ["flaky", "flaky"]]);
      await run.cancel();
      await pass(0);
    });
  });

for (const url of STORES)
  describe(`the request of an update on ${url}`, () => {
    it("is handled once: the same key gets the same answer, also after a crash", async () => {
      const { cart, handled } = carts();
      const table = await bench({ workers: [cart] }, url);
      const run = await table.engine.start(cart, null);
      const first = run.update(add, { sku: "tea" }, { idempotencyKey: "a" });
      await table.pass(0);
      assert.deepEqual(await first, { items: 1 });
      await table.crash();
      await table.pass(0);
      const again = table.engine.update(run.id, add, { sku: "tea" }, { idempotencyKey: "a" });
      await table.pass(0);
      assert.deepEqual([await again, handled], [{ items: 1 }, ["tea"]]);
      await table.engine.cancel(run.id);
      await table.pass(0);
      assert.deepEqual(await table.engine.update(run.id, add, { sku: "tea" }, { idempotencyKey: "a" }), { items: 1 });
    });

    it("stays after its timeout, and a later call with the same key gets the answer", async () => {
      const { cart } = carts();
      const { engine, pass } = await bench({ workers: [cart] }, url);
      const run = await engine.start(cart, null, { delay: "1m" });
      const late = assert.rejects(run.update(add, { sku: "tea" }, { idempotencyKey: "a", timeout: "5s" }), {
        code: "SVC_UPDATE_TIMEOUT",
        message: /did not answer the update "add" within 5s/,
      });
      await pass(5000);
      await late;
      const answer = run.update(add, { sku: "tea" }, { idempotencyKey: "a", timeout: "2m" });
      await pass(60_000);
      assert.deepEqual(await answer, { items: 1 });
      await run.cancel();
      await pass(0);
    });

    it("fails if the run ends without an answer, or has ended", async () => {
      const idle = worker("idle", async (_input: unknown, ctx) => ctx.sleep("1m"));
      const { engine, pass } = await bench({ workers: [idle] }, url);
      const run = await engine.start(idle, null);
      const unanswered = assert.rejects(run.update(add, { sku: "tea" }, { timeout: "2m" }), {
        code: "SVC_TRANSITION",
        message: /ended before it answered the update "add"/,
      });
      await pass(60_000);
      await unanswered;
      await assert.rejects(run.update(add, { sku: "tea" }), { code: "SVC_TRANSITION" });
      await assert.rejects(engine.update("g_missing", add, { sku: "tea" }), { code: "SVC_NOT_FOUND" });
    });

    it("is not sent if the schema rejects its value, and ends with the caller's signal", async () => {
      const { cart } = carts();
      const { engine, store, pass } = await bench({ workers: [cart] }, url);
      const run = await engine.start(cart, null, { delay: "1m" });
      const wrong = { sku: 1 } as unknown as { sku: string };
      await assert.rejects(run.update(add, wrong), { code: "SVC_INVALID" });
      assert.deepEqual((await store.graphs.load([run.id]))[0]?.signals, []);
      const leave = new AbortController();
      const left = assert.rejects(run.update(add, { sku: "tea" }, { signal: leave.signal }), /left/);
      leave.abort(new Error("left"));
      await left;
      await run.cancel();
      await pass(0);
    });
  });

describe("an answer", () => {
  it("that its schema rejects fails the attempt, and not the caller", async () => {
    const strict = worker("strict", { retry: { max: 1 } }, async (_input: unknown, ctx) => {
      await ctx.handleUpdate(add, () => ({ items: "many" }) as unknown as { items: number });
    });
    const { engine, pass } = await bench({ workers: [strict] }, "memory:");
    const run = await engine.start(strict, null);
    const unanswered = assert.rejects(run.update(add, { sku: "tea" }), { code: "SVC_TRANSITION" });
    await pass(0);
    await unanswered;
    await assert.rejects(run.result(), /items/);
  });
});
