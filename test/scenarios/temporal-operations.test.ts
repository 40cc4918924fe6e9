/** Scenarios of Temporal's suites: temporalio/sdk-typescript and temporalio/features. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createEngine, graph, openStore, SimulatedClock, worker } from "svckit/graph";
import { gate, HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const echo = worker("echo", (input: unknown) => input);

describe("temporal", () => {
  it("patched code runs only in workflows that reach it for the first time", async () => {
    const ran: string[] = [];
    const version = (isNew: boolean) =>
      worker("order", async (name: string, ctx) => {
        await ctx.step("reserve", () => void ran.push(`${name} reserve`));
        if (isNew && (await ctx.patched("stock"))) await ctx.step("stock", () => void ran.push(`${name} stock`));
        await ctx.waitFor("go");
      });
    const at = await scene({ workers: [version(false)] });
    await at.engine.start("order", "old");
    await at.engine.idle();
    await at.crash({ workers: [version(true)] });
    await at.engine.start("order", "new");
    await at.engine.idle();
    assert.deepEqual(ran, ["old reserve", "new reserve", "new stock"]);
  });

  it("search attributes are set at the start, changed and removed by the workflow, and searched", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.waitFor("change");
      await ctx.setAttributes({ keyword: "new", int: 2, bool: null, double: 2.34 });
      await ctx.waitFor("go");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null, { attributes: { keyword: "old", int: 123, bool: true } });
    await at.engine.idle();
    await run.signal("change");
    await at.engine.idle();
    await at.crash();
    assert.deepEqual((await run.describe()).attributes, { keyword: "new", int: 2, double: 2.34 });
    const found = async (attributes: object): Promise<number> =>
      (await at.engine.list({ status: "running", attributes: { ...attributes } })).total;
    assert.deepEqual(
      [await found({ keyword: "new", int: { lt: 3 } }), await found({ bool: true }), await found({ keyword: "old" })],
      [1, 0, 0],
    );
  });

  it("a pinned workflow continues with the version it was started with", async () => {
    const version = (name: string) =>
      graph<null, string>(
        "order",
        (g) =>
          g.node(
            "ship",
            worker(`ship-${name}`, async (_: unknown, ctx) => {
              await ctx.waitFor("go");
              return name;
            }),
          ),
        { version: name },
      );
    const at = await scene({ graphs: [version("v1")] });
    const old = await at.engine.start("order", null);
    await at.engine.idle();
    await at.crash({ graphs: [version("v1"), version("v2")] });
    const next = await at.engine.start("order", null);
    for (const { id } of [old, next]) await at.engine.signal(id, "go");
    await at.engine.idle();
    assert.deepEqual(
      [await at.outcome(old), await at.outcome(next)],
      [
        ["done", "v1"],
        ["done", "v2"],
      ],
    );
  });

  it("a workflow id in use returns the existing workflow", async () => {
    const at = await scene({ workers: [echo] });
    const start = (input: number) => at.engine.start(echo, input, { idempotencyKey: "order-1" });
    const first = await start(1);
    await first.result();
    const second = await start(1);
    assert.deepEqual([second.id, second.created], [first.id, false]);
    await assert.rejects(start(2), { code: "SVC_KEY_REUSED", status: 409 });
  });

  it("a local activity is retried within its workflow", async () => {
    const attempts: number[] = [];
    const flow = worker("flow", async (_: unknown, ctx) =>
      ctx.step(
        "local",
        ({ attempt }) => {
          attempts.push(attempt);
          if (attempt < 3) throw new Error("busy");
          return "done";
        },
        { retry: { max: 3, base: "1s" } },
      ),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual(
      [await at.outcome(run), attempts],
      [
        ["done", "done"],
        [1, 2, 3],
      ],
    );
    assert.equal((await run.describe()).nodes.find(({ id }) => id === "flow")?.attempts, 1);
  });

  it("a workflow that exceeds its execution timeout fails", async () => {
    const order = graph(
      "order",
      (g) =>
        g.node(
          "wait",
          worker("wait", (_: unknown, ctx) => ctx.waitFor("go")),
        ),
      {
        timeout: "1h",
      },
    );
    const at = await scene({ graphs: [order] });
    const run = await at.engine.start(order, null);
    await at.pass(HOUR);
    assert.deepEqual([(await at.outcome(run))[0], (await run.describe()).error?.reason], ["failed", "timeout"]);
  });

  it("an activity is completed later by another client", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.step("request", ({ idempotencyKey }) => idempotencyKey);
      return ctx.waitFor("completed");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await at.crash();
    await at.engine.signal(run.id, "completed", { receipt: 17 });
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", { receipt: 17 }]);
  });

  it("the client gets the failure of the workflow with its cause", async () => {
    const pay = worker("pay", once, () => {
      throw new Error("Fail me");
    });
    const order = graph("order", (g) => g.node("pay", pay));
    const at = await scene({ graphs: [order] });
    const run = await at.engine.start(order, null);
    await assert.rejects(run.result(), { name: "CallError", node: "pay", reason: "error", message: /Fail me/ });
  });

  it("a thrown value that is no error fails the workflow", async () => {
    const thrown: unknown[] = [{ plainObject: true }, Object.create(null), 7n, undefined];
    const odd = worker("odd", once, (index: number) => {
      throw thrown[index];
    });
    const at = await scene({ workers: [odd] });
    for (const index of thrown.keys()) await at.engine.start(odd, index);
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("odd")).map(([, state]) => state),
      ["failed", "failed", "failed", "failed"],
    );
  });

  it("a sleep with an invalid duration throws in the workflow", async () => {
    const sleeper = worker("sleeper", (duration: string, ctx) =>
      ctx.sleep(duration).then(
        () => "slept",
        () => "caught",
      ),
    );
    const at = await scene({ workers: [sleeper] });
    const run = await at.engine.start(sleeper, "three days");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "caught"]);
  });

  it("a query reads the state of a running workflow", async () => {
    const flow = worker<unknown, void, { isBlocked: boolean }>("flow", async (_, ctx) => {
      ctx.state.set("isBlocked", true);
      ctx.summary("blocked");
      await ctx.waitFor("unblock");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(SECOND);
    assert.deepEqual((await at.engine.node(run.id, "flow"))?.state, { isBlocked: true });
    assert.equal((await run.describe()).summary, "blocked");
  });

  it("a random value is the same after a replay", async () => {
    const plain = new Set<number>();
    const stored = new Set<number>();
    const flow = worker("flow", async (_: unknown, ctx) => {
      plain.add(Math.random());
      stored.add(await ctx.step("random", () => Math.random()));
      await ctx.waitFor("go");
    });
    const at = await scene({ workers: [flow] });
    await at.engine.start(flow, null);
    await at.engine.idle();
    await at.crash();
    await at.engine.idle();
    assert.deepEqual([plain.size, stored.size], [2, 1]);
  });

  it("a loop that continues as new never ends by the length of its history", async () => {
    const count = worker("count", async (_: unknown, ctx) => {
      for (let n = 0; n < 300; n++) await ctx.step(`n${n}`, () => n);
      return "counted";
    });
    const at = await scene({ workers: [count] });
    const run = await at.engine.start(count, null);
    assert.equal(await run.result(), "counted");
    assert.equal(Object.keys(await at.nodes(run)).length, 301);
  });

  it("a schedule runs at its times, and not while it is paused", async () => {
    const at = await scene({
      workers: [echo],
      schedules: [{ name: "hourly", cron: "0 * * * *", worker: "echo", input: 1 }],
    });
    await at.engine.recover();
    await at.pass(2 * HOUR);
    await at.engine.schedule.pause("hourly");
    await at.pass(2 * HOUR);
    await at.engine.schedule.resume("hourly");
    await at.pass(HOUR);
    assert.equal((await at.runs("echo")).length, 3);
  });

  it("a schedule is backfilled for a period, once", async () => {
    const at = await scene({
      workers: [echo],
      schedules: [{ name: "hourly", cron: "0 * * * *", worker: "echo", input: 1 }],
    });
    await at.engine.recover();
    const untilMs = at.clock.now() - 1;
    const period = { fromMs: untilMs - 3 * HOUR, untilMs };
    const first = await at.engine.schedule.backfill("hourly", period);
    const second = await at.engine.schedule.backfill("hourly", period);
    await at.engine.idle();
    assert.deepEqual([first.started.length, second.started.length, second.known], [3, 0, 3]);
    assert.equal((await at.runs("echo")).length, 3);
  });

  it("the overlap policy buffers one run while the last one is active", async () => {
    const hold = gate();
    const slow = worker("slow", () => hold.promise);
    const at = await scene({
      workers: [slow],
      schedules: [{ name: "often", cron: "* * * * *", worker: "slow", overlap: "buffer" }],
    });
    await at.engine.recover();
    await at.clock.advance(5 * MINUTE);
    assert.equal((await at.runs("slow")).length, 1);
    hold.open();
    await at.until(async () => (await at.runs("slow")).length === 2);
  });

  it("a codec encrypts the payloads of a workflow in its history", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-codec-"));
    const file = join(folder, "svc.db");
    const payloadKeys = [{ id: "2026-11", secret: "k".repeat(32) }];
    const store = await openStore(`sqlite:${file}`, { payloadKeys });
    const engine = createEngine({ store, workers: [echo], clock: new SimulatedClock() });
    const run = await engine.start(echo, "a secret");
    assert.equal(await run.result(), "a secret");
    await engine.close();
    await store.close();
    assert.ok(!readFileSync(file, "latin1").includes("a secret"));
    rmSync(folder, { recursive: true });
  });

  it("a worker that shuts down gives its activities time, and the rest continues elsewhere", async () => {
    const hold = gate();
    const calls: number[] = [];
    const quick = worker("quick", () => hold.promise.then(() => "in time"));
    const stuck = worker("stuck", async (_: unknown, ctx) => {
      calls.push(ctx.attempt);
      return calls.length === 1 ? untilAborted(ctx.signal) : "again";
    });
    const at = await scene({ workers: [quick, stuck] });
    const [first, second] = [await at.engine.start(quick, null), await at.engine.start(stuck, null)];
    await at.clock.advance(0);
    const closed = at.engine.close(10 * SECOND);
    hold.open();
    await at.clock.advance(10 * SECOND);
    await closed;
    await at.crash();
    await at.engine.idle();
    assert.deepEqual(
      [await at.outcome(first), await at.outcome(second)],
      [
        ["done", "in time"],
        ["done", "again"],
      ],
    );
  });
});
