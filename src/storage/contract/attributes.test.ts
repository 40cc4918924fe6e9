/** Attributes of runs in the stores: the index follows every change, and a search does not read runs that it does not find. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { lowestGraphId } from "../../platform/shared/id-time.ts";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import { openStore } from "../open-store.ts";
import { STEPS as POSTGRES_STEPS } from "../postgres/schema.ts";
import { Database } from "../sqlite/database.ts";
import { SqliteGraphs } from "../sqlite/runs/graphs.ts";
import { Outbox } from "../sqlite/webhooks/outbox.ts";
import { loadDriver } from "../sqlite/file/driver.ts";
import { STEPS as SQLITE_STEPS } from "../sqlite/schema.ts";
import { attributeKey, attributeKeys, meetsConditions } from "./attributes.ts";
import type { Store } from "./contract.ts";
import type { GraphRow } from "./graph-rows.ts";
import { MAX_LOOKED } from "./graph-query.ts";
import { openedStore } from "./opened-store.testkit.ts";
import type { GraphQuery } from "./queries.ts";
import { graphRow, nextId } from "./sample-rows.testkit.ts";

const missing = await withoutPostgres();

describe("the indexed text of an attribute", () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true });

  it("sorts like the number", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [first, second] = [attributeKey(a), attributeKey(b)];
        assert.equal(first < second, a < b);
        assert.equal(first === second, a === b);
      }),
      { examples: [[0, -0]] },
    );
  });

  it("makes a search by bounds equal to the comparison of numbers", () => {
    fc.assert(
      fc.property(number, number, number, (value, low, high) => {
        const meets = (range: object): boolean => meetsConditions({ n: value }, { n: range });
        assert.equal(meets({ gt: low, lt: high }), value > low && value < high);
        assert.equal(meets({ gte: low, lte: high }), value >= low && value <= high);
        assert.equal(meets({ gte: value }), true);
        assert.equal(meets({ gt: value }), false);
      }),
    );
  });

  it("differs between a number, a text and a boolean of the same letters", () => {
    assert.equal(new Set([1, "1", true, "true", "b1"].map(attributeKey)).size, 5);
    assert.equal(meetsConditions({ n: "5" }, { n: { gte: 0 } }), false);
    assert.equal(meetsConditions({}, { constructor: 1 }), false);
  });
});

for (const url of ["sqlite:", "postgres:"]) {
  describe(`attributes of runs on ${url}`, { skip: url === "postgres:" && missing }, () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-attributes-"));
    const opened = openedStore(url === "sqlite:" ? `sqlite:${join(folder, "attributes.db")}` : url);
    let store: Store;
    before(async () => {
      store = await opened.open();
    });
    after(async () => {
      await opened.close();
      rmSync(folder, { recursive: true });
    });

    const add = async (change: Partial<GraphRow>): Promise<string> => {
      const graphId = nextId();
      await store.graphs.commit({ graphId, insert: graphRow(graphId, change) });
      return graphId;
    };
    const found = async (query: GraphQuery): Promise<string[]> =>
      (await store.graphs.list(query)).items.map(({ id }) => id);

    it("are found after each change of the attributes, of the status, or of both in one group of commits", async () => {
      const id = await add({ worker: "changes", attributes: { plan: "pro", cents: 5 } });
      const other = await add({ worker: "changes" });
      const pro = { worker: "changes", attributes: { plan: "pro" } };
      assert.deepEqual(await found(pro), [id]);
      await store.graphs.commit({ graphId: id, graph: { status: "running", phase: "running" } });
      assert.deepEqual(
        [await found({ ...pro, status: "running" }), await found({ ...pro, status: "pending" })],
        [[id], []],
      );
      await Promise.all([
        store.graphs.commit({ graphId: id, graph: { attributes: { cents: 7, plan: "free" } } }),
        store.graphs.commit({ graphId: id, graph: { status: "done", phase: "done", finishedMs: 1 } }),
        store.graphs.commit({
          graphId: other,
          graph: { attributes: { plan: "pro" }, status: "failed", phase: "failed" },
        }),
      ]);
      assert.deepEqual(await found(pro), [other]);
      assert.deepEqual(await found({ attributes: { plan: "free", cents: { gt: 5, lte: 7 } }, status: "done" }), [id]);
      await store.graphs.commit({ graphId: other, graph: { attributes: undefined } });
      assert.deepEqual(await found(pro), []);
      assert.deepEqual((await store.graphs.graph(id))?.attributes, { cents: 7, plan: "free" });
      assert.equal((await store.graphs.graph(other))?.attributes, undefined);
    });

    it("change nothing if the fence of the transition does not match", async () => {
      const id = await add({ attributes: { fenced: 1 } });
      const fence = { epoch: 2, phases: ["queued" as const] };
      assert.equal(await store.graphs.commit({ graphId: id, fence, graph: { attributes: { fenced: 2 } } }), false);
      assert.deepEqual(
        [await found({ attributes: { fenced: 1 } }), await found({ attributes: { fenced: 2 } })],
        [[id], []],
      );
    });

    it("are deleted with their run", async () => {
      const ended = { status: "done", phase: "done", finishedMs: 1000 } as const;
      const id = await add({ ...ended, worker: "old", attributes: { purged: "a" } });
      assert.deepEqual(await found({ attributes: { purged: "a" } }), [id]);
      // Ids of the test are older than every time.
      await store.graphs.purge({ worker: "old", finishedBeforeMs: Date.UTC(2100, 0) });
      assert.deepEqual(await found({ attributes: { purged: "a" } }), []);
      const reinserted = await store.graphs.commit({
        graphId: id,
        insert: graphRow(id, { attributes: { purged: "b" } }),
      });
      assert.equal(reinserted, true);
      assert.deepEqual(await found({ attributes: { purged: "b" } }), [id]);
    });

    it("are found among more runs than a page reads, with an exact result if one condition selects few", async () => {
      const count = MAX_LOOKED + 100;
      const ids = Array.from({ length: count }, (_, at) => `${lowestGraphId(at)}${String(at).padStart(16, "0")}`);
      await Promise.all(
        ids.map((graphId, at) => {
          const rare = at % 500 === 0 && { rare: true };
          const attributes = { many: "x", amount: at, ...rare };
          return store.graphs.commit({ graphId, insert: graphRow(graphId, { worker: "many", attributes }) });
        }),
      );
      const all = { attributes: { many: "x", amount: { gte: 0 } } };
      const rare = await store.graphs.list({ attributes: { ...all.attributes, rare: true } });
      assert.deepEqual([rare.items.length, rare.total, rare.nextCursor], [5, 5, undefined]);
      const few = await store.graphs.list({ attributes: { many: "x", amount: { gte: 10, lt: 13 } } });
      assert.deepEqual(
        few.items.map(({ id }) => id),
        [ids[12], ids[11], ids[10]],
      );
      const since = await store.graphs.list({ ...all, sinceMs: count - 2 });
      assert.deepEqual([since.items.length, since.total], [2, 2]);
      for (const query of [all, { attributes: { amount: { gte: 0 } } }, { ...all, worker: "many" }]) {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.graphs.list({ ...query, limit: 200, ...(cursor !== undefined && { cursor }) });
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        assert.deepEqual(seen, ids.toReversed(), JSON.stringify(query));
      }
    });
  });
}

describe("a changed attribute", () => {
  const attributes = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`a${at}`, at]));
  const { a4: _removed, ...kept } = attributes;
  const changed = { ...kept, a3: "other", added: true };

  it("writes only its own row of the index on SQLite", async (t) => {
    const database = await Database.open(":memory:");
    t.after(() => database.close());
    const graphs = new SqliteGraphs(database, new Outbox(database));
    const id = nextId();
    await graphs.commit({ graphId: id, insert: graphRow(id, { attributes }) });
    const writes = (): number => Number(database.sql("SELECT total_changes() AS count").get()?.["count"]);
    const before = writes();
    await graphs.commit({ graphId: id, graph: { attributes: changed } });
    // The row of the run, two rows that go and two that come.
    assert.equal(writes() - before, 5);
    const index = database.sql("SELECT name, value FROM graph_attribute").all();
    assert.deepEqual(Object.fromEntries(index.map(({ name, value }) => [name, value])), attributeKeys(changed));
  });

  it("writes only its own row of the index on PostgreSQL", { skip: missing }, async (t) => {
    const home = await testDatabase();
    const store = await openStore(home.url);
    const client = new pg.Client(home.url);
    await client.connect();
    t.after(async () => {
      await client.end();
      await store.close();
      await home.drop();
    });
    const id = nextId();
    const rows = async (): Promise<{ name: string; value: string; xmin: string }[]> =>
      (await client.query("SELECT name, value, xmin::text FROM svc.graph_attribute")).rows;
    await store.graphs.commit({ graphId: id, insert: graphRow(id, { attributes }) });
    const [first] = await rows();
    await store.graphs.commit({ graphId: id, graph: { attributes: changed } });
    const written = (await rows()).filter(({ xmin }) => xmin !== first?.xmin).map(({ name }) => name);
    assert.deepEqual(written.sort(), ["a3", "added"]);
    assert.deepEqual(
      Object.fromEntries((await rows()).map(({ name, value }) => [name, value])),
      attributeKeys(changed),
    );
  });
});

describe("a database without attributes, of an older version", () => {
  const STEP = "graph_attribute";
  const query = { attributes: { plan: "pro" } };

  async function assertUpgraded(store: Store, id: string): Promise<void> {
    assert.deepEqual((await store.graphs.list(query)).items, []);
    await store.graphs.commit({ graphId: id, graph: { attributes: { plan: "pro" } } });
    assert.deepEqual(
      (await store.graphs.list(query)).items.map((one) => one.id),
      [id],
    );
  }

  it("is upgraded on SQLite", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-attributes-"));
    const file = join(folder, "older.db");
    const at = SQLITE_STEPS.findIndex((step) => step.includes(STEP));
    const older = new (await loadDriver())(file);
    for (const step of SQLITE_STEPS.slice(0, at)) older.exec(step);
    older.exec(`PRAGMA user_version = ${at}`);
    const id = nextId();
    older
      .prepare(
        `INSERT INTO graph (id, worker, status, phase, epoch, pause_no, input, tags, definition, created_ms, due_ms)
         VALUES (?, 'w', 'done', 'done', 1, 0, '1', '[]', 'd', 1, 1)`,
      )
      .run(id);
    older.close();
    const store = await openStore(`sqlite:${file}`);
    await assertUpgraded(store, id);
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it("is upgraded on PostgreSQL", { skip: missing }, async () => {
    const database = await testDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const at = POSTGRES_STEPS.findIndex(
      (step) => step.includes(STEP) && step.includes("CREATE TABLE svc.graph_attribute"),
    );
    await client.query("CREATE SCHEMA svc; CREATE TABLE svc.meta (version int NOT NULL)");
    for (const step of POSTGRES_STEPS.slice(0, at)) await client.query(step);
    await client.query(`INSERT INTO svc.meta VALUES (${at})`);
    const id = nextId();
    await client.query(
      `INSERT INTO svc.graph (id, worker, status, phase, epoch, pause_no, input, tags, definition, created_ms, due_ms)
       VALUES ($1, 'w', 'done', 'done', 1, 0, '1', '[]', 'd', 1, 1)`,
      [id],
    );
    await client.end();
    const store = await openStore(database.url);
    await assertUpgraded(store, id);
    await store.close();
    await database.drop();
  });
});
