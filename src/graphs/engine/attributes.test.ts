/** Attributes of runs: set by starts and workers, for local and remote workers, and found by `engine.list`. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Attributes } from "../../storage/contract/attributes.ts";
import type { GraphQuery } from "../../storage/contract/queries.ts";
import { bench, gate, PLACES, type Bench } from "./engine.testkit.ts";
import { graph, worker } from "../definition/definition.ts";

const attributesOf = async ({ engine }: Bench, id: string): Promise<Attributes | undefined> =>
  (await engine.snapshot(id))?.attributes;

for (const url of PLACES)
  describe(`attributes on ${url}`, () => {
    it("are set at the start and by workers, where null removes one and others stay", async () => {
      const checks = worker("checks", async (_: null, ctx) => {
        await ctx.setAttributes({ risk: 0.25, isNew: true, coupon: null });
        await ctx.setAttributes({ stage: "checked" });
      });
      const table = await bench({ workers: [checks] }, url);
      const { id, snapshot } = await table.engine.start(checks, null, { attributes: { plan: "pro", coupon: "X" } });
      assert.deepEqual(snapshot.attributes, { plan: "pro", coupon: "X" });
      await table.engine.idle();
      assert.deepEqual(await attributesOf(table, id), { plan: "pro", risk: 0.25, isNew: true, stage: "checked" });
      const events = (await table.engine.events(id)).filter(({ type }) => type === "attributes");
      assert.deepEqual(
        events.map(({ node, data }) => [node, data]),
        [
          ["checks", { set: { risk: 0.25, isNew: true, coupon: null } }],
          ["checks", { set: { stage: "checked" } }],
        ],
      );
      await table.store.close();
    });

    it("are durable when the call resolves, and a replay neither repeats nor loses them", async () => {
      const seen: (string | undefined)[] = [];
      let table: Bench;
      const moves = worker("moves", async (_: null, ctx) => {
        await ctx.setAttributes({ stage: "first" });
        seen.push(String((await attributesOf(table, ctx.graphId))?.["stage"]));
        await ctx.setAttributes({ stage: "second" });
        await ctx.sleep("1h");
      });
      table = await bench({ workers: [moves] }, url);
      const { id } = await table.engine.start(moves, null);
      await table.pass(0);
      await table.crash();
      await table.pass(0);
      assert.deepEqual(seen, ["first", "second"], "a second attempt does not set the first value again");
      await table.pass(3_600_000);
      assert.deepEqual(await attributesOf(table, id), { stage: "second" });
      const changes = (await table.engine.events(id)).filter(({ type }) => type === "attributes");
      assert.equal(changes.length, 2);
      await table.store.close();
    });

    it("are set again by a later attempt with other values", async () => {
      const tries = worker("tries", { retry: { max: 2, base: 1 } }, async (_: null, ctx) => {
        await ctx.setAttributes({ attempt: ctx.attempt });
        if (ctx.attempt === 1) throw new Error("again");
      });
      const table = await bench({ workers: [tries] }, url);
      const { id } = await table.engine.start(tries, null);
      await table.pass(1000);
      assert.deepEqual(await attributesOf(table, id), { attempt: 2 });
      await table.store.close();
    });

    it("are merged if several nodes set them at the same time", async () => {
      const holds = [gate(), gate()];
      const sets = worker("sets", async (at: number, ctx) => {
        await holds[at]?.promise;
        await ctx.setAttributes({ [`node.${at}`]: at });
      });
      const both = graph("both", (g) => {
        g.node("a", sets, { input: () => 0 });
        g.node("b", sets, { input: () => 1 });
      });
      const table = await bench({ graphs: [both] }, url);
      const { id } = await table.engine.start(both, null);
      for (const hold of holds) hold.open();
      await table.engine.idle();
      assert.deepEqual(await attributesOf(table, id), { "node.0": 0, "node.1": 1 });
      await table.store.close();
    });

    it("fail the node for an invalid name or value, and for too many, with a message that names the problem", async () => {
      const given = worker("given", { retry: { max: 5 } }, async (changes: object, ctx) => {
        await ctx.setAttributes(changes as never);
      });
      const table = await bench({ workers: [given] }, url);
      const many = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`a${at}`, at]));
      for (const [changes, message] of [
        [{ "my plan": 1 }, /"given": "my plan" is not a valid name/],
        [{ plan: "x".repeat(257) }, /"plan" has 257 characters; the limit of a text is 256/],
        [{ plan: ["a"] }, /"plan" must be a text, a finite number or a boolean/],
        [{ plan: "a\nb" }, /without control characters/],
        [many, /would have 33 attributes; the limit is 32/],
      ] as const) {
        const { id } = await table.engine.start(given, changes as never);
        await table.engine.idle();
        const run = await table.engine.snapshot(id);
        assert.match(run?.error?.message ?? "", message);
        assert.deepEqual([run?.nodes[0]?.attempts, run?.attributes], [1, {}]);
      }
      await table.store.close();
    });

    it("are copied by a fork and kept by a retry", async () => {
      let isBroken = true;
      const sets = worker("sets", async (_: null, ctx) => ctx.setAttributes({ by: "sets" }));
      const fails = worker("fails", { retry: { max: 1 } }, async (_: unknown, ctx) => {
        await ctx.setAttributes({ isBroken });
        if (isBroken) throw new Error("broken");
      });
      const chain = graph("chain", (g) => g.node("fails", fails, { after: [g.node("sets", sets)] }));
      const table = await bench({ graphs: [chain] }, url);
      const { id } = await table.engine.start(chain, null, { attributes: { plan: "pro" } });
      await table.engine.idle();
      const failed = { plan: "pro", by: "sets", isBroken: true };
      assert.deepEqual(await attributesOf(table, id), failed);
      isBroken = false;
      const fork = await table.engine.fork(id, { from: "fails" });
      assert.deepEqual(fork.attributes, failed);
      await table.engine.retry(id);
      await table.engine.idle();
      for (const each of [id, fork.graph_id])
        assert.deepEqual(await attributesOf(table, each), { ...failed, isBroken: false });
      await table.store.close();
    });

    it("are queried in combination with each other and with the other filters", async () => {
      const order = worker("order", async (cents: number, ctx) => {
        await ctx.setAttributes({ cents });
        if (cents > 900) throw new Error("too much");
      });
      const other = worker("other", () => 1);
      const table = await bench({ workers: [order, other] }, url);
      const attributes = (at: number): Attributes => ({ plan: at % 2 === 0 ? "pro" : "free", isTrial: at > 2 });
      for (const [at, cents] of [100, 200, 500, 800].entries())
        await table.engine.start(order, cents, { attributes: attributes(at) });
      await table.engine.start(other, null, { attributes: { plan: "pro", cents: 500 } });
      await table.engine.idle();
      const found = async (query: GraphQuery): Promise<unknown[]> =>
        (await table.engine.list(query)).items.map(({ input }) => input);
      assert.deepEqual(await found({ attributes: { plan: "pro" } }), [null, 500, 100]);
      assert.deepEqual(await found({ attributes: { plan: "pro", cents: { gte: 500 } } }), [null, 500]);
      assert.deepEqual(await found({ attributes: { cents: { gt: 100, lt: 800 } }, worker: "order" }), [500, 200]);
      assert.deepEqual(await found({ attributes: { isTrial: true, plan: "free" }, status: "done" }), [800]);
      assert.deepEqual(await found({ attributes: { plan: "pro" }, status: "failed" }), []);
      assert.deepEqual(await found({ attributes: { plan: "500" } }), []);
      assert.deepEqual((await table.engine.durations({ attributes: { plan: "free" } })).durationsMs.length, 2);
      const bulk = await table.engine.bulk("cancel", { filter: { attributes: { plan: "pro" } }, isDryRun: true });
      assert.equal(bulk.matched, 3);
      await table.store.close();
    });
  });

describe("attributes of a start or a query", () => {
  it("are rejected if they are invalid", async () => {
    const idle = worker("idle", () => 1);
    const { engine, store } = await bench({ workers: [idle] }, "memory:");
    const invalid = (pattern: RegExp) => (error: Error & { code: string }) =>
      error.code === "SVC_INVALID" && pattern.test(error.message);
    const start = (attributes: unknown) => engine.start(idle, null, { attributes: attributes as never });
    await assert.rejects(start({ "": 1 }), invalid(/"" is not a valid name/));
    await assert.rejects(start({ n: Number.NaN }), invalid(/"n" must be a text, a finite number or a boolean/));
    await assert.rejects(start({ n: null }), invalid(/"n" must be a text/));
    await assert.rejects(start(["a"]), invalid(/"attributes" must be an object/));
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`a${at}`, at]));
    await assert.rejects(start(many), invalid(/"attributes" must be at most 32/));
    const list = (attributes: unknown) => engine.list({ attributes: attributes as never });
    await assert.rejects(list({ n: {} }), invalid(/"n" .* or bounds of a number/));
    await assert.rejects(list({ n: { min: 1 } }), invalid(/gt, gte, lt, lte/));
    await assert.rejects(list({ n: null }), invalid(/"n" must be/));
    assert.equal((await list({ n: undefined })).total, 0);
    await store.close();
  });
});
