/** Scenarios of Trigger.dev's suite: triggerdotdev/trigger.dev. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, WaitTimeoutError, worker, type Settled } from "svckit/graph";
import { HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("go"));
const double = worker("double", (n: number) => n * 2);

describe("trigger.dev", () => {
  it("a triggered run completes with its output", async () => {
    const at = await scene({ workers: [double] });
    const run = await at.engine.start(double, 21);
    assert.equal(await run.result(), 42);
    const { started_ms, finished_ms } = await run.describe();
    assert.ok(started_ms !== null && finished_ms !== null);
  });

  it("a run that waits for a child continues with its output", async () => {
    const parent = worker("parent", (n: number, ctx) => ctx.call("child", double, n));
    const at = await scene({ workers: [parent, double] });
    const run = await at.engine.start(parent, 4);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 8]);
  });

  it("two parents that wait for one run with an idempotency key both get its output", async () => {
    let calls = 0;
    const shared = worker("shared", async (_: unknown, ctx) => {
      await ctx.waitFor("go");
      return ++calls;
    });
    const parent = worker("parent", async (_: unknown, ctx) => {
      const id = await ctx.step(
        "trigger",
        async () => (await at.engine.start(shared, null, { idempotencyKey: "shared" })).id,
      );
      return ctx.step("wait", ({ signal }) => at.engine.result(id, { signal }));
    });
    const at = await scene({ workers: [parent, shared] });
    const runs = [await at.engine.start(parent, null), await at.engine.start(parent, null)];
    await at.until(async () => (await at.runs("shared")).length === 1);
    const [child] = (await at.engine.list({ worker: "shared" })).items;
    await at.engine.signal(child?.graph_id ?? "", "go");
    assert.deepEqual(await Promise.all(runs.map((run) => run.result())), [1, 1]);
  });

  it("a batch of children returns its results in order", async () => {
    const parent = worker("parent", (items: number[], ctx) => ctx.map("batch", items, double));
    const at = await scene({ workers: [parent, double] });
    const run = await at.engine.start(parent, [1, 2, 3]);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [2, 4, 6]]);
  });

  it("a batch reports the failure of one child and the outputs of the others", async () => {
    const odd = worker("odd", once, (n: number) => {
      if (n % 2 === 0) throw new Error("even");
      return n;
    });
    const parent = worker("parent", async (items: number[], ctx): Promise<unknown[]> => {
      const all: Settled<number>[] = await ctx.map("batch", items, odd, { onError: "collect" });
      return all.map((each) => (each.ok ? each.value : each.error.message));
    });
    const at = await scene({ workers: [parent, odd] });
    const run = await at.engine.start(parent, [1, 2, 3]);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [1, "even", 3]]);
  });

  it("a parent that waits gives its concurrency to its children", async () => {
    const parent = worker("parent", { concurrency: 1 }, (n: number, ctx) => ctx.call("child", double, n));
    const at = await scene({ workers: [parent, double], concurrency: 1 });
    for (const n of [1, 2, 3]) await at.engine.start(parent, n);
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("parent")).map(([, , value]) => value),
      [2, 4, 6],
    );
  });

  it("waiting for a duration occupies no worker and continues at its time", async () => {
    const nap = worker("nap", { concurrency: 1 }, async (name: string, ctx) => {
      await ctx.sleep("1m");
      return name;
    });
    const at = await scene({ workers: [nap] });
    const runs = [await at.engine.start(nap, "a"), await at.engine.start(nap, "b")];
    await at.pass(MINUTE);
    assert.deepEqual(await Promise.all(runs.map((run) => at.outcome(run))), [
      ["done", "a"],
      ["done", "b"],
    ]);
  });

  it("a restored run continues its wait where its snapshot was", async () => {
    const seen: number[] = [];
    const flow = worker("flow", async (_: unknown, ctx) => {
      for (const n of [1, 2]) {
        await ctx.step(`n${n}`, () => seen.push(n));
        await ctx.sleep("1h");
      }
      return seen.length;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(30 * MINUTE);
    await at.crash();
    await at.pass(30 * MINUTE);
    await at.crash();
    await at.pass(HOUR);
    assert.deepEqual(
      [await at.outcome(run), seen],
      [
        ["done", 2],
        [1, 2],
      ],
    );
  });

  it("a waitpoint token is completed with an output", async () => {
    const at = await scene({ workers: [hold] });
    const run = await at.engine.start(hold, null);
    await at.engine.idle();
    await run.signal("go", { status: "approved" });
    assert.deepEqual(await run.result(), { status: "approved" });
  });

  it("a waitpoint token times out", async () => {
    const flow = worker("flow", (_: unknown, ctx) =>
      ctx.waitFor("token", { timeout: "200ms" }).catch((error: unknown) => error instanceof WaitTimeoutError),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(200);
    assert.deepEqual(await at.outcome(run), ["done", true]);
  });

  it("a waitpoint that is completed twice counts once", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => [
      await ctx.waitFor("token"),
      await ctx.waitFor("token", { timeout: "1s" }).catch(() => "none"),
    ]);
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    for (const value of ["first", "second"]) await run.signal("token", value, { idempotencyKey: "token-1" });
    await at.pass(SECOND);
    assert.deepEqual(await at.outcome(run), ["done", ["first", "none"]]);
  });

  it("a run that was blocked by two waitpoints continues once both are completed", async () => {
    const flow = worker("flow", (_: unknown, ctx) => Promise.all([ctx.waitFor("a"), ctx.waitFor("b")]));
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await run.signal("b", 2);
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "running");
    await run.signal("a", 1);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [1, 2]]);
  });

  it("cancelling a run that is executing aborts it, and its children", async () => {
    const child = worker("child", (_: unknown, ctx) => untilAborted(ctx.signal));
    const parent = worker("parent", (_: unknown, ctx) => ctx.call("child", child, null));
    const at = await scene({ workers: [parent, child] });
    const run = await at.engine.start(parent, null);
    await at.until(async () => (await at.nodes(run))["parent#child"] === "running");
    await run.cancel();
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], (await at.nodes(run))["parent#child"]], ["cancelled", "cancelled"]);
  });

  it("cancelling a run that is queued ends it without an attempt", async () => {
    const flow = graph<null, unknown>("flow", (g) => g.node("hold", hold), { concurrency: 1 });
    const at = await scene({ graphs: [flow] });
    const [first, second] = [await at.engine.start(flow, null), await at.engine.start(flow, null)];
    await at.engine.idle();
    await second.cancel();
    await first.signal("go");
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(second))[0], (await second.describe()).started_ms], ["cancelled", null]);
  });
});
