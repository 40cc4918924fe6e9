import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { graph, worker } from "../definition/definition.ts";
import { defineSignal } from "../definition/signal-definition.ts";
import { bench, PLACES, STORES } from "./engine.testkit.ts";

const double = worker("double", (n: number) => n * 2);
const doubled = graph<number, number>("doubled", (g) => g.node("double", double));

describe("a start by definition", () => {
  it("returns a handle with the run's result", async () => {
    const { engine, pass } = await bench({ workers: [double], graphs: [doubled] }, "memory:");
    const run = await engine.start(doubled, 4);
    const alone = await engine.start(double, 5);
    await pass(0);
    assert.deepEqual([await run.result(), await alone.result()], [8, 10]);
    assert.deepEqual([run.created, run.id === run.snapshot.graph_id], [true, true]);
    assert.equal((await run.describe()).status, "done");
    assert.equal(await engine.getHandle(doubled, run.id).result(), 8);
    assert.equal(await engine.getHandle(run.id).result(), 8);
  });

  it("reports a missing run with the first call of its handle", async () => {
    const { engine } = await bench({ graphs: [doubled] }, "memory:");
    const handle = engine.getHandle("g_missing");
    await assert.rejects(handle.describe(), { code: "SVC_NOT_FOUND" });
    await assert.rejects(handle.result(), { code: "SVC_NOT_FOUND" });
  });

  it("starts the version that was given, and by name the last one", async () => {
    const old = graph<number, number>("versioned", (g) => g.node("double", double), { version: "1" });
    const next = graph<number, number>(
      "versioned",
      (g) => {
        const first = g.node("double", double);
        return g.node(
          "again",
          worker("again", (deps: { double: number }) => deps.double * 2),
          { after: [first] },
        );
      },
      { version: "2" },
    );
    const { engine, pass } = await bench({ graphs: [old, next] }, "memory:");
    const runs = [await engine.start(old, 1), await engine.start(next, 1), await engine.start("versioned", 1)];
    await pass(0);
    assert.deepEqual(await Promise.all(runs.map((run) => run.result())), [2, 4, 4]);
  });

  it("is rejected for a definition that the engine does not list", async () => {
    const { engine } = await bench({ graphs: [doubled] }, "memory:");
    await assert.rejects(engine.start(double, 1), { code: "SVC_NOT_FOUND", message: /known: doubled/ });
    const other = graph<number, number>("doubled", (g) => g.node("other", double));
    await assert.rejects(engine.start(other, 1), {
      code: "SVC_DEFINITION",
      message: /"doubled" is not the one that the app lists/,
    });
  });

  it("accepts a definition from another copy of its module", async () => {
    const { engine, pass } = await bench({ graphs: [doubled] }, "memory:");
    const copy = graph<number, number>("doubled", (g) =>
      g.node(
        "double",
        worker("double", (n: number) => n * 2),
      ),
    );
    const run = await engine.start(copy, 3);
    await pass(0);
    assert.equal(await run.result(), 6);
  });
});

const approval = defineSignal("approval", v.object({ isApproved: v.boolean(), note: v.optional(v.string(), "none") }));
const publish = worker("publish", async (_input: unknown, ctx) => {
  const { isApproved, note } = await ctx.waitFor(approval, { timeout: "1d" });
  return `${isApproved} ${note}`;
});

for (const url of PLACES)
  describe(`a defined signal on ${url}`, () => {
    it("is received with its schema's output, also if it was sent before the wait", async () => {
      const { engine, pass } = await bench({ workers: [publish] }, url);
      const early = await engine.start(publish, null, { delay: "1s" });
      await early.signal(approval, { isApproved: true, note: "fine" });
      const late = await engine.start(publish, null);
      await pass(1000);
      await late.signal(approval, { isApproved: false });
      await pass(0);
      assert.deepEqual([await early.result(), await late.result()], ["true fine", "false none"]);
    });

    it("is not sent if its schema rejects the value, even if no worker waits for it", async () => {
      const { engine, store, pass } = await bench({ workers: [publish] }, url);
      const run = await engine.start(publish, null, { delay: "1s" });
      const wrong = { isApproved: "yes" } as unknown as { isApproved: boolean };
      await assert.rejects(run.signal(approval, wrong), (error: { code: string; issues: { path: unknown }[] }) => {
        assert.deepEqual([error.code, error.issues[0]?.path], ["SVC_INVALID", ["isApproved"]]);
        return true;
      });
      assert.deepEqual((await store.graphs.load([run.id]))[0]?.signals, []);
      await run.cancel();
      await pass(0);
    });
  });

describe("a signal definition", () => {
  it("is rejected for an invalid name or schema", () => {
    assert.throws(() => defineSignal("a b"), { code: "SVC_DEFINITION", message: /not a valid name for a signal/ });
    assert.throws(() => defineSignal("a", {} as never), { code: "SVC_DEFINITION", message: /Standard Schema/ });
  });
});

const item = defineSignal<string>("item");
const cart = worker("cart", async (input: { customer: string }, ctx) => {
  const items = [await ctx.waitFor(item), await ctx.waitFor(item)];
  return `${input.customer}: ${items.join(", ")}`;
});

for (const url of STORES)
  describe(`signalWithStart on ${url}`, () => {
    it("starts one run for a key and sends each signal to it", async () => {
      const { engine, pass } = await bench({ workers: [cart] }, url);
      const first = await engine.signalWithStart(
        cart,
        { customer: "Ada" },
        { signal: item, value: "tea", idempotencyKey: "cart-1", signalKey: "1" },
      );
      await pass(0);
      const again = await engine.signalWithStart(
        cart,
        { customer: "Ada" },
        { signal: item, value: "tea", idempotencyKey: "cart-1", signalKey: "1" },
      );
      const second = await engine.signalWithStart(
        cart,
        { customer: "somebody else" },
        { signal: item, value: "milk", idempotencyKey: "cart-1" },
      );
      await pass(0);
      assert.deepEqual([first.created, again.created, second.created], [true, false, false]);
      assert.deepEqual(new Set([first.id, again.id, second.id]).size, 1);
      assert.equal(await first.result(), "Ada: tea, milk");
      await assert.rejects(
        engine.signalWithStart(cart, { customer: "Ada" }, { signal: item, value: "jam", idempotencyKey: "cart-1" }),
        { code: "SVC_TRANSITION" },
      );
    });

    it("stores the start and the signal in one commit, with both events", async () => {
      const { engine, store, crash, pass } = await bench({ workers: [cart] }, url);
      const run = await engine.signalWithStart(
        cart,
        { customer: "Ada" },
        { signal: item, value: "tea", idempotencyKey: "cart-1", delay: "1s", by: "ada" },
      );
      const events = await store.graphs.events(run.id, 0);
      assert.deepEqual(
        events.map(({ seq, type, data }) => [seq, type, data]),
        [
          [1, "graph.queued", { by: "ada" }],
          [2, "graph.signal", { name: "item", by: "ada" }],
        ],
      );
      await crash();
      await pass(1000);
      const [stored] = await store.graphs.load([run.id]);
      assert.equal(stored?.nodes.find(({ id }) => id === "cart#item")?.result, "tea");
    });

    it("starts one run for concurrent calls with one key", async () => {
      const { engine, pass } = await bench({ workers: [cart] }, url);
      const send = (value: string) =>
        engine.signalWithStart(cart, { customer: "Ada" }, { signal: item, value, idempotencyKey: "cart-2" });
      const runs = await Promise.all([send("tea"), send("milk")]);
      await pass(0);
      assert.equal(new Set(runs.map(({ id }) => id)).size, 1);
      assert.match(String(await runs[0]?.result()), /^Ada: (tea, milk|milk, tea)$/);
    });
  });
