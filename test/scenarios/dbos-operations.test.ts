/** Scenarios of DBOS's suite: dbos-inc/dbos-transact-ts. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { event, graph, worker } from "svckit/graph";
import { DAY, HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const echo = worker("echo", (input: unknown) => input);

describe("dbos", () => {
  it("a scheduled workflow runs once for each time, also if two recoveries find it due", async () => {
    const schedules = [{ name: "tick", cron: "* * * * *", worker: "echo", catchUp: "all" as const }];
    const at = await scene({ workers: [echo], schedules });
    await at.engine.recover();
    await at.pass(2 * MINUTE);
    await at.crash();
    await at.pass(MINUTE);
    await at.crash();
    await at.pass(MINUTE);
    const times = (await at.runs("echo")).map(([input]) => (input as { scheduled_ms: number }).scheduled_ms);
    assert.deepEqual([times.length, new Set(times).size], [4, 4]);
  });

  it("a scheduled workflow makes up for the times that it missed", async () => {
    const schedules = [
      { name: "tick", cron: "0 * * * *", worker: "echo", catchUp: "all" as const, overlap: "allow" as const },
    ];
    const at = await scene({ workers: [echo], schedules });
    await at.engine.recover();
    await at.pass(HOUR);
    await at.engine.close();
    await at.clock.advance(5 * HOUR);
    await at.crash();
    await at.pass(SECOND);
    assert.equal((await at.runs("echo")).length, 6);
  });

  it("a debounced workflow runs once with the last input", async () => {
    const saved = event<{ doc: string; text: string }>("saved");
    const index = graph<{ doc: string; text: string }, string>(
      "index",
      (g) =>
        g.node(
          "index",
          worker("index", ({ text }: { text: string }) => text),
        ),
      {
        on: saved,
        debounce: { period: "10s", key: ({ doc }) => doc },
      },
    );
    const at = await scene({ graphs: [index] });
    for (const text of ["a", "ab", "abc"]) {
      await at.engine.send(saved, { doc: "d", text });
      await at.pass(5 * SECOND);
    }
    await at.pass(10 * SECOND);
    assert.deepEqual(
      (await at.runs("index")).map(([, , value]) => value),
      ["abc"],
    );
  });

  it("a workflow that kills its process again and again is given up", async () => {
    const bomb = worker("bomb", (_: unknown, ctx) => untilAborted(ctx.signal));
    const at = await scene({ workers: [bomb] });
    const run = await at.engine.start(bomb, null);
    for (let crash = 0; crash < 3; crash++) {
      await at.clock.advance(0);
      await at.crash();
    }
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], (await run.describe()).error?.reason], ["failed", "poison"]);
  });

  it("a workflow that makes progress between crashes is not given up", async () => {
    let crashes = 0;
    const stepwise = worker("stepwise", async (_: unknown, ctx) => {
      for (let n = 0; n < 6; n++) {
        await ctx.step(`n${n}`, () => n);
        if (crashes === n) await untilAborted(ctx.signal);
      }
      return "end";
    });
    const at = await scene({ workers: [stepwise] });
    const run = await at.engine.start(stepwise, null);
    while (crashes < 6) {
      await at.until(async () => (await at.nodes(run))[`stepwise#n${crashes}`] === "done");
      crashes++;
      await at.crash();
    }
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "end"]);
  });

  it("workflows are listed by status, name and time, page by page", async () => {
    const bad = worker("bad", once, () => {
      throw new Error("no");
    });
    const at = await scene({ workers: [echo, bad] });
    for (let n = 0; n < 3; n++) await at.engine.start(echo, n);
    await at.engine.start(bad, null);
    await at.engine.idle();
    const first = await at.engine.list({ worker: "echo", status: "done", limit: 2 });
    assert.ok(first.nextCursor);
    const second = await at.engine.list({ worker: "echo", status: "done", limit: 2, cursor: first.nextCursor });
    assert.deepEqual([first.total, first.items.length, second.items.length], [3, 2, 1]);
    assert.equal((await at.engine.list({ status: "failed" })).total, 1);
    assert.equal((await at.engine.list({ sinceMs: at.clock.now() + DAY })).total, 0);
  });

  it("the steps of a workflow are listed with their results", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.step("one", () => 1);
      await ctx.sleep("1s");
      await ctx.call("echo", echo, "called");
    });
    const at = await scene({ workers: [flow, echo] });
    const run = await at.engine.start(flow, null);
    await at.pass(SECOND);
    const steps = (await at.engine.nodes(run.id)).filter(({ id }) => id.includes("#"));
    assert.deepEqual(Object.fromEntries(steps.map(({ kind, result }) => [kind, result])), {
      step: 1,
      sleep: null,
      node: "called",
    });
  });

  it("a changed order of steps is an error and not a wrong result", async () => {
    let isChanged = false;
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      if (isChanged) return ctx.waitFor("approval", { key: "k" });
      await ctx.step("k", () => "old");
      return ctx.waitFor("go");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    isChanged = true;
    await at.crash();
    await at.engine.idle();
    const [state, message] = await at.outcome(run);
    assert.equal(state, "failed");
    assert.match(String(message), /ctx\.waitFor.*ctx\.step/);
  });

  it("dates and big numbers keep their type", async () => {
    const flow = worker("flow", once, (_: unknown, ctx) => ctx.step("when", () => new Date(0)));
    const big = worker("big", once, () => 7n);
    const at = await scene({ workers: [flow, big] });
    const [date, number] = [await at.engine.start(flow, null), await at.engine.start(big, null)];
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(date))[0], (await at.outcome(number))[0]], ["failed", "failed"]);
  });

  it("parallel steps of a workflow settle independently", async () => {
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      const bad = ctx.step("bad", () => {
        throw new Error("no");
      });
      const settled = await Promise.allSettled([ctx.step("a", () => 1), bad, ctx.step("b", () => 2)]);
      return settled.map((each) => (each.status === "fulfilled" ? each.value : (each.reason as Error).message));
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [1, "no", 2]]);
  });

  it("garbage collection deletes finished workflows and keeps active ones", async () => {
    const wait = worker("wait", (_: unknown, ctx) => ctx.waitFor("end"));
    const at = await scene({ workers: [echo, wait] });
    const [done, active] = [await at.engine.start(echo, 1), await at.engine.start(wait, null)];
    await at.pass(DAY);
    assert.equal(await at.engine.purge({ finishedBeforeMs: at.clock.now() }), 1);
    assert.equal(await at.engine.snapshot(done.id), undefined);
    assert.ok(await at.engine.snapshot(active.id));
  });

  it("a workflow of another application version is not recovered by this one", async () => {
    const order = (version: string) =>
      graph(
        "order",
        (g) =>
          g.node(
            "wait",
            worker(`wait-${version}`, (_: unknown, ctx) => ctx.waitFor("end")),
          ),
        { version },
      );
    const at = await scene({ graphs: [order("1")] });
    const run = await at.engine.start("order", null);
    await at.engine.idle();
    await at.crash({ graphs: [order("2")] });
    assert.equal((await at.outcome(run))[0], "parked");
    await at.crash({ graphs: [order("1"), order("2")] });
    await at.engine.signal(run.id, "end", 1);
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "done");
  });
});
