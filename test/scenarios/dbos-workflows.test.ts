/** Scenarios of DBOS's suite: dbos-inc/dbos-transact-ts. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WaitTimeoutError, worker, type Json, type TransactionHandle } from "svckit/graph";
import { gate, HOUR, MINUTE, once, scene, SECOND } from "./scene.ts";

const rowCount = async (db: TransactionHandle, sql: string, ...values: string[]): Promise<number> =>
  (await db.query(sql, values)).rows.length;

describe("dbos", () => {
  it("a recovered workflow skips its completed steps", async () => {
    const ran: string[] = [];
    const hold = gate();
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.step("one", () => void ran.push("one"));
      await ctx.step("two", async () => {
        ran.push("two");
        if (ran.length < 3) await hold.promise;
      });
      return "end";
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.until(() => ran.length === 2);
    await at.crash();
    await at.engine.idle();
    assert.deepEqual(
      [await at.outcome(run), ran],
      [
        ["done", "end"],
        ["one", "two", "two"],
      ],
    );
  });

  it("one workflow id executes once, also for concurrent calls", async () => {
    let calls = 0;
    const pay = worker("pay", (cents: number) => (calls++, cents));
    const at = await scene({ workers: [pay] });
    const start = () => at.engine.start(pay, 5, { idempotencyKey: "pay-1" });
    const runs = await Promise.all([start(), start(), start()]);
    assert.deepEqual(await Promise.all(runs.map((run) => run.result())), [5, 5, 5]);
    assert.deepEqual([new Set(runs.map(({ id }) => id)).size, calls], [1, 1]);
  });

  it("a step is retried with exponential backoff", async () => {
    const times: number[] = [];
    const flow = worker("flow", (_: unknown, ctx) =>
      ctx.step(
        "flaky",
        ({ attempt }) => {
          times.push(at.clock.now());
          if (attempt < 4) throw new Error("busy");
          return "ok";
        },
        { retry: { max: 4, base: "1s", jitter: false } },
      ),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    const waits = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / SECOND);
    assert.deepEqual(
      [await at.outcome(run), waits],
      [
        ["done", "ok"],
        [1, 2, 4],
      ],
    );
  });

  it("a step whose tries are used up throws its last error into the workflow", async () => {
    let calls = 0;
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      const failing = ctx.step(
        "bad",
        () => {
          throw new Error(`try ${++calls}`);
        },
        { retry: { max: 3, base: "1s" } },
      );
      return failing.catch((error: Error) => error.message);
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual([await at.outcome(run), calls], [["done", "try 3"], 3]);
  });

  it("an error that must not be retried ends the step", async () => {
    let calls = 0;
    const flow = worker("flow", once, (_: unknown, ctx) =>
      ctx.step(
        "bad",
        () => {
          calls++;
          throw new TypeError("no");
        },
        { retry: { max: 5, retryIf: (error) => !(error instanceof TypeError) } },
      ),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual([await at.outcome(run), calls], [["failed", "no"], 1]);
  });

  it("a sleep of a recovered workflow ends at its original time", async () => {
    const nap = worker("nap", async (_: unknown, ctx) => {
      await ctx.sleep("1h");
      return at.clock.now();
    });
    const at = await scene({ workers: [nap] });
    const startMs = at.clock.now();
    const run = await at.engine.start(nap, null);
    await at.pass(40 * MINUTE);
    await at.crash();
    await at.pass(20 * MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", startMs + HOUR]);
  });

  it("messages are received once, in the order of sending, also over a crash", async () => {
    const receive = worker("receive", async (_: unknown, ctx) => {
      const all: Json[] = [];
      while (all.length < 3) all.push(await ctx.waitFor("topic"));
      return all;
    });
    const at = await scene({ workers: [receive] });
    const run = await at.engine.start(receive, null);
    await at.engine.idle();
    await at.engine.signal(run.id, "topic", "a");
    await at.engine.signal(run.id, "topic", "b");
    await at.engine.idle();
    await at.crash();
    await at.engine.signal(run.id, "topic", "c");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", ["a", "b", "c"]]);
  });

  it("messages of other topics are left for their receivers", async () => {
    const receive = worker("receive", async (_: unknown, ctx) => [await ctx.waitFor("b"), await ctx.waitFor("a")]);
    const at = await scene({ workers: [receive] });
    const run = await at.engine.start(receive, null);
    await run.signal("a", 1);
    await run.signal("b", 2);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [2, 1]]);
  });

  it("receiving ends at its timeout, and a recovered workflow does not wait again", async () => {
    let timeouts = 0;
    const receive = worker("receive", async (_: unknown, ctx) => {
      const first = await ctx.waitFor("topic", { timeout: "1m" }).catch((error: unknown) => {
        assert.ok(error instanceof WaitTimeoutError);
        return `timeout ${++timeouts}`;
      });
      await ctx.waitFor("end");
      return first;
    });
    const at = await scene({ workers: [receive] });
    const run = await at.engine.start(receive, null);
    await at.pass(MINUTE);
    await at.crash();
    await at.engine.signal(run.id, "topic", "late");
    await at.engine.signal(run.id, "end");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "timeout 2"]);
  });

  it("a message with a known idempotency key is delivered once", async () => {
    const receive = worker("receive", async (_: unknown, ctx) => [
      await ctx.waitFor("topic"),
      await ctx.waitFor("topic", { timeout: "1m" }).catch(() => null),
    ]);
    const at = await scene({ workers: [receive] });
    const run = await at.engine.start(receive, null);
    for (let n = 0; n < 2; n++) await run.signal("topic", n, { idempotencyKey: "m-1" });
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", [0, null]]);
  });

  it("a workflow publishes an event that others read", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      ctx.emit("status", { page: 7 });
      await ctx.waitFor("end");
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(SECOND);
    const events = (await at.engine.events(run.id)).filter(({ data }) => JSON.stringify(data)?.includes("page"));
    assert.equal(events.length, 1);
  });

  it("a stream of a workflow is read while it is written, and ends with it", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      for (const n of [1, 2, 3]) {
        ctx.emit("row", n);
        await ctx.step(`row${n}`, () => n);
      }
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null, { delay: "1s" });
    const rows: Json[] = [];
    const reading = (async () => {
      for await (const { data } of at.engine.subscribe(run.id, 0, new AbortController().signal))
        if (data !== undefined && (data as { name?: Json }).name === "row") rows.push((data as { data: Json }).data);
    })();
    await at.pass(SECOND);
    await reading;
    assert.deepEqual(rows, [1, 2, 3]);
  });

  it("rows of a transaction are written once with the step, also over a crash", async () => {
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      await ctx.tx(async (db) => rowCount(db, "CREATE TABLE IF NOT EXISTS booking (who TEXT)"), { key: "table" });
      await ctx.tx(async (db) => rowCount(db, "INSERT INTO booking VALUES ($1)", "ada"), { key: "book" });
      await ctx.waitFor("end");
      return ctx.tx(async (db) => rowCount(db, "SELECT who FROM booking"), { key: "read" });
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await at.crash();
    await at.engine.signal(run.id, "end");
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 1]);
  });

  it("a transaction that throws writes nothing", async () => {
    const flow = worker("flow", once, async (_: unknown, ctx) => {
      await ctx.tx(async (db) => rowCount(db, "CREATE TABLE booking (who TEXT)"), { key: "table" });
      const failing = ctx.tx(
        async (db) => {
          await db.query("INSERT INTO booking VALUES ($1)", ["ada"]);
          throw new Error("no seat");
        },
        { key: "book" },
      );
      await failing.catch(() => undefined);
      return ctx.tx(async (db) => rowCount(db, "SELECT who FROM booking"), { key: "read" });
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", 0]);
  });
});
