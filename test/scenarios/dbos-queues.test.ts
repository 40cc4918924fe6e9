/** Scenarios of DBOS's suite: dbos-inc/dbos-transact-ts. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "svckit/graph";
import { gate, HOUR, MINUTE, once, scene, SECOND } from "./scene.ts";

const echo = worker("echo", (input: unknown) => input);

describe("dbos", () => {
  it("a queue runs at most as many workflows as its concurrency, first in first out", async () => {
    const started: number[] = [];
    const gates = [gate(), gate(), gate(), gate()];
    const flow = graph<number, unknown>(
      "flow",
      (g) =>
        g.node(
          "work",
          worker("work", (n: number) => {
            started.push(n);
            return gates[n]?.promise.then(() => n);
          }),
        ),
      { concurrency: 2 },
    );
    const at = await scene({ graphs: [flow] });
    for (let n = 0; n < 4; n++) await at.engine.start(flow, n);
    await at.until(() => started.length === 2);
    assert.deepEqual(
      (await at.runs("flow")).map(([, state]) => state),
      ["running", "running", "queued", "queued"],
    );
    gates[1]?.open();
    await at.until(() => started.length === 3);
    for (const each of gates) each.open();
    await at.engine.idle();
    assert.deepEqual(started, [0, 1, 2, 3]);
  });

  it("a queue starts no more workflows than its rate in any period", async () => {
    const times: number[] = [];
    const call = worker("call", { rate: { limit: 2, per: "1s" } }, () => void times.push(at.clock.now()));
    const at = await scene({ workers: [call] });
    const startMs = at.clock.now();
    for (let n = 0; n < 5; n++) await at.engine.start(call, null);
    await at.pass(10 * SECOND);
    assert.deepEqual(
      times.map((time) => (time - startMs) / SECOND),
      [0, 0, 1, 1, 2],
    );
  });

  it("a workflow with a higher priority leaves the queue first", async () => {
    const started: string[] = [];
    const hold = gate();
    const work = worker(
      "work",
      { concurrency: 1 },
      (name: string) => (started.push(name), name === "first" ? hold.promise : null),
    );
    const at = await scene({ workers: [work] });
    await at.engine.start(work, "first");
    await at.until(() => started.length === 1);
    await at.engine.start(work, "low", { priority: -5 });
    await at.engine.start(work, "high", { priority: 5 });
    hold.open();
    await at.engine.idle();
    assert.deepEqual(started, ["first", "high", "low"]);
  });

  it("a deduplication id refuses a second workflow while the first one is active", async () => {
    const work = worker("work", (_: unknown, ctx) => ctx.waitFor("end"));
    const flow = graph<{ user: string }, unknown>("flow", (g) => g.node("work", work), {
      singleton: { key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    const [first, second] = [
      await at.engine.start(flow, { user: "ada" }),
      await at.engine.start(flow, { user: "ada" }),
    ];
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(first))[0], (await at.outcome(second))[0]], ["running", "cancelled"]);
    await first.signal("end");
    await at.engine.idle();
    const third = await at.engine.start(flow, { user: "ada" });
    await at.engine.idle();
    assert.equal((await at.outcome(third))[0], "running");
  });

  it("each partition of a queue has a concurrency of its own", async () => {
    const work = worker("work", (_: unknown, ctx) => ctx.waitFor("end"));
    const flow = graph<{ user: string }, unknown>("flow", (g) => g.node("work", work), {
      concurrency: { limit: 1, key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    for (const user of ["ada", "ada", "bob"]) await at.engine.start(flow, { user });
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("flow")).map(([, state]) => state),
      ["running", "queued", "running"],
    );
  });

  it("an enqueued workflow starts after its delay", async () => {
    const at = await scene({ workers: [echo] });
    const run = await at.engine.start(echo, 1, { delay: "1h" });
    await at.pass(HOUR - SECOND);
    assert.equal((await at.outcome(run))[0], "queued");
    await at.pass(SECOND);
    assert.deepEqual(await at.outcome(run), ["done", 1]);
  });

  it("a cancelled workflow stops at its next step, and a resumed one continues with the steps that are left", async () => {
    const ran: string[] = [];
    const hold = gate();
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      await ctx.step("one", () => (ran.push("one"), hold.promise));
      await ctx.step("two", () => void ran.push("two"));
      return "end";
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.until(() => ran.length === 1);
    await run.cancel();
    hold.open();
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], ran], ["cancelled", ["one"]]);
    await at.engine.retry(run.id);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "end"]);
  });

  it("a fork from a step keeps the results before it", async () => {
    const ran: string[] = [];
    const [one, two, three] = ["one", "two", "three"].map((name) => worker(name, () => (ran.push(name), name)));
    const flow = graph("flow", (g) => {
      const first = g.node("one", one!);
      return g.node("three", three!, { after: [g.node("two", two!, { after: [first] })] });
    });
    const at = await scene({ graphs: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    const fork = await at.engine.fork(run.id, { from: "two" });
    await at.engine.idle();
    assert.deepEqual(ran, ["one", "two", "three", "two", "three"]);
    assert.deepEqual(await at.outcome({ id: fork.graph_id }), ["done", "three"]);
  });

  it("a workflow that exceeds its timeout is ended, with its children", async () => {
    const child = graph("child", (g) =>
      g.node(
        "wait",
        worker("wait", (_: unknown, ctx) => ctx.waitFor("end")),
      ),
    );
    const parent = graph("parent", (g) => g.node("child", child), { timeout: "1h" });
    const at = await scene({ graphs: [parent, child] });
    const run = await at.engine.start(parent, null);
    await at.pass(HOUR);
    assert.deepEqual([(await at.outcome(run))[0], (await at.runs("child"))[0]?.[1]], ["failed", "cancelled"]);
  });

  it("a timeout continues over a recovery", async () => {
    const flow = graph(
      "flow",
      (g) =>
        g.node(
          "wait",
          worker("wait", (_: unknown, ctx) => ctx.waitFor("end")),
        ),
      { timeout: "1h" },
    );
    const at = await scene({ graphs: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(59 * MINUTE);
    await at.crash();
    await at.pass(MINUTE);
    assert.equal((await run.describe()).error?.reason, "timeout");
  });
});
