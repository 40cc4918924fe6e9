/** Scenarios of Temporal's suites: temporalio/sdk-typescript and temporalio/features. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asWorker, CallError, graph, WaitTimeoutError, worker } from "svckit/graph";
import { DAY, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

describe("temporal", () => {
  it("a timer continues while no worker runs, and fires once", async () => {
    let woken = 0;
    const sleeper = worker("sleeper", async (_: unknown, ctx) => {
      await ctx.sleep("30d");
      return ++woken;
    });
    const at = await scene({ workers: [sleeper] });
    const run = await at.engine.start(sleeper, null);
    await at.pass(29 * DAY);
    await at.crash();
    await at.pass(DAY - SECOND);
    assert.deepEqual(await at.outcome(run), ["running", null]);
    await at.pass(SECOND);
    assert.deepEqual(await at.outcome(run), ["done", 1]);
  });

  it("a condition with a timeout reports which of both came first", async () => {
    const wait = worker("wait", async (_: unknown, ctx) => {
      const first = await ctx
        .waitFor("go", { timeout: "1m" })
        .catch((error: unknown) => error instanceof WaitTimeoutError);
      return [first, await ctx.waitFor("go", { timeout: "1m" })];
    });
    const at = await scene({ workers: [wait] });
    const run = await at.engine.start(wait, null);
    await at.pass(MINUTE);
    await run.signal("go", "came");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [true, "came"]]);
  });

  it("a race has the same winner after a replay", async () => {
    const winners: string[] = [];
    const race = worker("race", async (_: unknown, ctx) => {
      const both = [ctx.sleep("1m").then(() => "timer"), ctx.waitFor("go").then(() => "signal")];
      winners.push(await Promise.race(both));
      await Promise.all(both);
      await ctx.waitFor("end");
    });
    const at = await scene({ workers: [race] });
    const run = await at.engine.start(race, null);
    await at.engine.idle();
    await run.signal("go");
    await at.pass(MINUTE);
    await at.crash();
    await at.engine.idle();
    assert.deepEqual(winners, ["signal", "signal"]);
  });

  it("a call that fails before it is awaited does not end the process", async () => {
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      const [failing, open] = [
        ctx.step("failing", () => Promise.reject(new Error("root failure"))),
        ctx.waitFor("stop"),
      ];
      await ctx.waitFor("go");
      await Promise.all([failing, open]);
    });
    const at = await scene({ workers: [flow] });
    const [failed, cancelled] = [await at.engine.start(flow, null), await at.engine.start(flow, null)];
    await at.engine.idle();
    await failed.signal("go");
    await cancelled.cancel();
    await at.engine.idle();
    assert.deepEqual(
      [await at.outcome(failed), (await at.outcome(cancelled))[0]],
      [["failed", "root failure"], "cancelled"],
    );
  });

  it("cancellation reaches a running activity", async () => {
    let reason = "";
    const busy = worker("busy", (_: unknown, ctx) =>
      untilAborted(ctx.signal).catch((error: Error) => {
        reason = error.message;
        throw error;
      }),
    );
    const at = await scene({ workers: [busy] });
    const run = await at.engine.start(busy, null);
    await at.clock.advance(0);
    await run.cancel();
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "cancelled");
    assert.match(reason, /cancel/i);
  });

  it("cleanup that must not be cancelled runs after a cancellation", async () => {
    const done: string[] = [];
    const reserve = worker("reserve", { compensate: () => void done.push("released") }, () => "reserved");
    const ship = worker("ship", { onCancel: () => void done.push("stopped") }, (_: unknown, ctx) => ctx.waitFor("go"));
    const order = graph("order", (g) => g.node("ship", ship, { after: [g.node("reserve", reserve)] }));
    const at = await scene({ graphs: [order] });
    const run = await at.engine.start(order, null);
    await at.engine.idle();
    await run.cancel();
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], done], ["cancelled", ["stopped", "released"]]);
  });

  it("a workflow that is cancelled before it starts runs nothing", async () => {
    const seen: unknown[] = [];
    const note = worker("note", (input: unknown) => void seen.push(input));
    const at = await scene({ workers: [note] });
    const run = await at.engine.start(note, 1, { delay: "1h" });
    await run.cancel();
    await at.pass(DAY);
    assert.deepEqual([(await at.outcome(run))[0], seen], ["cancelled", []]);
  });

  it("terminate ends a workflow without its cleanup", async () => {
    const done: string[] = [];
    const hang = worker("hang", { onCancel: () => void done.push("cleanup") }, (_: unknown, ctx) => ctx.waitFor("go"));
    const at = await scene({ workers: [hang] });
    const run = await at.engine.start(hang, null);
    await at.engine.idle();
    await run.terminate({ note: "stuck" });
    await at.engine.idle();
    assert.deepEqual([await at.outcome(run), done], [["cancelled", "Terminated by an operator"], []]);
  });

  it("a child workflow returns its result to its parent", async () => {
    const child = graph<number, number>("child", (g) =>
      g.node(
        "double",
        worker("double", (n: number) => n * 2),
      ),
    );
    const parent = worker("parent", (n: number, ctx) => ctx.call("child", asWorker(child), n));
    const at = await scene({ workers: [parent], graphs: [child] });
    const run = await at.engine.start(parent, 21);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 42]);
    assert.deepEqual(
      (await run.describe()).children.map(({ worker, status }) => [worker, status]),
      [["child", "done"]],
    );
  });

  it("the failure of a child reaches its parent, which may catch it", async () => {
    const bad = worker("bad", once, (): number => {
      throw new Error("failure");
    });
    const child = graph<null, number>("child", (g) => g.node("bad", bad));
    const parent = worker("parent", (_: unknown, ctx) =>
      ctx.call("child", asWorker(child), null).catch((error: unknown) => error instanceof CallError && error.message),
    );
    const at = await scene({ workers: [parent], graphs: [child] });
    const run = await at.engine.start(parent, null);
    await at.engine.idle();
    const [state, caught] = await at.outcome(run);
    assert.equal(state, "done");
    assert.match(String(caught), /failure/);
  });

  it("a terminated child fails its parent", async () => {
    const child = graph("child", (g) =>
      g.node(
        "wait",
        worker("wait", (_: unknown, ctx) => ctx.waitFor("go")),
      ),
    );
    const parent = graph("parent", (g) => g.node("child", child));
    const at = await scene({ graphs: [parent, child] });
    const run = await at.engine.start(parent, null);
    await at.engine.idle();
    const [started] = (await at.engine.list({ worker: "child" })).items;
    await at.engine.terminate(started?.graph_id ?? "");
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "failed");
  });

  it("cancelling a parent cancels its child", async () => {
    const child = graph("child", (g) =>
      g.node(
        "wait",
        worker("wait", (_: unknown, ctx) => ctx.waitFor("go")),
      ),
    );
    const parent = graph("parent", (g) => g.node("child", child));
    const at = await scene({ graphs: [parent, child] });
    const run = await at.engine.start(parent, null);
    await at.engine.idle();
    await run.cancel();
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("child")).map(([, state]) => state),
      ["cancelled"],
    );
  });

  it("an abandoned child outlives its parent", async () => {
    const child = worker("child", (_: unknown, ctx) => ctx.waitFor("go"));
    const parent = worker("parent", async (_: unknown, ctx) => {
      await ctx.step(
        "start",
        async ({ idempotencyKey }) => (await at.engine.start(child, null, { idempotencyKey })).id,
      );
      await ctx.waitFor("go");
    });
    const at = await scene({ workers: [parent, child] });
    const run = await at.engine.start(parent, null);
    await at.engine.idle();
    await run.cancel();
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("child")).map(([, state]) => state),
      ["running"],
    );
  });
});
