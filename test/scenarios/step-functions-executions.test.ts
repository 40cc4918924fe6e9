/** Scenarios of Step Functions, from localstack's suite: localstack/localstack. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { asWorker, FinalError, graph, WaitTimeoutError, worker, type Settled } from "svckit/graph";
import { DAY, gate, HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const pass = worker("pass", (input: unknown) => input);
const double = worker("double", (n: number) => n * 2);

const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("token"));

const failing = worker("failing", once, (): string => {
  throw Object.assign(new Error("Something failed"), { name: "CustomError" });
});

describe("step functions", () => {
  it("a task that exceeds its timeout fails with a timeout error", async () => {
    const slow = worker("slow", (_: unknown, ctx) => untilAborted(ctx.signal));
    const machine = graph("machine", (g) => g.node("slow", slow, { timeout: "5s", retry: { max: 1 } }));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.pass(5 * SECOND);
    assert.equal((await run.describe()).error?.reason, "timeout");
  });

  it("an execution that exceeds its global timeout ends", async () => {
    const machine = graph("machine", (g) => g.node("hold", hold), { timeout: "5s" });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.pass(5 * SECOND);
    assert.equal((await run.describe()).error?.reason, "timeout");
  });

  it("a task without a heartbeat within its interval fails", async () => {
    const silent = worker("silent", { heartbeat: "5s", ...once }, (_: unknown, ctx) => untilAborted(ctx.signal));
    const at = await scene({ workers: [silent] });
    const run = await at.engine.start(silent, null);
    await at.pass(5 * SECOND);
    assert.equal((await at.outcome(run))[0], "failed");
  });

  it("heartbeats keep a long task alive", async () => {
    const beating = worker("beating", { heartbeat: "5s", ...once }, async (_: unknown, ctx) => {
      for (let n = 0; n < 4; n++) {
        await beats[n]?.promise;
        ctx.heartbeat();
      }
      return "alive";
    });
    const beats = [gate(), gate(), gate(), gate()];
    const at = await scene({ workers: [beating] });
    const run = await at.engine.start(beating, null);
    await at.clock.advance(0);
    for (const beat of beats) {
      await at.clock.advance(4 * SECOND);
      beat.open();
      await at.clock.advance(0);
    }
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "alive"]);
  });

  it("a callback with the task token succeeds the task", async () => {
    const machine = graph("machine", (g) => g.node("hold", hold));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.engine.idle();
    await at.engine.signal(run.id, "token", { output: 1 });
    assert.deepEqual(await run.result(), { output: 1 });
  });

  it("a callback that does not come times out", async () => {
    const patient = worker("patient", (_: unknown, ctx) =>
      ctx.waitFor("token", { timeout: "1h" }).catch((error: unknown) => error instanceof WaitTimeoutError),
    );
    const at = await scene({ workers: [patient] });
    const run = await at.engine.start(patient, null);
    await at.pass(HOUR);
    assert.deepEqual(await at.outcome(run), ["done", true]);
  });

  it("a callback can fail the task", async () => {
    const answer = v.union([v.object({ ok: v.literal(true) }), v.object({ error: v.string() })]);
    const task = worker("task", async (_: unknown, ctx) => {
      const given = await ctx.waitFor("token", { schema: answer });
      if ("error" in given) throw new FinalError(given.error);
      return "ok";
    });
    const at = await scene({ workers: [task] });
    const run = await at.engine.start(task, null);
    await at.engine.idle();
    await assert.rejects(run.signal("token", 5), { code: "SVC_INVALID" });
    await run.signal("token", { error: "Failure in task" });
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["failed", "Failure in task"]);
  });

  it("a nested execution that is started synchronously gives its output to the state", async () => {
    const inner = graph<number, number>("inner", (g) => g.node("double", double));
    const outer = graph<number, unknown>("outer", (g) => g.node("last", pass, { after: [g.node("inner", inner)] }));
    const at = await scene({ graphs: [outer, inner] });
    const run = await at.engine.start(outer, 5);
    assert.deepEqual(await run.result(), { inner: 10 });
  });

  it("a nested execution that fails fails the state", async () => {
    const inner = graph<null, string>("inner", (g) => g.node("bad", failing));
    const outer = worker("outer", (_: unknown, ctx) => ctx.call("inner", asWorker(inner), null));
    const at = await scene({ workers: [outer], graphs: [inner] });
    const run = await at.engine.start(outer, null);
    await at.engine.idle();
    const [state, message] = await at.outcome(run);
    assert.equal(state, "failed");
    assert.match(String(message), /Something failed/);
  });

  it("a map state runs one iteration for each item, in order of the results", async () => {
    const machine = graph<number[], number[]>("machine", (g) => {
      const list = g.node(
        "list",
        worker("list", (items: number[]) => items),
      );
      return g.map("items", double, list, (items) => items);
    });
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, [3, 1, 2]);
    assert.deepEqual(await run.result(), [6, 2, 4]);
  });

  it("a map state over an empty list succeeds with an empty result", async () => {
    const machine = graph<number[], number[]>("machine", (g) =>
      g.map(
        "items",
        double,
        g.node(
          "list",
          worker("list", (items: number[]) => items),
        ),
        (items) => items,
      ),
    );
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, []);
    assert.deepEqual(await run.result(), []);
  });

  it("a map state runs no more iterations at once than its maximum concurrency", async () => {
    let running = 0;
    let most = 0;
    const item = worker("item", async (n: number) => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running--;
      return n;
    });
    const machine = graph<number[], number[]>("machine", (g) =>
      g.map(
        "items",
        item,
        g.node(
          "list",
          worker("list", (items: number[]) => items),
        ),
        (items) => items,
        { concurrency: 2 },
      ),
    );
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, [1, 2, 3, 4, 5]);
    await run.result();
    assert.equal(most, 2);
  });

  it("an iteration that fails fails the map state", async () => {
    const odd = worker("odd", once, (n: number) => {
      if (n === 2) throw new Error("two");
      return n;
    });
    const machine = graph<number[], number[]>("machine", (g) =>
      g.map(
        "items",
        odd,
        g.node(
          "list",
          worker("list", (items: number[]) => items),
        ),
        (items) => items,
      ),
    );
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, [1, 2, 3]);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["failed", "two"]);
  });

  it("a map state tolerates a share of failed iterations", async () => {
    const odd = worker("odd", once, (n: number) => {
      if (n % 2 === 0) throw new Error("even");
      return n;
    });
    const judge = worker("judge", (all: { items: Settled<number>[] }) => {
      const failed = all.items.filter(({ ok }) => !ok).length;
      if (failed / all.items.length > 0.5) throw new FinalError("too many failures");
      return failed;
    });
    const machine = graph<number[], number>("machine", (g) => {
      const list = g.node(
        "list",
        worker("list", (items: number[]) => items),
      );
      return g.node("judge", judge, { after: [g.map("items", odd, list, (items) => items, { onError: "collect" })] });
    });
    const at = await scene({ graphs: [machine] });
    const [few, many] = [await at.engine.start(machine, [1, 2, 3]), await at.engine.start(machine, [2, 4, 5])];
    await at.engine.idle();
    assert.deepEqual(
      [await at.outcome(few), await at.outcome(many)],
      [
        ["done", 1],
        ["failed", "too many failures"],
      ],
    );
  });

  it("an iteration is a state machine of its own", async () => {
    const inner = graph<number, number>("inner", (g) => g.node("double", double));
    const machine = graph<number[], number[]>("machine", (g) =>
      g.map(
        "items",
        inner,
        g.node(
          "list",
          worker("list", (items: number[]) => items),
        ),
        (items) => items,
      ),
    );
    const at = await scene({ graphs: [machine, inner] });
    const run = await at.engine.start(machine, [1, 2]);
    assert.deepEqual(await run.result(), [2, 4]);
    assert.equal((await run.describe()).children.length, 2);
  });

  it("an execution name starts one execution, and another input under it is refused", async () => {
    const at = await scene({ workers: [pass] });
    const start = (input: number) => at.engine.start(pass, input, { idempotencyKey: "execution-1" });
    const [first, second] = [await start(1), await start(1)];
    assert.equal(first.id, second.id);
    await assert.rejects(start(2), { code: "SVC_KEY_REUSED" });
  });

  it("a stopped execution ends at once with a cause", async () => {
    const at = await scene({ workers: [hold] });
    const run = await at.engine.start(hold, null);
    await at.engine.idle();
    await run.terminate({ by: "ada", note: "wrong input" });
    const last = (await at.engine.events(run.id)).at(-1);
    assert.equal((await at.outcome(run))[0], "cancelled");
    assert.match(JSON.stringify(last), /wrong input/);
  });

  it("the history of an execution lists its events in order", async () => {
    const machine = graph("machine", (g) => g.node("pass", pass));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, 1);
    await at.engine.idle();
    const events = await at.engine.events(run.id);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    assert.deepEqual([events[0]?.type, events.at(-1)?.type], ["graph.queued", "graph.done"]);
  });

  it("executions are listed by status, page by page", async () => {
    const at = await scene({ workers: [pass, hold] });
    for (let n = 0; n < 3; n++) await at.engine.start(pass, n);
    await at.engine.start(hold, null);
    await at.engine.idle();
    const page = await at.engine.list({ status: "done", limit: 2 });
    assert.deepEqual([page.total, page.items.length, page.nextCursor !== undefined], [3, 2, true]);
    assert.equal((await at.engine.list({ status: "running" })).total, 1);
  });

  it("an invalid definition is refused when it is created, and names its problem", () => {
    assert.throws(() => graph("machine", (g) => void [g.node("a", pass), g.node("a", pass)]), {
      code: "SVC_DEFINITION",
      message: /"a"/,
    });
    assert.throws(() => graph("machine", (g) => g.node("a", pass, { retry: { max: 0 } })), { code: "SVC_DEFINITION" });
  });

  it("an input that is too large is refused", async () => {
    const at = await scene({ workers: [pass], limits: { inputBytes: 1024 } });
    await assert.rejects(at.engine.start(pass, "x".repeat(2000)), { code: "SVC_TOO_LARGE" });
    assert.equal((await at.engine.list({})).total, 0);
  });

  it("a redrive continues a failed execution from the state that failed", async () => {
    const ran: string[] = [];
    let isDown = true;
    const first = worker("first", () => void ran.push("first"));
    const second = worker("second", once, () => {
      ran.push("second");
      if (isDown) throw new Error("down");
    });
    const machine = graph("machine", (g) => g.node("second", second, { after: [g.node("first", first)] }));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.engine.idle();
    isDown = false;
    await at.engine.retry(run.id);
    await at.pass(DAY);
    assert.deepEqual([(await at.outcome(run))[0], ran], ["done", ["first", "second", "second"]]);
  });

  it("the context object names the execution, the state and the attempt", async () => {
    const who = worker("who", { retry: { max: 2, base: "1s" } }, (_: unknown, ctx) => {
      if (ctx.attempt === 1) throw new Error("again");
      return [ctx.graphId, ctx.nodeId, ctx.attempt, ctx.epoch];
    });
    const machine = graph("machine", (g) => g.node("who", who));
    const at = await scene({ graphs: [machine] });
    const run = await at.engine.start(machine, null);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", [run.id, "who", 2, 1]]);
  });
});
