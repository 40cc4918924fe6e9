import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { TransactionHandle } from "../../storage/contract/transaction.ts";
import { graph, worker } from "../definition/definition.ts";
import type { Snapshot } from "../machine/view-types.ts";
import { bench, REMOTE, gate } from "./engine.testkit.ts";

const TABLE = "CREATE TABLE IF NOT EXISTS booking (id INTEGER PRIMARY KEY, who TEXT NOT NULL UNIQUE)";

const book = (db: TransactionHandle, who: string): Json => {
  db.prepare(TABLE).run();
  db.prepare("INSERT INTO booking (who) VALUES (?)").run(who);
  return Number(db.prepare("SELECT count(*) AS total FROM booking").get()?.["total"]);
};

describe("the rows that a worker writes with ctx.tx", () => {
  it("are written with the step's result, and not again by the next attempt", async () => {
    let tries = 0;
    const booking = worker("booking", { retry: { max: 3, base: 0 } }, async (who: string, ctx) => {
      const total = await ctx.tx((db) => book(db, who));
      if (++tries === 1) throw new Error("after the commit");
      return [total, await ctx.tx((db) => db.prepare("SELECT who FROM booking ORDER BY who").all())];
    });
    const table = await bench({ workers: [booking] }, "sqlite:");
    const { snapshot } = await table.engine.start("booking", "Ada");
    await table.engine.idle();
    await table.pass(1);
    const done = await table.engine.snapshot(snapshot.graph_id);
    assert.deepEqual([done?.status, done?.result, tries], ["done", [1, [{ who: "Ada" }]], 2]);
    assert.deepEqual(
      done?.nodes.map(({ id }) => id),
      ["booking", "booking#tx~1", "booking#tx~2"],
    );
    await table.store.close();
  });

  it("are not written if the function throws or returns an invalid value, and the run continues", async () => {
    const clumsy = worker("clumsy", { retry: { max: 1 } }, async (_: Json, ctx) => {
      const errors: string[] = [];
      const wrong: ((db: TransactionHandle) => unknown)[] = [
        (db) => {
          book(db, "Ada");
          throw new Error("no");
        },
        (db) => [book(db, "Ada"), new Date(0)],
        (db) => Promise.resolve(book(db, "Ada")),
        (db) => db.prepare("COMMIT").run(),
        (db) => db.prepare("INSERT INTO nowhere VALUES (1)").run(),
      ];
      for (const run of wrong) await ctx.tx(run).catch((error: Error) => errors.push(error.message));
      const total = await ctx.tx((db) => book(db, "Grace"));
      return { errors, total };
    });
    const { engine, store, logs } = await bench({ workers: [clumsy] }, "sqlite:");
    const { snapshot } = await engine.start("clumsy", null);
    await engine.idle();
    const done = (await engine.snapshot(snapshot.graph_id)) as Snapshot;
    const { errors, total } = done.result as { errors: string[]; total: number };
    assert.equal(total, 1);
    for (const [at, expected] of [
      /^no$/,
      /^the result of ctx\.tx of "clumsy"\[1\] is a Date/,
      /returns a promise but is not async/,
      /does not allow "COMMIT"/,
      /no such table: nowhere/,
    ].entries())
      assert.match(errors[at] ?? "", expected);
    assert.deepEqual(logs, []);
    await store.close();
  });

  it("are absent after a crash before the commit, and written once after a crash behind it", async () => {
    const booking = worker("booking", async (who: string, ctx) => {
      const total = await ctx.tx((db) => book(db, who));
      await ctx.waitFor("go");
      return total;
    });
    const table = await bench({ workers: [booking] }, "sqlite:");
    const { snapshot } = await table.engine.start("booking", "Ada");
    await table.engine.idle();
    await table.crash();
    await table.engine.signal(snapshot.graph_id, "go");
    await table.engine.idle();
    assert.equal((await table.engine.snapshot(snapshot.graph_id))?.result, 1);
    await table.store.close();
  });

  it("share a commit with waiting transitions, in order", async () => {
    const busy = worker("busy", async (n: number, ctx) => {
      ctx.log("info", "before");
      const total = ctx.tx((db) => book(db, `guest ${n}`));
      ctx.log("info", "beside");
      return total;
    });
    const { engine, store } = await bench({ workers: [busy] }, "sqlite:");
    const started = await Promise.all([1, 2, 3].map((n) => engine.start("busy", n)));
    await engine.idle();
    const results = await Promise.all(
      started.map(async ({ snapshot }) => (await engine.snapshot(snapshot.graph_id))?.result),
    );
    assert.deepEqual(new Set(results as number[]), new Set([1, 2, 3]));
    for (const { snapshot } of started) {
      const seqs = (await store.graphs.events(snapshot.graph_id, 0)).map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        seqs.map((_, at) => at + 1),
      );
    }
    await store.close();
  });

  for (const url of ["sqlite:", REMOTE])
    it(`follow the transitions that occurred during their statements, and a failure affects only them, on ${url}`, async () => {
      const { promise, open } = gate();
      const book2 = worker("book", { retry: { max: 1 } }, (who: string, ctx) =>
        ctx.tx(async (db) => {
          await db.query(TABLE);
          ctx.log("info", "between");
          await promise;
          await db.query("INSERT INTO booking (who) VALUES ($1)", [who]);
          ctx.log("info", "behind");
          if (who === "nobody") throw new Error("no");
          return (await db.query("SELECT count(*) AS total FROM booking")).rows[0]?.["total"] ?? null;
        }),
      );
      const beside = worker("beside", () => 1);
      const both = graph("both", (g) => {
        const booked = g.node("book", book2);
        return g.node("beside", beside, { after: [booked] });
      });
      const { engine, store, logs } = await bench({ graphs: [both] }, url);
      const started = await Promise.all(["Ada", "nobody"].map((who) => engine.start("both", who)));
      const [good, bad] = started.map(({ snapshot }) => snapshot.graph_id) as [string, string];
      open();
      await engine.idle();
      const [done, failed] = [await engine.snapshot(good), await engine.snapshot(bad)];
      assert.deepEqual([done?.status, failed?.status, failed?.error?.message], ["done", "failed", "no"]);
      const reported = (await store.graphs.events(good, 0)).filter(
        ({ type }) => type === "log" || type === "node.done",
      );
      assert.deepEqual(
        reported.map(({ type, node }) => `${type} ${node}`),
        ["log book", "log book", "node.done book#tx~1", "node.done book", "node.done beside"],
      );
      assert.deepEqual(logs, []);
      await store.close();
    });

  for (const url of ["sqlite:", "postgres:", REMOTE])
    it(`report the number of changed rows, for the statements as the author wrote them, on ${url}`, async () => {
      const book3 = worker("book", (_: Json, ctx) =>
        ctx.tx(async (db) => {
          await db.query(TABLE);
          const written = await db.query("INSERT INTO booking VALUES (1, '$5 off'), (2, $1) /* not $2 */", ["Ada"]);
          const read = await db.query("SELECT who FROM booking WHERE who <> $1 ORDER BY who", ["Ada"]);
          const none = await db.query("UPDATE booking SET who = $2 WHERE who = $1", ["nobody", "somebody"]);
          return [written.changes, read.changes, read.rows.map(({ who }) => who ?? null), none.changes];
        }),
      );
      const { engine, store } = await bench({ workers: [book3] }, url);
      const { snapshot } = await engine.start("book", null);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, [2, 0, ["$5 off"], 0]);
      await store.close();
    });

  it("are rolled back if the function takes too long, and its later statements have no effect", async (test) => {
    const { promise, open } = gate();
    const begun = gate();
    const late: string[] = [];
    const slow = worker("slow", { retry: { max: 1 } }, (_: Json, ctx) =>
      ctx.tx(async (db) => {
        await db.query(TABLE);
        begun.open();
        await promise;
        await db.query("INSERT INTO booking (who) VALUES ('late')").catch((error: Error) => late.push(error.message));
        return "too late";
      }),
    );
    const look = worker("look", (_: Json, ctx) =>
      ctx.tx((db) => (db.prepare(TABLE).run(), db.prepare("SELECT who FROM booking").all())),
    );
    const { engine, store } = await bench({ workers: [slow, look] }, "sqlite:");
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const { snapshot } = await engine.start("slow", null);
    await begun.promise;
    test.mock.timers.tick(10_000);
    await engine.idle();
    test.mock.timers.reset();
    const { status, error } = (await engine.snapshot(snapshot.graph_id)) as Snapshot;
    assert.equal(status, "failed");
    assert.match(error?.message ?? "", /A transaction was rolled back because it was open for 10000 ms/);
    open();
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(late[0] ?? "", /The transaction of this ctx\.tx has ended/);
    const { snapshot: looked } = await engine.start("look", null);
    await engine.idle();
    assert.deepEqual((await engine.snapshot(looked.graph_id))?.result, []);
    assert.deepEqual(
      (await engine.snapshot(snapshot.graph_id))?.nodes.map((node) => [node.id, node.status]),
      [
        ["slow", "failed"],
        ["slow#tx~1", "failed"],
      ],
    );
    await store.close();
  });
});
