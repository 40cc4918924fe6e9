/** Scenarios of Trigger.dev's suite: triggerdotdev/trigger.dev. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { event, FinalError, graph, worker } from "svckit/graph";
import { DAY, gate, HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const echo = worker("echo", (input: unknown) => input);
const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("go"));

const double = worker("double", (n: number) => n * 2);

describe("trigger.dev", () => {
  it("a delayed run is not executed before its time", async () => {
    const at = await scene({ workers: [echo] });
    const run = await at.engine.start(echo, 1, { delay: "500ms" });
    await at.pass(499);
    assert.equal((await at.outcome(run))[0], "queued");
    await at.pass(1);
    assert.deepEqual(await at.outcome(run), ["done", 1]);
  });

  it("a delayed run can be cancelled before its time", async () => {
    const at = await scene({ workers: [echo] });
    const run = await at.engine.start(echo, 1, { delay: "1h" });
    await run.cancel();
    await at.pass(DAY);
    assert.equal((await at.outcome(run))[0], "cancelled");
  });

  it("a queued run expires after its time to live", async () => {
    const flow = graph<null, unknown>("flow", (g) => g.node("hold", hold), { concurrency: 1 });
    const at = await scene({ graphs: [flow] });
    await at.engine.start(flow, null);
    const second = await at.engine.start(flow, null, { ttl: "1s" });
    await at.pass(SECOND);
    assert.equal((await at.outcome(second))[0], "cancelled");
  });

  it("a run that has started does not expire", async () => {
    const flow = graph<null, unknown>("flow", (g) => g.node("hold", hold), { concurrency: 1, ttl: "1s" });
    const at = await scene({ graphs: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(HOUR);
    assert.equal((await at.outcome(run))[0], "running");
  });

  it("runs with a higher priority are dequeued first", async () => {
    const ran: string[] = [];
    const start = gate();
    const work = worker(
      "work",
      { concurrency: 1 },
      (name: string) => (ran.push(name), name === "first" ? start.promise : null),
    );
    const at = await scene({ workers: [work] });
    await at.engine.start(work, "first");
    await at.until(() => ran.length === 1);
    for (const [name, priority] of [
      ["none", 0],
      ["low", 2],
      ["high", 9],
    ] as const)
      await at.engine.start(work, name, { priority });
    start.open();
    await at.engine.idle();
    assert.deepEqual(ran, ["first", "high", "low", "none"]);
  });

  it("a tenant with many waiting runs does not delay the others", async () => {
    const started: string[] = [];
    const note = worker("note", ({ tenant }: { tenant: string }) => void started.push(tenant));
    const flow = graph<{ tenant: string }, unknown>("flow", (g) => g.node("note", note), {
      concurrency: 1,
      fairness: { key: ({ tenant }) => tenant },
    });
    const at = await scene({ graphs: [flow] });
    await at.engine.queues.pause("note");
    for (const tenant of ["big", "big", "big", "big", "small"]) await at.engine.start(flow, { tenant });
    await at.engine.idle();
    await at.engine.queues.resume("note");
    await at.engine.idle();
    assert.deepEqual(started, ["big", "small", "big", "big", "big"]);
  });

  it("an attempt that fails with a user error is retried after its delay", async () => {
    const times: number[] = [];
    const flaky = worker("flaky", { retry: { max: 2, base: "5s", jitter: false } }, (_: unknown, ctx) => {
      times.push(at.clock.now());
      if (ctx.attempt === 1) throw new Error("user error");
      return "ok";
    });
    const at = await scene({ workers: [flaky] });
    const run = await at.engine.start(flaky, null);
    await at.pass(MINUTE);
    assert.deepEqual([await at.outcome(run), (times[1] ?? 0) - (times[0] ?? 0)], [["done", "ok"], 5 * SECOND]);
  });

  it("a run whose attempts are used up fails with its last error", async () => {
    let calls = 0;
    const bad = worker("bad", { retry: { max: 3, base: "1s" } }, () => {
      throw new Error(`attempt ${++calls}`);
    });
    const at = await scene({ workers: [bad] });
    const run = await at.engine.start(bad, null);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["failed", "attempt 3"]);
  });

  it("an aborted task run is not retried", async () => {
    let calls = 0;
    const bad = worker("bad", { retry: { max: 3, base: "1s" } }, () => {
      calls++;
      throw new FinalError("abort");
    });
    const at = await scene({ workers: [bad] });
    await at.engine.start(bad, null);
    await at.pass(MINUTE);
    assert.equal(calls, 1);
  });

  it("an attempt whose process is gone is started again", async () => {
    const attempts: number[] = [];
    const work = worker("work", (_: unknown, ctx) => {
      attempts.push(ctx.attempt);
      return attempts.length < 3 ? untilAborted(ctx.signal) : "survived";
    });
    const at = await scene({ workers: [work] });
    const run = await at.engine.start(work, null);
    for (let crash = 0; crash < 2; crash++) {
      await at.until(() => attempts.length === crash + 1);
      await at.crash();
    }
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "survived"]);
  });

  it("a run without heartbeats is ended and retried", async () => {
    const work = worker("work", { heartbeat: "1s", retry: { max: 2, base: "1s" } }, (_: unknown, ctx) =>
      ctx.attempt === 1 ? untilAborted(ctx.signal) : "alive",
    );
    const at = await scene({ workers: [work] });
    const run = await at.engine.start(work, null);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", "alive"]);
  });

  it("a run that exceeds its maximum duration is stopped", async () => {
    const slow = worker("slow", { timeout: "10s", ...once }, (_: unknown, ctx) => untilAborted(ctx.signal));
    const at = await scene({ workers: [slow] });
    const run = await at.engine.start(slow, null);
    await at.pass(10 * SECOND);
    const { status, error } = await run.describe();
    assert.deepEqual([status, error?.reason], ["failed", "timeout"]);
  });

  it("a queue with a concurrency key runs each key on its own", async () => {
    const running: string[] = [];
    const work = worker("work", { concurrency: { limit: 1, key: (user: string) => user } }, (user: string, ctx) => {
      running.push(user);
      return untilAborted(ctx.signal);
    });
    const at = await scene({ workers: [work] });
    for (const user of ["ada", "ada", "bob"]) await at.engine.start(work, user);
    await at.until(() => running.length === 2);
    await at.clock.advance(SECOND);
    assert.deepEqual(running, ["ada", "bob"]);
  });

  it("a run whose task is not deployed waits for the version that has it", async () => {
    const at = await scene({ workers: [hold] });
    const run = await at.engine.start(hold, null);
    await at.engine.idle();
    await at.crash({ workers: [echo] });
    assert.equal((await at.outcome(run))[0], "parked");
    await at.crash({ workers: [echo, hold] });
    await at.engine.signal(run.id, "go", "deployed");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "deployed"]);
  });

  it("debounce delays a run until its key is quiet, and uses the last payload", async () => {
    const typed = event<{ key: string; text: string }>("typed");
    const flow = graph<{ key: string; text: string }, string>(
      "flow",
      (g) =>
        g.node(
          "text",
          worker("text", ({ text }: { text: string }) => text),
        ),
      {
        on: typed,
        debounce: { period: "5s", key: ({ key }) => key },
      },
    );
    const at = await scene({ graphs: [flow] });
    for (const text of ["a", "ab"]) {
      await at.engine.send(typed, { key: "k", text });
      await at.pass(4 * SECOND);
    }
    await at.pass(SECOND);
    assert.deepEqual(
      (await at.runs("flow")).map(([, , value]) => value),
      ["ab"],
    );
  });

  it("an idempotency key returns the first run, whatever its state", async () => {
    const bad = worker("bad", once, () => {
      throw new Error("no");
    });
    const at = await scene({ workers: [bad] });
    const first = await at.engine.start(bad, null, { idempotencyKey: "k" });
    await at.engine.idle();
    const second = await at.engine.start(bad, null, { idempotencyKey: "k" });
    assert.deepEqual([second.id, second.created, (await at.outcome(second))[0]], [first.id, false, "failed"]);
  });

  it("the metadata of a run is set while it executes", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      ctx.progress(0.5, "half");
      ctx.summary("2 of 4 pages");
      await ctx.setAttributes({ pages: 2, isDraft: true });
      await ctx.setAttributes({ isDraft: null });
      await ctx.waitFor("go");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(SECOND);
    const { progress, summary, attributes } = await run.describe();
    assert.deepEqual([progress, summary, attributes], [{ value: 0.5, note: "half" }, "2 of 4 pages", { pages: 2 }]);
    assert.equal((await at.engine.list({ attributes: { pages: { gt: 1 } } })).total, 1);
  });

  it("runs are found by their tags", async () => {
    const at = await scene({ workers: [echo] });
    await at.engine.start(echo, 1, { tags: ["user_1", "paid"] });
    await at.engine.start(echo, 2, { tags: ["user_2"] });
    await at.engine.idle();
    const { items } = await at.engine.list({ tag: "user_1" });
    assert.deepEqual(
      items.map(({ input }) => input),
      [1],
    );
  });

  it("a replay starts a new run with the payload of the old one", async () => {
    const at = await scene({ workers: [double] });
    const run = await at.engine.start(double, 4);
    await at.engine.idle();
    const { graph_id: id } = await at.engine.fork(run.id, { from: "double" });
    await at.engine.idle();
    assert.deepEqual([id === run.id, await at.outcome({ id })], [false, ["done", 8]]);
  });

  it("a paused queue starts nothing, and drains after it is resumed", async () => {
    const at = await scene({ workers: [echo] });
    await at.engine.queues.pause("echo");
    for (const n of [1, 2]) await at.engine.start(echo, n);
    await at.pass(MINUTE);
    const [queue] = await at.engine.queues.list();
    assert.deepEqual([queue?.paused, queue?.waiting, queue?.running], [true, 2, 0]);
    await at.crash();
    await at.engine.queues.resume("echo");
    await at.engine.idle();
    assert.equal((await at.engine.list({ worker: "echo", status: "done" })).total, 2);
  });

  it("followers of a run get each change, and the stream ends with the run", async () => {
    const at = await scene({ workers: [hold] });
    const run = await at.engine.start(hold, null);
    const seen: string[] = [];
    const following = (async () => {
      for await (const { type } of at.engine.subscribe(run.id, 0, new AbortController().signal)) seen.push(type);
    })();
    await at.engine.idle();
    await run.signal("go");
    await following;
    assert.deepEqual([seen[0], seen.at(-1)], ["graph.queued", "graph.done"]);
  });

  it("snapshots since a known one contain only the later changes", async () => {
    const at = await scene({ workers: [hold] });
    const run = await at.engine.start(hold, null);
    await at.engine.idle();
    const { last_seq: after } = await run.describe();
    await run.signal("go");
    await at.engine.idle();
    const later = await at.engine.events(run.id, { after });
    assert.ok(later.length > 0 && later.every(({ seq }) => seq > after));
  });

  it("a failed run calls the failure hook once, a completed one does not", async () => {
    const failures: string[] = [];
    const work = worker("work", { retry: { max: 2, base: "1s" } }, (isBad: boolean) => {
      if (isBad) throw new Error("bad");
    });
    const flow = graph<boolean, unknown>("flow", (g) => g.node("work", work), {
      onFailure: (ctx) => void failures.push(ctx.failure.message),
    });
    const at = await scene({ graphs: [flow] });
    for (const isBad of [true, false]) await at.engine.start(flow, isBad);
    await at.pass(MINUTE);
    assert.deepEqual(failures, ["bad"]);
  });

  it("a shutdown leaves running work to the next process", async () => {
    let calls = 0;
    const work = worker("work", (_: unknown, ctx) => (++calls === 1 ? untilAborted(ctx.signal) : calls));
    const at = await scene({ workers: [work] });
    const run = await at.engine.start(work, null);
    await at.until(() => calls === 1);
    const closed = at.engine.close(0);
    await at.clock.advance(0);
    await closed;
    await at.crash();
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 2]);
    assert.equal((await at.engine.node(run.id, "work"))?.attempts, 1);
  });
});
