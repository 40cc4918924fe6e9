/** Scenarios of Temporal's suites: temporalio/sdk-typescript and temporalio/features. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { defineSignal, defineUpdate, FinalError, worker } from "svckit/graph";
import { HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const echo = worker("echo", (input: unknown) => input);

describe("temporal", () => {
  it("arguments arrive and the return value is the result", async () => {
    const greet = worker("greet", ({ greeting, name }: { greeting: string; name: string }) => `${greeting}, ${name}`);
    const at = await scene({ workers: [greet] });
    const run = await at.engine.start(greet, { greeting: "Hello", name: "world!" });
    assert.equal(await run.result(), "Hello, world!");
  });

  it("signals that come before the run waits are kept", async () => {
    const listen = worker("listen", async (_: unknown, ctx) => [await ctx.waitFor("item"), await ctx.waitFor("item")]);
    const at = await scene({ workers: [listen] });
    const run = await at.engine.start(listen, null, { delay: "1m" });
    await run.signal("item", 1);
    await run.signal("item", 2);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", [1, 2]]);
  });

  it("a signal whose handler throws fails the workflow", async () => {
    const fail = defineSignal<string>("fail");
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      throw new Error(await ctx.waitFor(fail));
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await run.signal(fail, "Signal failed");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["failed", "Signal failed"]);
  });

  it("signal-with-start starts the workflow once and delivers every signal", async () => {
    const add = defineSignal<number>("add");
    const sum = worker("sum", async (_: unknown, ctx) => (await ctx.waitFor(add)) + (await ctx.waitFor(add)));
    const at = await scene({ workers: [sum] });
    const send = (value: number) =>
      at.engine.signalWithStart(sum, null, { signal: add, value, idempotencyKey: "sum-1" });
    const [first, second] = [await send(20), await send(22)];
    await at.engine.idle();
    assert.deepEqual([first.id === second.id, first.created, second.created], [true, true, false]);
    assert.deepEqual(await at.outcome(first), ["done", 42]);
  });

  it("an update returns the answer of the running workflow", async () => {
    const add = defineUpdate<number, number>("add");
    const sum = worker("sum", async (_: unknown, ctx) => {
      let total = 0;
      while (total < 10) {
        const { value } = await ctx.handleUpdate(add, (by) => total + by);
        total += value;
      }
      return total;
    });
    const at = await scene({ workers: [sum] });
    const run = await at.engine.start(sum, null);
    assert.deepEqual([await run.update(add, 4), await run.update(add, 7)], [4, 11]);
    assert.equal(await run.result(), 11);
  });

  it("an update that the validator rejects reaches no handler", async () => {
    const add = defineUpdate("add", v.pipe(v.number(), v.minValue(1)));
    const handled: number[] = [];
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.handleUpdate(add, (by) => handled.push(by));
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await assert.rejects(run.update(add, 0), { code: "SVC_INVALID" });
    await run.update(add, 1);
    assert.deepEqual(handled, [1]);
  });

  it("an update handler that throws fails the update and not the workflow", async () => {
    const add = defineUpdate<number, number>("add");
    const flow = worker("flow", async (_: unknown, ctx) => {
      const { ok } = await ctx.handleUpdate(add, () => {
        throw new FinalError("too much");
      });
      return ok;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await assert.rejects(run.update(add, 1), { code: "SVC_UPDATE_REFUSED", message: /too much/ });
    assert.equal(await run.result(), false);
  });

  it("an update with a known id is handled once", async () => {
    const add = defineUpdate<number, number>("add");
    let calls = 0;
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.handleUpdate(add, () => ++calls);
      await ctx.waitFor("end");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    const send = () => run.update(add, 1, { idempotencyKey: "u-1" });
    const answers = [await send(), await send()];
    await at.crash();
    answers.push(await at.engine.update(run.id, add, 1, { idempotencyKey: "u-1" }));
    assert.deepEqual([answers, calls], [[1, 1, 1], 1]);
  });

  it("a completed workflow accepts neither signals nor updates", async () => {
    const at = await scene({ workers: [echo] });
    const run = await at.engine.start(echo, 1);
    await run.result();
    await assert.rejects(run.signal("late"), { code: "SVC_TRANSITION" });
    await assert.rejects(run.update(defineUpdate("late"), 1), { code: "SVC_TRANSITION" });
  });

  it("an activity is retried until it succeeds", async () => {
    const attempts: number[] = [];
    const flaky = worker("flaky", { retry: { max: 5, base: "1s" } }, (_: unknown, ctx) => {
      attempts.push(ctx.attempt);
      if (ctx.attempt < 4) throw new Error(`attempt ${ctx.attempt}`);
      return "ok";
    });
    const at = await scene({ workers: [flaky] });
    const run = await at.engine.start(flaky, null);
    await at.pass(MINUTE);
    assert.deepEqual(
      [await at.outcome(run), attempts],
      [
        ["done", "ok"],
        [1, 2, 3, 4],
      ],
    );
  });

  it("a non-retryable failure is not retried", async () => {
    let calls = 0;
    const bad = worker("bad", { retry: { max: 5 } }, () => {
      calls++;
      throw new FinalError("Fail me");
    });
    const at = await scene({ workers: [bad] });
    const run = await at.engine.start(bad, null);
    await at.pass(HOUR);
    assert.deepEqual([await at.outcome(run), calls], [["failed", "Fail me"], 1]);
  });

  it("a failure of a type that is listed as non-retryable ends the activity", async () => {
    const types = ["Busy", "Declined"];
    let calls = 0;
    const card = worker("card", { retry: { max: 5, base: "1s", nonRetryable: ["Declined"] } }, () => {
      throw Object.assign(new Error("no"), { name: types[calls++] });
    });
    const at = await scene({ workers: [card] });
    const run = await at.engine.start(card, null);
    await at.pass(HOUR);
    assert.deepEqual([await at.outcome(run), calls], [["failed", "no"], 2]);
  });

  it("a failure names the delay before the next attempt", async () => {
    const times: number[] = [];
    const slow = worker("slow", { retry: { max: 2, base: "1s", jitter: false } }, () => {
      times.push(at.clock.now());
      throw Object.assign(new Error("busy"), { retryAfter: "10m" });
    });
    const at = await scene({ workers: [slow] });
    await at.engine.start(slow, null);
    await at.pass(HOUR);
    assert.equal((times[1] ?? 0) - (times[0] ?? 0), 10 * MINUTE);
  });

  it("an activity that exceeds its start-to-close timeout is tried again", async () => {
    const slow = worker("slow", { timeout: "10s", retry: { max: 2, base: "1s" } }, (_: unknown, ctx) =>
      ctx.attempt === 1 ? untilAborted(ctx.signal) : `attempt ${ctx.attempt}`,
    );
    const at = await scene({ workers: [slow] });
    const run = await at.engine.start(slow, null);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", "attempt 2"]);
  });

  it("an activity that stops its heartbeats times out", async () => {
    const silent = worker("silent", { heartbeat: "5s", ...once }, async (_: unknown, ctx) => {
      ctx.heartbeat();
      return untilAborted(ctx.signal);
    });
    const at = await scene({ workers: [silent] });
    const run = await at.engine.start(silent, null);
    await at.pass(10 * SECOND);
    const [state, message] = await at.outcome(run);
    assert.equal(state, "failed");
    assert.match(String(message), /heartbeat/);
  });

  it("the next attempt reads the progress of the one before", async () => {
    const pages: number[] = [];
    const copy = worker<unknown, string, { page: number }>(
      "copy",
      { retry: { max: 2, base: "1s" } },
      async (_, ctx) => {
        for (let page = ctx.state.get("page") ?? 1; page <= 4; page++) {
          pages.push(page);
          if (page === 3 && ctx.attempt === 1) throw new Error("disk full");
          ctx.state.set("page", page + 1);
          await ctx.checkpoint();
        }
        return "copied";
      },
    );
    const at = await scene({ workers: [copy] });
    const run = await at.engine.start(copy, null);
    await at.pass(MINUTE);
    assert.deepEqual(
      [await at.outcome(run), pages],
      [
        ["done", "copied"],
        [1, 2, 3, 3, 4],
      ],
    );
  });
});
