/** Scenarios of Inngest's suites: inngest/inngest and inngest/inngest-js. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { asWorker, event, FinalError, graph, WaitTimeoutError, worker } from "svckit/graph";
import { DAY, gate, HOUR, MINUTE, once, scene, SECOND, type Scene } from "./scene.ts";

interface Order {
  id: string;
  user: string;
}

const placed = event<Order>("order.placed");
const paid = event<Order & { cents: number }>("order.paid");

const keep = worker("keep", ({ id }: Order) => id);
const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("go"));

const order = (id: string, user = "ada"): Order => ({ id, user });
const states = async (at: Scene, name: string) => (await at.runs(name)).map(([, state]) => state);

const values = async (at: Scene, name: string) => (await at.runs(name)).map(([, , value]) => value);

describe("inngest", () => {
  it("one event starts every function that it triggers", async () => {
    const [first, second] = ["first", "second"].map((name) =>
      graph<Order>(name, (g) => g.node("keep", keep), { on: placed }),
    );
    const at = await scene({ graphs: [first!, second!] });
    await at.engine.send(placed, order("o1"));
    await at.engine.idle();
    assert.deepEqual([await values(at, "first"), await values(at, "second")], [["o1"], ["o1"]]);
  });

  it("an event that is sent twice with one id triggers once", async () => {
    const flow = graph<Order>("flow", (g) => g.node("keep", keep), { on: placed });
    const at = await scene({ graphs: [flow] });
    const send = () => at.engine.send(placed, order("o1"), { id: "evt_1" });
    assert.deepEqual([(await send()).created, (await send()).created], [true, false]);
    await at.crash();
    await send();
    await at.engine.idle();
    assert.deepEqual(await values(at, "flow"), ["o1"]);
  });

  it("a batch of sent events starts one run for each", async () => {
    const flow = graph<Order>("flow", (g) => g.node("keep", keep), { on: placed });
    const at = await scene({ graphs: [flow] });
    await Promise.all(["o1", "o2", "o3"].map((id) => at.engine.send(placed, order(id))));
    await at.engine.idle();
    assert.deepEqual((await values(at, "flow")).map(String).toSorted(), ["o1", "o2", "o3"]);
  });

  it("an invalid event is rejected when it is sent", async () => {
    const checked = event("checked", v.object({ cents: v.number() }));
    const flow = graph<{ cents: number }>(
      "flow",
      (g) =>
        g.node(
          "cents",
          worker("cents", ({ cents }: { cents: number }) => cents),
        ),
      { on: checked },
    );
    const at = await scene({ graphs: [flow] });
    await assert.rejects(at.engine.send("checked", { cents: "5" }), { code: "SVC_INVALID" });
    await at.engine.idle();
    assert.deepEqual(await at.runs("flow"), []);
  });

  it("a trigger expression starts the function only for matching events", async () => {
    const big = graph<{ cents: number }, unknown>(
      "big",
      (g) => {
        g.node(
          "ship",
          worker("ship", ({ cents }: { cents: number }) => cents),
          { when: ({ cents }) => cents > 100 },
        );
      },
      { on: event<{ cents: number }>("sold") },
    );
    const at = await scene({ graphs: [big] });
    for (const cents of [5, 500]) await at.engine.send("sold", { cents });
    await at.engine.idle();
    const ran = await Promise.all(
      (await at.engine.list({ worker: "big" })).items.map(async ({ graph_id: id }) => (await at.nodes({ id }))["ship"]),
    );
    assert.deepEqual(
      ran.map(String).toSorted((a, b) => a.localeCompare(b)),
      ["done", "skipped"],
    );
  });

  it("a step runs once, and later attempts read its result", async () => {
    let calls = 0;
    const flow = worker("flow", { retry: { max: 3, base: "1s" } }, async (_: unknown, ctx) => {
      const a = await ctx.step("a", () => ++calls);
      if (ctx.attempt < 3) throw new Error("again");
      return a;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual([await at.outcome(run), calls], [["done", 1], 1]);
  });

  it("a failed step is caught by the function, which continues", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      try {
        await ctx.step("card", () => {
          throw Object.assign(new Error("declined"), { name: "CardError" });
        });
      } catch (error) {
        return ctx.step("invoice", () => `invoice after ${(error as Error).name}`);
      }
      return "paid";
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "invoice after CardError"]);
  });

  it("a step inside of a step is an error that names both", async () => {
    const flow = worker("flow", { retry: { max: 3 } }, (_: unknown, ctx) =>
      ctx.step("outer", async () => (await ctx.step("inner", () => 1)) + 1),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), [
      "failed",
      'ctx.step("inner") is called inside the function of ctx.step("outer"). Call it before or after, or start a run of its own with engine.start.',
    ]);
  });

  it("an error that says so is not retried", async () => {
    let calls = 0;
    const flow = worker("flow", { retry: { max: 5 } }, () => {
      calls++;
      throw new FinalError("no such user");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(DAY);
    assert.deepEqual([await at.outcome(run), calls], [["failed", "no such user"], 1]);
  });

  it("an error names the time before which it must not be retried", async () => {
    const times: number[] = [];
    const flow = worker("flow", { retry: { max: 2, base: "1s", cap: "1m" } }, () => {
      times.push(at.clock.now());
      throw Object.assign(new Error("limited"), { retryAfter: "2h" });
    });
    const at = await scene({ workers: [flow] });
    await at.engine.start(flow, null);
    await at.pass(DAY);
    assert.equal((times[1] ?? 0) - (times[0] ?? 0), 2 * HOUR);
  });

  it("the failure handler gets the error once all retries have failed", async () => {
    const failures: string[] = [];
    const bad = worker("bad", { retry: { max: 3, base: "1s" } }, () => {
      throw new Error("down");
    });
    const flow = graph("flow", (g) => g.node("bad", bad), {
      onFailure: (ctx) => void failures.push(ctx.failure.message),
    });
    const at = await scene({ graphs: [flow] });
    await at.engine.start(flow, null);
    await at.pass(SECOND);
    assert.deepEqual(failures, []);
    await at.pass(MINUTE);
    assert.deepEqual(failures, ["down"]);
  });

  it("a function waits for an event that matches its own", async () => {
    const flow = worker(
      "flow",
      async ({ id }: Order, ctx) => (await ctx.waitForEvent(paid, { match: { id } })).data.cents,
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, order("o1"));
    await at.engine.idle();
    await at.engine.send(paid, { ...order("o2"), cents: 1 });
    await at.engine.send(paid, { ...order("o1"), cents: 42 });
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 42]);
  });

  it("waiting for an event ends without one at its timeout", async () => {
    const flow = worker("flow", (_: unknown, ctx) =>
      ctx.waitForEvent(paid, { timeout: "10s" }).then(
        () => "event",
        (error: unknown) => error instanceof WaitTimeoutError,
      ),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(10 * SECOND);
    assert.deepEqual(await at.outcome(run), ["done", true]);
  });

  it("one event resumes every function that waits for it", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => (await ctx.waitForEvent(paid)).data.cents);
    const at = await scene({ workers: [flow] });
    const runs = await Promise.all([1, 2, 3].map(() => at.engine.start(flow, null)));
    await at.engine.idle();
    await at.engine.send(paid, { ...order("o1"), cents: 5 });
    assert.deepEqual(await Promise.all(runs.map((run) => run.result())), [5, 5, 5]);
  });

  it("an event that comes between the start and the wait is received", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.sleep("1m");
      return (await ctx.waitForEvent(paid, { timeout: "1m" })).data.cents;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(SECOND);
    await at.engine.send(paid, { ...order("o1"), cents: 7 });
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", 7]);
  });

  it("an event cancels the runs that match it", async () => {
    const cancelled = event<Order>("order.cancelled");
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), {
      on: placed,
      cancelOn: [{ event: cancelled, match: ({ id }) => ({ id }) }],
    });
    const at = await scene({ graphs: [flow] });
    for (const id of ["o1", "o2"]) {
      await at.engine.send(placed, order(id));
      await at.pass(SECOND);
    }
    await at.engine.send(cancelled, order("o1"));
    await at.engine.idle();
    assert.deepEqual(await states(at, "flow"), ["cancelled", "running"]);
  });

  it("a sleep continues to its time, and until a date", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.sleep("1d");
      await ctx.sleep(new Date(startMs + 3 * DAY));
      return at.clock.now() - startMs;
    });
    const at = await scene({ workers: [flow] });
    const startMs = at.clock.now();
    const run = await at.engine.start(flow, null);
    await at.pass(2 * DAY);
    await at.crash();
    await at.pass(DAY);
    assert.deepEqual(await at.outcome(run), ["done", 3 * DAY]);
  });

  it("parallel steps run at once, and the function continues when all are done", async () => {
    const running = new Set<string>();
    let most = 0;
    const gates = { a: gate(), b: gate() };
    const flow = worker("flow", (_: unknown, ctx) =>
      Promise.all(
        (["a", "b"] as const).map((name) =>
          ctx.step(name, async () => {
            running.add(name);
            most = Math.max(most, running.size);
            await gates[name].promise;
            running.delete(name);
            return name;
          }),
        ),
      ),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.until(() => running.size === 2);
    gates.b.open();
    gates.a.open();
    await at.engine.idle();
    assert.deepEqual([await at.outcome(run), most], [["done", ["a", "b"]], 2]);
  });

  it("a function invokes another one and gets its result", async () => {
    const child = graph<number, number>("child", (g) =>
      g.node(
        "double",
        worker("double", (n: number) => n * 2),
      ),
    );
    const flow = worker("flow", (n: number, ctx) => ctx.call("invoke", asWorker(child), n));
    const at = await scene({ workers: [flow], graphs: [child] });
    const run = await at.engine.start(flow, 4);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 8]);
  });

  it("an invoked function that fails fails its caller", async () => {
    const bad = worker("bad", once, (): number => {
      throw new Error("inner");
    });
    const child = graph<null, number>("child", (g) => g.node("bad", bad));
    const flow = worker("flow", (_: unknown, ctx) => ctx.call("invoke", asWorker(child), null));
    const at = await scene({ workers: [flow], graphs: [child] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    const [state, message] = await at.outcome(run);
    assert.equal(state, "failed");
    assert.match(String(message), /inner/);
  });

  it("a step sends an event, once", async () => {
    const flow = worker("flow", { retry: { max: 2, base: "1s" } }, async (_: unknown, ctx) => {
      await ctx.step("send", async ({ idempotencyKey }) => at.engine.send(placed, order("o1"), { id: idempotencyKey }));
      if (ctx.attempt === 1) throw new Error("again");
    });
    const next = graph<Order>("next", (g) => g.node("keep", keep), { on: placed });
    const at = await scene({ workers: [flow], graphs: [next] });
    await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual(await values(at, "next"), ["o1"]);
  });
});
