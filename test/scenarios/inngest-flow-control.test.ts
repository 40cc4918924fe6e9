/** Scenarios of Inngest's suites: inngest/inngest and inngest/inngest-js. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { event, graph, worker } from "svckit/graph";
import { HOUR, MINUTE, once, scene, SECOND, type Scene } from "./scene.ts";

interface Order {
  id: string;
  user: string;
}

const placed = event<Order>("order.placed");
const keep = worker("keep", ({ id }: Order) => id);

const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("go"));
const order = (id: string, user = "ada"): Order => ({ id, user });

const states = async (at: Scene, name: string) => (await at.runs(name)).map(([, state]) => state);
const values = async (at: Scene, name: string) => (await at.runs(name)).map(([, , value]) => value);

describe("inngest", () => {
  it("debounce runs once with the last event of a key", async () => {
    const flow = graph<Order>("flow", (g) => g.node("keep", keep), {
      on: placed,
      debounce: { period: "5s", key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    for (const [id, user] of [
      ["1", "ada"],
      ["2", "ada"],
      ["3", "bob"],
    ] as const)
      await at.engine.send(placed, order(id, user));
    await at.pass(5 * SECOND);
    assert.deepEqual((await values(at, "flow")).map(String).toSorted(), ["2", "3"]);
  });

  it("debounce runs at the latest after its timeout", async () => {
    const flow = graph<Order>("flow", (g) => g.node("keep", keep), {
      on: placed,
      debounce: { period: "5s", timeout: "12s" },
    });
    const at = await scene({ graphs: [flow] });
    for (const id of ["1", "2", "3", "4"]) {
      await at.engine.send(placed, order(id));
      await at.pass(3 * SECOND);
    }
    assert.deepEqual(await values(at, "flow"), ["4"]);
  });

  it("throttle spreads the starts and drops none", async () => {
    const starts: number[] = [];
    const flow = graph<Order>(
      "flow",
      (g) =>
        g.node(
          "note",
          worker("note", () => void starts.push(at.clock.now())),
        ),
      {
        on: placed,
        throttle: { limit: 1, period: "10s" },
      },
    );
    const at = await scene({ graphs: [flow] });
    const startMs = at.clock.now();
    for (const id of ["1", "2", "3", "4"]) {
      await at.engine.send(placed, order(id));
      await at.engine.idle();
    }
    await at.pass(MINUTE);
    assert.deepEqual(
      starts.map((time) => (time - startMs) / SECOND),
      [0, 0, 10, 20],
    );
  });

  it("a rate limit drops further events of its period, by key", async () => {
    const flow = graph<Order>("flow", (g) => g.node("keep", keep), {
      on: placed,
      rateLimit: { limit: 1, period: "10s", key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    for (const [id, user] of [
      ["1", "ada"],
      ["2", "ada"],
      ["3", "bob"],
    ] as const) {
      await at.engine.send(placed, order(id, user));
      await at.engine.idle();
    }
    await at.pass(10 * SECOND);
    await at.engine.send(placed, order("4"));
    await at.engine.idle();
    assert.deepEqual((await values(at, "flow")).map(String).toSorted(), ["1", "3", "4"]);
  });

  it("a batch starts when it is full or its timeout has passed", async () => {
    const all = worker("all", (items: Order[]) => items.map(({ id }) => id).join(""));
    const flow = graph("flow", (g) => g.node("all", all), { on: placed, batchEvents: { maxSize: 3, timeout: "5s" } });
    const at = await scene({ graphs: [flow] });
    for (const id of ["1", "2", "3", "4"]) {
      await at.engine.send(placed, order(id));
      await at.engine.idle();
    }
    assert.deepEqual(await values(at, "flow"), ["123"]);
    await at.pass(5 * SECOND);
    assert.deepEqual(await values(at, "flow"), ["123", "4"]);
  });

  it("batches are collected for each key", async () => {
    const all = worker("all", (items: Order[]) => items.map(({ id }) => id).join(""));
    const flow = graph("flow", (g) => g.node("all", all), {
      on: placed,
      batchEvents: { maxSize: 2, timeout: "5s", key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    for (const [id, user] of [
      ["1", "ada"],
      ["2", "bob"],
      ["3", "ada"],
    ] as const) {
      await at.engine.send(placed, order(id, user));
      await at.engine.idle();
    }
    assert.deepEqual(await values(at, "flow"), ["13"]);
  });

  it("concurrency of a function queues further runs", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), { on: placed, concurrency: 2 });
    const at = await scene({ graphs: [flow] });
    for (const id of ["1", "2", "3"]) {
      await at.engine.send(placed, order(id));
      await at.pass(SECOND);
    }
    assert.deepEqual(await states(at, "flow"), ["running", "running", "queued"]);
  });

  it("concurrency by key counts each key on its own", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), {
      on: placed,
      concurrency: { limit: 1, key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    for (const [id, user] of [
      ["1", "ada"],
      ["2", "bob"],
      ["3", "ada"],
    ] as const) {
      await at.engine.send(placed, order(id, user));
      await at.pass(SECOND);
    }
    assert.deepEqual(await states(at, "flow"), ["running", "running", "queued"]);
  });

  it("a sleeping run leaves its concurrency to others", async () => {
    const nap = worker("nap", { concurrency: 1 }, async (_: unknown, ctx) => {
      await ctx.sleep("1h");
    });
    const flow = graph<Order>("flow", (g) => g.node("nap", nap), { on: placed });
    const at = await scene({ graphs: [flow] });
    for (const id of ["1", "2", "3"]) await at.engine.send(placed, order(id));
    await at.pass(HOUR);
    assert.deepEqual(await states(at, "flow"), ["done", "done", "done"]);
  });

  it("a singleton skips a run while another one is active", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), {
      on: placed,
      singleton: { key: ({ user }) => user },
    });
    const at = await scene({ graphs: [flow] });
    for (const [id, user] of [
      ["1", "ada"],
      ["2", "ada"],
      ["3", "bob"],
    ] as const) {
      await at.engine.send(placed, order(id, user));
      await at.pass(SECOND);
    }
    assert.deepEqual(await states(at, "flow"), ["running", "cancelled", "running"]);
  });

  it("a singleton that cancels replaces the active run", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), {
      on: placed,
      singleton: { onLimit: "cancel-oldest" },
    });
    const at = await scene({ graphs: [flow] });
    for (const id of ["1", "2"]) {
      await at.engine.send(placed, order(id));
      await at.pass(SECOND);
    }
    assert.deepEqual(await states(at, "flow"), ["cancelled", "running"]);
  });

  it("a run with a higher priority leaves the queue first", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), { concurrency: 1 });
    const at = await scene({ graphs: [flow] });
    const first = await at.engine.start(flow, order("first"));
    const low = await at.engine.start(flow, order("low"));
    const high = await at.engine.start(flow, order("high"), { priority: 10 });
    await at.engine.idle();
    await first.signal("go");
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(low))[0], (await at.outcome(high))[0]], ["queued", "running"]);
  });

  it("a run that could not start within its start timeout is cancelled", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), { concurrency: 1, ttl: "10s" });
    const at = await scene({ graphs: [flow] });
    await at.engine.start(flow, order("1"));
    const second = await at.engine.start(flow, order("2"));
    await at.pass(10 * SECOND);
    assert.equal((await at.outcome(second))[0], "cancelled");
  });

  it("a run that takes longer than its finish timeout ends", async () => {
    const flow = graph<Order>("flow", (g) => g.node("hold", hold), { timeout: "10s" });
    const at = await scene({ graphs: [flow] });
    const run = await at.engine.start(flow, order("1"));
    await at.pass(10 * SECOND);
    const { status, error } = await run.describe();
    assert.deepEqual([status, error?.reason], ["failed", "timeout"]);
  });

  it("a cron function runs at its times", async () => {
    const at = await scene({
      workers: [worker("tick", ({ scheduled_ms }: { scheduled_ms: number }) => scheduled_ms)],
      schedules: [{ name: "tick", cron: "*/10 * * * * *", worker: "tick" }],
    });
    await at.engine.recover();
    const startMs = at.clock.now();
    await at.pass(30 * SECOND);
    assert.deepEqual(
      (await values(at, "tick")).map((time) => (Number(time) - startMs) / SECOND),
      [10, 20, 30],
    );
  });

  it("output that is too large fails the run and names its limit", async () => {
    const flow = worker("flow", once, () => "x".repeat(2000));
    const at = await scene({ workers: [flow], limits: { resultBytes: 1024 } });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    const [state, message] = await at.outcome(run);
    assert.equal(state, "failed");
    assert.match(String(message), /1,?024|1 KiB/);
  });

  it("a function of more than a thousand steps runs to its end", async () => {
    const flow = worker("flow", (_: unknown, ctx) =>
      Promise.all(Array.from({ length: 1001 }, (_, n) => ctx.step(`n${n}`, () => 1))).then((all) => all.length),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    assert.equal(await run.result(), 1001);
  });

  it("a signal resumes the run that waits for it", async () => {
    const at = await scene({ workers: [hold] });
    const run = await at.engine.start(hold, null);
    await at.engine.idle();
    await run.signal("go", { by: "ada" });
    assert.deepEqual(await run.result(), { by: "ada" });
  });

  it("a paused function starts no step, and continues when it is resumed", async () => {
    let calls = 0;
    const work = worker("work", () => ++calls);
    const at = await scene({ workers: [work] });
    await at.engine.queues.pause("work", { by: "ada" });
    const run = await at.engine.start(work, null);
    await at.pass(HOUR);
    assert.equal(calls, 0);
    await at.engine.queues.resume("work");
    assert.equal(await run.result(), 1);
  });
});
