/** Scenarios of Airflow's suite: apache/airflow. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { event, FinalError, graph, WaitTimeoutError, worker, type Settled } from "svckit/graph";
import { DAY, gate, HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

const task = worker("task", () => "done");

const bad = worker("bad", once, (): string => {
  throw new Error("failed");
});

const pass = worker("pass", (input: unknown) => input);
const hold = worker("hold", (_: unknown, ctx) => ctx.waitFor("go"));

const list = worker("list", (items: number[]) => items);

describe("airflow", () => {
  it("a task is retried after its delay, which grows up to its longest", async () => {
    const times: number[] = [];
    const flaky = worker("flaky", { retry: { max: 5, base: "1m", cap: "3m", jitter: false } }, () => {
      times.push(at.clock.now());
      throw new Error("no");
    });
    const at = await scene({ workers: [flaky] });
    await at.engine.start(flaky, null);
    await at.pass(HOUR);
    assert.deepEqual(
      times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / MINUTE),
      [1, 2, 3, 3],
    );
  });

  it("a fail exception ends a task without a retry", async () => {
    let calls = 0;
    const final = worker("final", { retry: { max: 5 } }, () => {
      calls++;
      throw new FinalError("no credentials");
    });
    const at = await scene({ workers: [final] });
    await at.engine.start(final, null);
    await at.pass(DAY);
    assert.equal(calls, 1);
  });

  it("a task that exceeds its execution timeout fails, and is retried", async () => {
    const slow = worker("slow", { timeout: "1m", retry: { max: 2, base: "1s" } }, (_: unknown, ctx) =>
      ctx.attempt === 1 ? untilAborted(ctx.signal) : "in time",
    );
    const at = await scene({ workers: [slow] });
    const run = await at.engine.start(slow, null);
    await at.pass(HOUR);
    assert.deepEqual(await at.outcome(run), ["done", "in time"]);
  });

  it("a run that exceeds its timeout fails, and its tasks are stopped", async () => {
    const dag = graph("dag", (g) => g.node("hold", hold), { timeout: "1h" });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.pass(HOUR);
    assert.deepEqual([(await at.outcome(run))[0], (await at.nodes(run))["hold"]], ["failed", "cancelled"]);
  });

  it("a pool runs no more tasks at once than it has slots", async () => {
    let running = 0;
    let most = 0;
    const pooled = worker("pooled", { concurrency: 2 }, async (name: string) => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running--;
      return name;
    });
    const [one, two] = ["one", "two"].map((name) =>
      graph(name, (g) => {
        for (const node of ["a", "b", "c"]) g.node(node, pooled, { input: () => node });
      }),
    );
    const at = await scene({ graphs: [one!, two!] });
    await at.engine.start("one", null);
    await at.engine.start("two", null);
    await at.engine.idle();
    assert.equal(most, 2);
  });

  it("a task with a higher priority weight takes the next slot of its pool", async () => {
    const ran: string[] = [];
    const first = gate();
    const pooled = worker(
      "pooled",
      { concurrency: 1 },
      (name: string) => (ran.push(name), name === "first" ? first.promise : null),
    );
    const at = await scene({ workers: [pooled] });
    await at.engine.start(pooled, "first");
    await at.until(() => ran.length === 1);
    await at.engine.start(pooled, "light");
    await at.engine.start(pooled, "heavy", { priority: 10 });
    first.open();
    await at.engine.idle();
    assert.deepEqual(ran, ["first", "heavy", "light"]);
  });

  it("max_active_runs holds further runs of a dag back", async () => {
    const dag = graph("dag", (g) => g.node("hold", hold), { concurrency: 1 });
    const at = await scene({ graphs: [dag] });
    const [first, second] = [await at.engine.start(dag, null), await at.engine.start(dag, null)];
    await at.engine.idle();
    assert.equal((await at.outcome(second))[0], "queued");
    await first.signal("go");
    await at.engine.idle();
    assert.equal((await at.outcome(second))[0], "running");
  });

  it("max_active_tis_per_dagrun limits the mapped tasks of a run", async () => {
    let running = 0;
    let most = 0;
    const item = worker("item", async (n: number) => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running--;
      return n;
    });
    const dag = graph<number[], number[]>("dag", (g) =>
      g.map("items", item, g.node("list", list), (items) => items, { concurrency: 1 }),
    );
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, [1, 2, 3]);
    assert.deepEqual([await run.result(), most], [[1, 2, 3], 1]);
  });

  it("a sensor pokes until its condition holds, and takes no slot in between", async () => {
    let pokes = 0;
    const sensor = worker("sensor", { concurrency: 1 }, async (_: unknown, ctx) => {
      for (let n = 0; !(await ctx.step(`poke${n}`, () => ++pokes >= 4)); n++) await ctx.sleep("1m");
      return pokes;
    });
    const at = await scene({ workers: [sensor, pass] });
    const run = await at.engine.start(sensor, null);
    await at.pass(2 * MINUTE);
    await at.crash();
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", 4]);
  });

  it("a sensor with a soft failure ends without a result at its timeout", async () => {
    const sensor = worker("sensor", (_: unknown, ctx) =>
      ctx.waitFor("file", { timeout: "1h" }).catch((error: unknown) => {
        if (error instanceof WaitTimeoutError) return null;
        throw error;
      }),
    );
    const dag = graph("dag", (g) => {
      const file = g.node("sensor", sensor);
      g.node("load", pass, { after: [file], when: (_, { sensor }) => sensor !== null });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.pass(HOUR);
    assert.deepEqual([(await at.outcome(run))[0], (await at.nodes(run))["load"]], ["done", "skipped"]);
  });

  it("a deferred task frees its worker and is resumed by its trigger", async () => {
    const deferred = worker("deferred", { concurrency: 1 }, (_: unknown, ctx) => ctx.waitFor("trigger"));
    const at = await scene({ workers: [deferred] });
    const runs = [await at.engine.start(deferred, null), await at.engine.start(deferred, null)];
    await at.engine.idle();
    for (const run of runs) await run.signal("trigger", "fired");
    assert.deepEqual(await Promise.all(runs.map((run) => run.result())), ["fired", "fired"]);
  });

  it("a task pulls the results of earlier tasks by their names", async () => {
    const pull = worker("pull", (_: unknown, ctx) => [ctx.deps["a"] ?? null, ctx.deps["b"] ?? null]);
    const dag = graph("dag", (g) =>
      g.node("pull", pull, { after: [g.node("a", task), g.node("b", pass, { input: () => 2 })] }),
    );
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    assert.deepEqual(await run.result(), ["done", 2]);
  });

  it("a mapped task runs once for each value of an earlier result", async () => {
    const double = worker("double", (n: number) => n * 2);
    const sum = worker("sum", ({ doubled }: { doubled: number[] }) => doubled.reduce((all, one) => all + one, 0));
    const dag = graph<number[], number>("dag", (g) =>
      g.node("sum", sum, { after: [g.map("doubled", double, g.node("list", list), (items) => items)] }),
    );
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, [1, 2, 3]);
    assert.equal(await run.result(), 12);
    assert.equal((await at.nodes(run))["doubled/1"], "done");
  });

  it("a mapped task over a mapped task follows item by item", async () => {
    const double = worker("double", (n: number) => n * 2);
    const dag = graph<number[], number[]>("dag", (g) => {
      const once = g.map("once", double, g.node("list", list), (items) => items);
      return g.map("twice", double, once, (items) => items);
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, [1, 2]);
    assert.deepEqual(await run.result(), [4, 8]);
  });

  it("a mapped task of length zero is skipped, with what follows it", async () => {
    const dag = graph<number[], unknown>("dag", (g) =>
      g.node("join", pass, { after: [g.map("items", pass, g.node("list", list), (items) => items)] }),
    );
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, []);
    assert.deepEqual(await run.result(), { items: [] });
  });

  it("a failed item of a mapped task leaves the results of the others", async () => {
    const odd = worker("odd", once, (n: number) => {
      if (n === 2) throw new Error("two");
      return n;
    });
    const count = worker("count", ({ items }: { items: Settled<number>[] }) => items.filter(({ ok }) => ok).length);
    const dag = graph<number[], number>("dag", (g) =>
      g.node("count", count, {
        after: [g.map("items", odd, g.node("list", list), (items) => items, { onError: "collect" })],
      }),
    );
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, [1, 2, 3]);
    assert.equal(await run.result(), 2);
  });

  it("clearing a task runs it and all tasks behind it again", async () => {
    const ran: string[] = [];
    const step = (name: string) => worker(name, () => (ran.push(name), name));
    const dag = graph("dag", (g) => {
      const a = g.node("a", step("a"));
      g.node("c", step("c"), { after: [g.node("b", step("b"), { after: [a] })] });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    await at.engine.retry(run.id, { from: "b", by: "ada" });
    await at.engine.idle();
    assert.deepEqual(ran, ["a", "b", "c", "b", "c"]);
  });

  it("a triggered dag run is waited for, and fails the task that triggered it", async () => {
    const child = graph<null, string>("child", (g) => g.node("bad", bad));
    const parent = graph("parent", (g) => g.node("trigger", child));
    const at = await scene({ graphs: [parent, child] });
    const run = await at.engine.start(parent, null);
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], (await at.runs("child"))[0]?.[1]], ["failed", "failed"]);
  });

  it("a backfill runs each time of a past period that has no run", async () => {
    const at = await scene({
      workers: [pass],
      schedules: [{ name: "daily", cron: "@daily", worker: "pass", overlap: "allow" }],
    });
    await at.engine.recover();
    await at.pass(2 * DAY);
    const untilMs = at.clock.now();
    const report = await at.engine.schedule.backfill("daily", { fromMs: untilMs - 5 * DAY, untilMs });
    await at.engine.idle();
    assert.deepEqual([report.started.length, report.known], [4, 2]);
    assert.equal((await at.runs("pass")).length, 6);
  });

  it("without catchup only the latest missed interval runs", async () => {
    const at = await scene({
      workers: [pass],
      schedules: [{ name: "daily", cron: "@daily", worker: "pass", catchUp: "last" }],
    });
    await at.engine.recover();
    await at.engine.close();
    await at.clock.advance(5 * DAY + HOUR);
    await at.crash();
    await at.pass(SECOND);
    assert.equal((await at.runs("pass")).length, 1);
  });

  it("an asset event starts the dags that are scheduled on it", async () => {
    const updated = event<{ uri: string }>("asset.updated");
    const dag = graph<{ uri: string }, unknown>("dag", (g) => g.node("load", pass), { on: updated });
    const at = await scene({ graphs: [dag] });
    await at.engine.send(updated, { uri: "s3://a" });
    await at.engine.idle();
    assert.deepEqual(
      (await at.runs("dag")).map(([input]) => input),
      [{ uri: "s3://a" }],
    );
  });

  it("a dag that is scheduled on two assets runs once both are updated", async () => {
    const updated = event<{ uri: string }>("asset.updated");
    const both = worker("both", async (_: unknown, ctx) => {
      const uris = ["a", "b"].map((uri) => ctx.waitForEvent(updated, { key: uri, match: { uri } }));
      return (await Promise.all(uris)).length;
    });
    const at = await scene({ workers: [both] });
    const run = await at.engine.start(both, null);
    await at.engine.idle();
    await at.engine.send(updated, { uri: "b" });
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "running");
    await at.engine.send(updated, { uri: "a" });
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 2]);
  });

  it("the failure callback of a dag gets the failed task", async () => {
    const failures: (string | undefined)[] = [];
    const dag = graph("dag", (g) => g.node("bad", bad), { onFailure: (ctx) => void failures.push(ctx.failure.node) });
    const at = await scene({ graphs: [dag] });
    await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual(failures, ["bad"]);
  });

  it("a teardown runs although the work between it and its setup has failed", async () => {
    const torn: string[] = [];
    const setup = worker("setup", { compensate: (_, cluster: string) => void torn.push(cluster) }, () => "cluster-1");
    const dag = graph("dag", (g) => g.node("work", bad, { after: [g.node("setup", setup)] }));
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], torn], ["failed", ["cluster-1"]]);
  });

  it("a task whose worker has vanished is not lost: another process runs it again", async () => {
    let calls = 0;
    const zombie = worker("zombie", (_: unknown, ctx) => (++calls === 1 ? untilAborted(ctx.signal) : calls));
    const at = await scene({ workers: [zombie] });
    const run = await at.engine.start(zombie, null);
    await at.until(() => calls === 1);
    await at.crash();
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 2]);
  });

  it("a run with params that do not fit their schema is refused", async () => {
    const typed = worker("typed", { input: v.object({ days: v.pipe(v.number(), v.minValue(1)) }) }, ({ days }) => days);
    const at = await scene({ workers: [typed] });
    await assert.rejects(at.engine.start(typed, { days: 0 }), { code: "SVC_INVALID" });
    assert.equal((await at.engine.list({})).total, 0);
  });

  it("a person approves or rejects, and the run continues with the answer", async () => {
    const decision = v.object({ choice: v.picklist(["approve", "reject"]) });
    const ask = worker("ask", async (_: unknown, ctx) => (await ctx.waitFor("decision", { schema: decision })).choice);
    const dag = graph("dag", (g) => {
      const asked = g.node("ask", ask);
      g.node("deploy", task, { after: [asked], when: (_, { ask }) => ask === "approve" });
    });
    const at = await scene({ graphs: [dag] });
    const run = await at.engine.start(dag, null);
    await at.engine.idle();
    await assert.rejects(run.signal("decision", { choice: "later" }), { code: "SVC_INVALID" });
    await run.signal("decision", { choice: "reject" });
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], (await at.nodes(run))["deploy"]], ["done", "skipped"]);
  });

  it("a daily dag follows the wall clock of its time zone", async () => {
    const at = await scene(
      {
        workers: [pass],
        schedules: [{ name: "daily", cron: "30 2 * * *", timeZone: "Europe/Berlin", worker: "pass" }],
      },
      Date.UTC(2026, 2, 28),
    );
    await at.engine.recover();
    await at.pass(2 * DAY);
    const times = (await at.runs("pass")).map(([input]) =>
      new Date((input as { scheduled_ms: number }).scheduled_ms).toISOString(),
    );
    assert.deepEqual(times, ["2026-03-28T01:30:00.000Z", "2026-03-29T01:00:00.000Z"]);
  });

  it("a task that was removed from the dag does not change a run in flight", async () => {
    const version = (...names: string[]) =>
      graph("dag", (g) => {
        const held = g.node("hold", hold);
        for (const name of names) g.node(name, task, { after: [held] });
      });
    const at = await scene({ graphs: [version("report")] });
    const run = await at.engine.start("dag", null);
    await at.engine.idle();
    await at.crash({ graphs: [version()] });
    assert.equal((await at.outcome(run))[0], "parked");
    await at.crash({ graphs: [version("report")] });
    await at.engine.signal(run.id, "go");
    await at.engine.idle();
    assert.equal((await at.outcome(run))[0], "done");
  });
});
