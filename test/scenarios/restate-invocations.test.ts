/** Scenarios of Restate's suites: restatedev/sdk-test-suite and restatedev/e2e. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asWorker, CallError, defineUpdate, FinalError, graph, worker, type Worker } from "svckit/graph";
import { DAY, gate, HOUR, MINUTE, once, scene, SECOND } from "./scene.ts";

const echo = worker("echo", (input: unknown) => input);

describe("restate", () => {
  it("an idempotent invocation returns the stored response of the first one", async () => {
    let calls = 0;
    const add = worker("add", (by: number) => (calls += by));
    const at = await scene({ workers: [add] });
    const call = async () => (await at.engine.start(add, 2, { idempotencyKey: "add-1" })).result();
    assert.deepEqual([await call(), await call()], [2, 2]);
    await at.crash();
    assert.deepEqual([await call(), calls], [2, 2]);
  });

  it("an idempotent send can be attached to later by its id", async () => {
    const flow = worker("flow", (_: unknown, ctx) => ctx.waitFor("go"));
    const at = await scene({ workers: [flow] });
    const sent = await at.engine.start(flow, null, { idempotencyKey: "k" });
    await at.engine.idle();
    const again = await at.engine.start(flow, null, { idempotencyKey: "k" });
    assert.deepEqual([again.created, again.id], [false, sent.id]);
    await at.engine.signal(sent.id, "go", "value");
    assert.equal(await at.engine.getHandle(flow, sent.id).result(), "value");
  });

  it("a delayed send runs at its time, once", async () => {
    const ran: number[] = [];
    const note = worker("note", () => void ran.push(at.clock.now()));
    const at = await scene({ workers: [note] });
    const startMs = at.clock.now();
    await at.engine.start(note, null, { delay: "10s" });
    await at.pass(5 * SECOND);
    await at.crash();
    await at.pass(MINUTE);
    assert.deepEqual(ran, [startMs + 10 * SECOND]);
  });

  it("calls of one virtual object run one after the other, in their order", async () => {
    const log: string[] = [];
    const append = worker("append", async ({ value }: { key: string; value: string }, ctx) => {
      log.push(`begin ${value}`);
      await ctx.sleep("1s");
      log.push(`end ${value}`);
    });
    const list = graph<{ key: string; value: string }, unknown>("list", (g) => g.node("append", append), {
      concurrency: { limit: 1, key: ({ key }) => key },
    });
    const at = await scene({ graphs: [list] });
    for (const value of ["a", "b", "c"]) await at.engine.start(list, { key: "k", value });
    await at.pass(MINUTE);
    assert.deepEqual(log, ["begin a", "end a", "begin b", "end b", "begin c", "end c"]);
  });

  it("virtual objects with other keys do not wait", async () => {
    const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("go"));
    const object = graph<string, unknown>("object", (g) => g.node("hold", hold), {
      concurrency: { limit: 1, key: (key) => key },
    });
    const at = await scene({ graphs: [object] });
    for (const key of ["a", "b", "a"]) await at.engine.start(object, key);
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("object")).map(([, state]) => state),
      ["running", "running", "queued"],
    );
  });

  it("a virtual object keeps its state between calls", async () => {
    const add = defineUpdate<number, number>("add");
    const counter = worker("counter", async (_: unknown, ctx) => {
      let count = 0;
      for (;;) {
        const { value } = await ctx.handleUpdate(add, (by) => count + by);
        count += value;
      }
    });
    const at = await scene({ workers: [counter] });
    const run = await at.engine.start(counter, null, { idempotencyKey: "counter/a" });
    assert.equal(await run.update(add, 1), 1);
    await at.crash();
    assert.equal(await at.engine.update(run.id, add, 2), 3);
  });

  it("state of an invocation is read, changed and cleared over its attempts", async () => {
    const seen: unknown[] = [];
    const flow = worker<unknown, void, { list: string[] | null }>(
      "flow",
      { retry: { max: 3, base: "1s" } },
      async (_, ctx) => {
        const list = ctx.state.get("list");
        seen.push(list);
        ctx.state.set("list", ctx.attempt === 2 ? null : [...(list ?? []), "a"]);
        await ctx.checkpoint();
        if (ctx.attempt < 3) throw new Error("again");
      },
    );
    const at = await scene({ workers: [flow] });
    await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual(seen, [undefined, ["a"], null]);
  });

  it("a workflow runs once for its key, and later submits attach to it", async () => {
    let runs = 0;
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.step("count", () => ++runs);
      return ctx.waitFor("done");
    });
    const at = await scene({ workers: [flow] });
    const submit = () => at.engine.start(flow, null, { idempotencyKey: "wf-1" });
    const first = await submit();
    await at.engine.idle();
    await first.signal("done", "output");
    const results = await Promise.all([first.result(), submit().then((run) => run.result())]);
    assert.deepEqual([results, runs], [["output", "output"], 1]);
  });

  it("the output of a workflow is looked up without waiting for it", async () => {
    const flow = worker("flow", (_: unknown, ctx) => ctx.waitFor("done"));
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.equal((await run.describe()).status, "running");
    await run.signal("done", 1);
    await at.engine.idle();
    const { status, result } = await run.describe();
    assert.deepEqual([status, result], ["done", 1]);
  });

  it("many sleeps at once occupy no worker and all end", async () => {
    const nap = worker("nap", { concurrency: 1 }, async (seconds: number, ctx) => {
      await ctx.sleep(seconds * SECOND);
      return seconds;
    });
    const at = await scene({ workers: [nap] });
    for (let n = 1; n <= 50; n++) await at.engine.start(nap, n);
    await at.pass(50 * SECOND);
    assert.equal((await at.engine.list({ worker: "nap", status: "done" })).total, 50);
  });

  it("a terminal error of a called handler reaches the caller", async () => {
    const failing = worker("failing", (): string => {
      throw new FinalError("internal error");
    });
    const flow = worker("flow", (_: unknown, ctx) =>
      ctx
        .call("failing", failing, null)
        .catch((error: unknown) => (error instanceof CallError ? error.message : "other")),
    );
    const at = await scene({ workers: [flow, failing] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    const [state, message] = await at.outcome(run);
    assert.equal(state, "done");
    assert.match(String(message), /internal error/);
  });

  it("an error that is not terminal is retried until the handler succeeds", async () => {
    let calls = 0;
    const flaky = worker("flaky", { retry: { max: 10, base: "10ms" } }, () => {
      if (++calls < 5) throw new Error("not yet");
      return calls;
    });
    const at = await scene({ workers: [flaky] });
    const run = await at.engine.start(flaky, null);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", 5]);
  });

  it("a one-way call does not keep its caller waiting", async () => {
    const slow = worker("slow", (_: unknown, ctx) => ctx.waitFor("go"));
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.step("send", async ({ idempotencyKey }) => (await at.engine.start(slow, null, { idempotencyKey })).id);
      return "sent";
    });
    const at = await scene({ workers: [flow, slow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual([await at.outcome(run), (await at.runs("slow"))[0]?.[1]], [["done", "sent"], "running"]);
  });

  it("an invocation in flight continues on the deployment that it was started with", async () => {
    const version = (name: string) =>
      worker("flow", { version: name }, async (_: unknown, ctx) => {
        await ctx.waitFor("go");
        return name;
      });
    const at = await scene({ workers: [version("v1")] });
    const old = await at.engine.start("flow", null);
    await at.engine.idle();
    const graphs = [version("v1"), version("v2")];
    await at.crash({ workers: graphs });
    const next = await at.engine.start("flow", null);
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

  it("a journal that does not fit the code is reported and not replayed wrongly", async () => {
    let isChanged = false;
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      if (isChanged) await ctx.sleep("1s", { key: "k" });
      else await ctx.step("k", () => 1);
      await ctx.waitFor("go");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    isChanged = true;
    await at.crash();
    await at.engine.idle();
    assert.match(String((await at.outcome(run))[1]), /"k" of ctx\.sleep .* ctx\.step/);
  });

  it("an invocation is paused and resumed by an operator", async () => {
    const ran: number[] = [];
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.waitFor("go");
      await ctx.step("after", () => ran.push(1));
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await at.engine.pause(run.id, { by: "ada", note: "investigate" });
    await run.signal("go");
    await at.pass(DAY);
    assert.deepEqual([(await at.outcome(run))[0], ran], ["paused", []]);
    await at.engine.resume(run.id);
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], ran], ["done", [1]]);
  });

  it("an invocation is restarted as new from a step", async () => {
    const ran: string[] = [];
    const step = (name: string) => worker(name, () => (ran.push(name), name));
    const flow = graph("flow", (g) => g.node("b", step("b"), { after: [g.node("a", step("a"))] }));
    const at = await scene({ graphs: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    const copy = await at.engine.fork(run.id, { from: "b" });
    await at.engine.idle();
    assert.deepEqual([ran, copy.forked_from], [["a", "b", "b"], run.id]);
  });

  it("a random number of the context is the same in every attempt", async () => {
    const seen = new Set<string>();
    const flow = worker("flow", { retry: { max: 3, base: "1s" } }, (_: unknown, ctx) => {
      seen.add(ctx.idempotencyKey("order"));
      if (ctx.attempt < 3) throw new Error("again");
    });
    const at = await scene({ workers: [flow] });
    const runs = [await at.engine.start(flow, null), await at.engine.start(flow, null)];
    await at.pass(MINUTE);
    assert.deepEqual([seen.size, new Set(runs.map(({ id }) => id)).size], [2, 2]);
  });

  it("after the retention time a finished invocation is forgotten, with its idempotency key", async () => {
    const at = await scene({ workers: [echo], retention: "1h" });
    const first = await at.engine.start(echo, 1, { idempotencyKey: "k" });
    await at.engine.idle();
    await at.pass(HOUR);
    await at.engine.purge({ finishedBeforeMs: at.clock.now() });
    const second = await at.engine.start(echo, 2, { idempotencyKey: "k" });
    assert.deepEqual([second.created, second.id === first.id], [true, false]);
    assert.equal(await second.result(), 2);
  });

  it("a call tree of any depth completes with one slot", async () => {
    const depth: Worker<number, number> = worker("depth", { concurrency: 1 }, async (n: number, ctx): Promise<number> =>
      n === 0 ? 0 : 1 + (await ctx.call("next", depth, n - 1)),
    );
    const at = await scene({ workers: [depth] });
    const run = await at.engine.start(depth, 8);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 8]);
  });

  it("work that the runtime dies on continues where it was, at any moment", async () => {
    const counts = new Map<string, number>();
    const flow = worker("flow", async (_: unknown, ctx) => {
      for (let n = 0; n < 6; n++)
        await ctx.step(`n${n}`, () => void counts.set(`n${n}`, (counts.get(`n${n}`) ?? 0) + 1));
      return counts.size;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    for (let n = 0; n < 6; n++) {
      await at.until(() => counts.size > n);
      await at.crash();
    }
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 6]);
    assert.ok([...counts.values()].every((count) => count <= 2));
  });

  it("a child workflow is called, and its result is stored once", async () => {
    let calls = 0;
    const child = graph<number, number>("child", (g) =>
      g.node(
        "double",
        worker("double", (n: number) => (calls++, n * 2)),
      ),
    );
    const flow = worker("flow", async (n: number, ctx) => {
      const doubled = await ctx.call("child", asWorker(child), n);
      await ctx.waitFor("go");
      return doubled;
    });
    const at = await scene({ workers: [flow], graphs: [child] });
    const run = await at.engine.start(flow, 4);
    await at.engine.idle();
    await at.crash();
    await at.engine.signal(run.id, "go");
    await at.engine.idle();
    assert.deepEqual([await at.outcome(run), calls], [["done", 8], 1]);
  });

  it("a call that waits for a busy key is given up after a time", async () => {
    const hold = gate();
    const inner = graph<string, unknown>(
      "locked",
      (g) =>
        g.node(
          "hold",
          worker("hold", () => hold.promise),
        ),
      {
        concurrency: { limit: 1, key: (key) => key },
        ttl: "1m",
      },
    );
    const at = await scene({ graphs: [inner] });
    const [first, second] = [await at.engine.start(inner, "a"), await at.engine.start(inner, "a")];
    await at.clock.advance(MINUTE);
    await at.until(async () => (await at.outcome(second))[0] === "cancelled");
    hold.open();
    await at.engine.idle();
    assert.equal((await at.outcome(first))[0], "done");
  });
});
