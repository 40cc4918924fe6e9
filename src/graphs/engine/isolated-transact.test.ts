/** `ctx.tx` of workers in threads: the server writes the rows, while the function runs in the thread. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { systemClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { openStore } from "../../storage/open-store.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { worker } from "../definition/definition.ts";
import type { Worker } from "../definition/definition-types.ts";
import { createEngine } from "./engine.ts";
import type { Engine } from "./engine-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-thread-rows-"));
const file = join(folder, "rows.mjs");

/** A second process that creates the table, reads it, and writes while a thread may have an open transaction. */
const rows = worker("rows", { retry: { max: 1 } }, async (who: string | null, ctx) =>
  ctx.tx(async (db) => {
    await db.query("CREATE TABLE IF NOT EXISTS own_row (who TEXT PRIMARY KEY)");
    if (who === "") await db.query("DELETE FROM own_row");
    else if (who !== null) await db.query("INSERT INTO own_row (who) VALUES ($1)", [who]);
    const { rows: all } = await db.query("SELECT who FROM own_row ORDER BY who");
    return all.map((row) => row["who"]) as Json;
  }),
);

writeFileSync(
  file,
  `
import { existsSync } from "node:fs";
import { worker } from ${JSON.stringify(new URL("../definition/definition.js", import.meta.url).href)};
const isolate = { module: import.meta.url };
const insert = (db, who) => db.query("INSERT INTO own_row (who) VALUES ($1)", [who]);
export const twice = worker("twice", { isolate, retry: { max: 2, base: 0 } }, async (who, ctx) => {
  const first = await ctx.tx(async (db) => {
    const { changes } = await insert(db, who);
    const { rows } = await db.query("SELECT count(*) AS total FROM own_row WHERE who = $1", [who]);
    return { changes, total: Number(rows[0].total) };
  });
  if (ctx.attempt === 1) throw new Error("after the commit");
  return first;
});
export const clumsy = worker("clumsy", { isolate, retry: { max: 1 } }, async (who, ctx) => {
  let kept;
  const wrong = [
    async (db) => { await insert(db, who); throw new RangeError("no"); },
    async (db) => { await insert(db, who); return () => 1; },
    async (db) => db.query("COMMIT"),
    (db) => db.prepare("SELECT 1").get(),
    async (db) => { await insert(db, who); return new Date(0); },
  ];
  const errors = [];
  for (const run of wrong) await ctx.tx(run).catch((error) => errors.push(error.name + ": " + error.message));
  await ctx.tx(async (db) => void (kept = db));
  await insert(kept, who).catch((error) => errors.push(error.name + ": " + error.message));
  return errors;
});
export const dies = worker("dies", { isolate, retry: { max: 2, base: 0 } }, (who, ctx) =>
  ctx.tx(async (db) => {
    await insert(db, who);
    if (ctx.attempt === 1) process.exit(3);
    return "done";
  }),
);
export const frozen = worker("frozen", { isolate }, async (gone, ctx) => {
  while (ctx.attempt === 1 && !existsSync(gone)) await new Promise((resolve) => setTimeout(resolve, 5));
  return ctx.tx(async (db) => (await insert(db, "attempt " + ctx.attempt), ctx.attempt));
});
export const spins = worker("spins", { isolate, retry: { max: 1 } }, (who, ctx) =>
  ctx.tx(async (db) => {
    await insert(db, who);
    ctx.log("info", "spins");
    for (;;);
  }),
);
`,
);
after(() => rmSync(folder, { recursive: true }));

/** Each frozen attempt waits for its own release. */
let files = 0;

interface Table {
  /** Another engine on the same store, like a process that took over the run. */
  another: () => Engine;
  engine: Engine;
  ended: (name: string, input: Json) => Promise<Snapshot>;
  /** Names in the table. */
  all: () => Promise<Json>;
}

async function withTable(store: Store, use: (table: Table) => Promise<void>): Promise<void> {
  const declared = (await import(pathToFileURL(file).href)) as Record<string, Worker<never, unknown>>;
  const another = () => createEngine({ store, clock: systemClock, workers: [...Object.values(declared), rows] });
  const engine = another();
  const ended = async (name: string, input: Json): Promise<Snapshot> => {
    const { snapshot } = await engine.start(name, input);
    for await (const _event of engine.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(60_000)));
    return (await engine.snapshot(snapshot.graph_id)) as Snapshot;
  };
  const all = async (): Promise<Json> => (await ended("rows", null)).result ?? null;
  // Timers of the clock and idle threads do not keep the process alive.
  const alive = setInterval(() => undefined, 1000);
  try {
    await ended("rows", "");
    await use({ another, engine, ended, all });
  } finally {
    clearInterval(alive);
    await engine.close();
    await store.close();
  }
}

function reports(open: () => Promise<Store>): void {
  const within = async (use: (table: Table) => Promise<void>): Promise<void> => withTable(await open(), use);

  it("are written with the step's result, and not again by the next attempt", () =>
    within(async ({ ended, all }) => {
      const { status, result, nodes } = await ended("twice", "Ada");
      assert.deepEqual([status, result], ["done", { changes: 1, total: 1 }]);
      assert.deepEqual(
        nodes.map(({ id, attempts }) => [id, attempts]),
        [
          ["twice", 2],
          ["twice#tx~1", 1],
        ],
      );
      assert.deepEqual(await all(), ["Ada"]);
    }));

  it("are not written if the function throws or returns an invalid value, and its errors keep their class", () =>
    within(async ({ ended, all }) => {
      const errors = (await ended("clumsy", "Ada")).result as string[];
      assert.deepEqual(await all(), []);
      for (const [at, expected] of [
        /^RangeError: no$/,
        /could not be cloned/,
        /does not allow "COMMIT"/,
        /prepare is synchronous and not available in a thread\. Use `await db\.query/,
        /the result of ctx\.tx of "clumsy" is a Date/,
        /The transaction of this ctx\.tx has ended/,
      ].entries())
        assert.match(errors[at] ?? "", expected);
    }));

  it("are rolled back at once if the thread dies in the middle, and written by the next attempt", () =>
    within(async ({ ended, all }) => {
      assert.equal((await ended("dies", "Ada")).result, "done");
      assert.deepEqual(await all(), ["Ada"]);
    }));

  it("are not written by an attempt that was frozen while another process took over its run", () =>
    within(async ({ another, engine, all }) => {
      const gone = join(folder, `gone-${++files}`);
      const { snapshot } = await engine.start("frozen", gone);
      const successor = another();
      await successor.recover();
      for await (const _event of successor.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(60_000)));
      assert.equal((await successor.snapshot(snapshot.graph_id))?.result, 2);
      writeFileSync(gone, "");
      await engine.idle();
      assert.deepEqual(await all(), ["attempt 2"]);
      await successor.close();
    }));

  it("are rolled back at once by a cancel, even if the thread is blocked, and other writers continue", () =>
    within(async ({ engine, ended, all }) => {
      const { snapshot } = await engine.start("spins", "Ada");
      for await (const { type } of engine.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(60_000)))
        if (type === "node.started") break;
      const cancelled = await engine.cancel(snapshot.graph_id);
      assert.equal(cancelled.error?.reason, "cancelled");
      assert.deepEqual((await ended("rows", "Grace")).result, ["Grace"]);
      assert.deepEqual(await all(), ["Grace"]);
    }));
}

describe("rows of a worker in a thread", () => {
  reports(() => openStore("sqlite::memory:"));
});

describe("rows of a worker in a thread, on PostgreSQL", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  let schemas = 0;
  before(async () => void (database = await testDatabase()));
  after(() => database.drop());
  reports(() => openStore(`${database.url}?schema=thread_${++schemas}`));
});
