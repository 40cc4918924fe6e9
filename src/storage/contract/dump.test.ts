/** Dumps of every store (dump.ts), tested on each and from each to each. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { withoutPostgres, testDatabase, type TestDatabase } from "../../testing/test-database.ts";
import type { Store } from "./contract.ts";
import { DUMP_TABLES, keyOf, type Dump, type DumpRow } from "./dump.ts";
import { fillStore, MOVED_GRAPH } from "./dump-rows.testkit.ts";
import { openStore } from "../open-store.ts";
import { PostgresDump } from "../postgres/dump.ts";
import { SqliteDump } from "../sqlite/dump.ts";
import { loadDriver } from "../sqlite/file/driver.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-dump-"));
const databases: TestDatabase[] = [];
after(async () => {
  rmSync(folder, { recursive: true });
  for (const database of databases) await database.drop();
});
const missing = await withoutPostgres();
/** Text that PostgreSQL can't store. */
const FOREIGN = "\0x\0";
const MARK = { id: "1", state: "arriving", peer: "p", atMs: 1 } as const;

interface Place {
  url: string;
  open: () => Promise<Dump>;
}
const PLACES: Record<string, (name: string) => Promise<Place>> = {
  sqlite: async (name) => {
    const file = join(folder, `${name}.db`);
    return { url: `sqlite:${file}`, open: () => SqliteDump.open(file, { isNew: true }) };
  },
  postgres: async () => {
    const database = await testDatabase();
    databases.push(database);
    return { url: database.url, open: () => PostgresDump.open(database.url) };
  },
};

async function using<T>(place: Place, work: (dump: Dump) => Promise<T>): Promise<T> {
  const dump = await place.open();
  try {
    return await work(dump);
  } finally {
    await dump.close();
  }
}

async function withStore<T>({ url }: Place, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function allOf(dump: Dump): Promise<Record<string, DumpRow[]>> {
  const all: Record<string, DumpRow[]> = {};
  for (const table of DUMP_TABLES) {
    const rows: DumpRow[] = (all[table.name] = []);
    for (;;) {
      const last = rows.at(-1);
      // Small batches, so that reads continue between keys.
      const batch = await dump.read({ ...table, batch: 2 }, last && keyOf(table, last));
      if (batch.length === 0) break;
      rows.push(...batch.map((row) => row.map((value) => (value instanceof Uint8Array ? [...value].join() : value))));
    }
  }
  return all;
}

/** All data of a store that an app can read. */
async function viewOf({ graphs, webhooks, ...store }: Store) {
  const id = MOVED_GRAPH;
  return {
    loaded: await graphs.load([id]),
    past: await graphs.pastNodes(id),
    events: await graphs.events(id, 0),
    artifacts: [
      await graphs.artifacts(id),
      ...(await Promise.all(["a.bin", "b.bin/1"].map((upload) => graphs.part(id, upload, 0)))).map((part) => [
        ...(part ?? []),
      ]),
    ],
    children: await graphs.children([id]),
    counts: [await graphs.countByStatus(), await graphs.workers()],
    tagged: await graphs.list({ tag: "x" }),
    attributed: await graphs.list({ attributes: { plan: "ž", cents: { gte: 5 } } }),
    byWorker: (await graphs.list({ worker: "v", status: "done" })).total,
    registrations: await webhooks.registrations(),
    deliveries: (await webhooks.listDeliveries({})).items,
    attempts: await webhooks.attempts("msg_ping"),
    schedules: await store.schedules.schedules(),
    queues: await store.queues.paused(),
    session: await store.sessions.read("s1"),
    audit: (await store.audit.list({})).items,
    activity: await store.activity.since(0),
  };
}

for (const kind of ["sqlite", "postgres"]) {
  describe(`the rows of ${kind}`, { skip: kind === "postgres" && missing }, () => {
    let place: Place;
    let rows: Record<string, DumpRow[]>;
    before(async () => {
      place = (await PLACES[kind]?.(`${kind}-rows`)) as Place;
      await withStore(place, fillStore);
      rows = await using(place, allOf);
    });

    it("are read from every table, each once, in the order of their keys", () => {
      for (const table of DUMP_TABLES) {
        const found = rows[table.name] ?? [];
        assert.ok(found.length > 0, `${table.name} is empty`);
        const keys = found.map((row) => JSON.stringify(keyOf(table, row)));
        assert.equal(new Set(keys).size, keys.length, table.name);
      }
      assert.deepEqual(
        rows["graph"]?.map((row) => row[0]),
        rows["graph"]?.map((row) => row[0]).toSorted(),
      );
    });

    it("recreate an equal store on every database", async (t) => {
      for (const other of missing ? ["sqlite"] : ["sqlite", "postgres"])
        await t.test(other, async () => {
          const target = (await PLACES[other]?.(`${kind}-to-${other}`)) as Place;
          await using(place, (source) => using(target, (dump) => copy(source, dump)));
          assert.deepEqual(await using(target, allOf), rows);
          assert.deepEqual(await withStore(target, viewOf), await withStore(place, viewOf));
        });
    });

    it("are written once, even if they are loaded several times", async () => {
      const target = (await PLACES[kind]?.(`${kind}-twice`)) as Place;
      await using(place, (source) =>
        using(target, async (dump) => {
          await copy(source, dump);
          await copy(source, dump);
        }),
      );
      assert.deepEqual(await withStore(target, viewOf), await withStore(place, viewOf));
    });

    it("continue the numbers of the audit trail", async () => {
      const target = (await PLACES[kind]?.(`${kind}-audit`)) as Place;
      await using(place, (source) => using(target, (dump) => copy(source, dump)));
      const added = {
        atMs: 9,
        actor: "b",
        address: undefined,
        operation: "o",
        target: "t",
        note: undefined,
        data: undefined,
      };
      const ids = await withStore(target, async ({ audit }) => {
        await audit.add(added);
        return (await audit.list({})).items.map(({ id }) => id);
      });
      assert.deepEqual(
        ids,
        [...ids].toSorted((a, b) => b - a),
      );
      assert.equal(new Set(ids).size, 3);
    });

    it("fill a batch up to its byte limit, with at least one row", async () => {
      const long = (await PLACES[kind]?.(`${kind}-long`)) as Place;
      await using(long, async (dump) => {
        const table = DUMP_TABLES.find(({ name }) => name === "session");
        assert.ok(table);
        const data = "x".repeat(5 * 1024 * 1024);
        for (const id of ["a", "b", "c"]) await dump.load(table, [[id, data, 1]], MARK);
        assert.deepEqual(
          (await dump.read(table, undefined)).map(([id]) => id),
          ["a", "b"],
        );
        assert.deepEqual(
          (await dump.read(table, ["b"])).map(([id]) => id),
          ["c"],
        );
      });
    });

    it("can't be opened by an app during a move, or after it at the source", async () => {
      const marked = (await PLACES[kind]?.(`${kind}-marked`)) as Place;
      for (const [state, reported] of [
        ["arriving", /being filled from p since 1970.*the copy is not complete/],
        ["leaving", /being moved to p since .*svc migrate again.*--undo-mark/],
        ["left", /was moved to p at .*twice.*SVC_DATABASE_URL.*--undo-mark/],
      ] as const) {
        await using(marked, (dump) => dump.setMark({ ...MARK, state }));
        assert.deepEqual(await using(marked, (dump) => dump.mark()), { ...MARK, state });
        await assert.rejects(openStore(marked.url), (error: Error & { code: string }) => {
          assert.equal(error.code, "SVC_MOVE");
          assert.match(error.message, reported);
          return true;
        });
      }
      await using(marked, (dump) => dump.setMark({ ...MARK, state: "arrived" }));
      await withStore(marked, async (store) => assert.deepEqual(await store.graphs.workers(), []));
    });

    it("are protected while another process has the database open", async () => {
      const used = (await PLACES[kind]?.(`${kind}-used`)) as Place;
      await withStore(used, async () => {
        if (kind === "postgres") assert.match((await using(used, (dump) => dump.user())) ?? "", /has it open/);
        else await assert.rejects(used.open(), new RegExp(`in use by another process \\(pid ${process.pid}\\)`));
      });
      assert.equal(await using(used, (dump) => dump.user()), undefined);
    });
  });
}

async function copy(source: Dump, target: Dump): Promise<void> {
  for (const table of DUMP_TABLES)
    for (let after: ReturnType<typeof keyOf> | undefined; ;) {
      const rows = await source.read(table, after);
      const last = rows.at(-1);
      if (!last) break;
      after = keyOf(table, last);
      const kept = rows.map((row) => target.kept(table, row));
      await target.load(table, kept, MARK);
    }
  await target.finish();
  await target.setMark({ ...MARK, state: "arrived" });
  await target.setMark(undefined);
}

describe("text that a database can't store", { skip: missing }, () => {
  it("is replaced for PostgreSQL: U+FFFD for each NUL character", async () => {
    const source = (await PLACES["sqlite"]?.("foreign")) as Place;
    const target = (await PLACES["postgres"]?.("")) as Place;
    await withStore(source, (store) => fillStore(store, FOREIGN));
    await using(source, (from) => using(target, (to) => copy(from, to)));
    const shown = "\ufffdx\ufffd";
    await withStore(target, async ({ graphs, webhooks, sessions, answers }) => {
      assert.equal((await graphs.byIdempotencyKey("w", `key${shown}`))?.id, MOVED_GRAPH);
      assert.equal(await graphs.hasSignal(MOVED_GRAPH, `k${shown}`), true);
      assert.equal((await graphs.list({ tag: `ž${shown}` })).total, 1);
      assert.equal((await webhooks.attempts("msg_ping"))[0]?.response, `r${shown}`);
      assert.equal(await sessions.read("s1"), `{"cart":["ž${shown}"]}`);
      const answer = await answers.claim({ id: "a1", bodyHash: "h", createdMs: 1, answer: undefined }, 0);
      assert.equal(answer?.answer?.body, `{"ok":true}${shown}`);
      // In JSON it is an escape sequence, which stays.
      assert.deepEqual((await graphs.events(MOVED_GRAPH, 1))[0]?.data, { level: "info", message: "\u0000ž" });
    });
  });

  it("is rejected with its table and key if it is too long for an index", async () => {
    const target = (await PLACES["postgres"]?.("")) as Place;
    await using(target, async (dump) => {
      const table = DUMP_TABLES.find(({ name }) => name === "registration");
      assert.ok(table);
      assert.throws(
        () => dump.kept(table, ["wh_1", `https://example.com/${"é".repeat(1400)}`, 1, "{}"]),
        /The registration \["wh_1"\] has url of 28\d\d bytes.*up to 2600/,
      );
    });
  });
});

describe("the tables of a dump", () => {
  /** Derived from other tables when rows are loaded, or belonging to a process or to the database itself. */
  const FOLLOWING: Record<string, string[]> = {
    sqlite: ["graph_attribute", "graph_tag", "graph_total", "move", "owner", "payload"],
    postgres: [
      "graph_attribute",
      "graph_tag",
      "graph_total",
      "lane",
      "meta",
      "move",
      "rate",
      "registration_version",
      "server_id",
      "slot",
    ],
  };
  const FOLLOWING_COLUMNS: Record<string, string[]> = {
    sqlite: ["queue.is_paused", "schedule.is_enabled", "schedule.worker"],
    postgres: ["answer.claim", "delivery.claimed_by", "delivery.claimed_until", "graph.holder", "graph.lease"],
  };
  /** Both databases store several events per row. SQLite stores the number of the last event only there. */
  const OTHERS: Record<string, { isMoved: (name: string) => boolean; events: string[] }> = {
    sqlite: {
      isMoved: (name) => !name.startsWith("event.") && name !== "graph.seq",
      events: ["event_run.graph_id", "event_run.last_seq", "event_run.events"],
    },
    postgres: {
      isMoved: (name) => !name.startsWith("event."),
      events: ["event.graph_id", "event.first", "event.last", "event.data"],
    },
  };
  const moved = DUMP_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));

  function requireAll(kind: string, found: string[]): void {
    const isFollowing = (column: string): boolean =>
      FOLLOWING[kind]?.includes(column.split(".", 1)[0] ?? "") || FOLLOWING_COLUMNS[kind]?.includes(column) || false;
    const { isMoved = () => true, events = [] } = OTHERS[kind] ?? {};
    const here = moved.filter(isMoved).concat(events);
    assert.deepEqual(found.filter((column) => !isFollowing(column)).toSorted(), here.toSorted());
  }

  it("include all columns of SQLite", async () => {
    const place = (await PLACES["sqlite"]?.("tables")) as Place;
    await withStore(place, async () => undefined);
    const driver = new (await loadDriver())(place.url.slice("sqlite:".length));
    const rows = driver
      .prepare(
        "SELECT m.name || '.' || c.name AS name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      )
      .all();
    driver.close();
    requireAll(
      "sqlite",
      rows.map(({ name }) => String(name)),
    );
  });

  it("include all columns of PostgreSQL", { skip: missing }, async () => {
    const place = (await PLACES["postgres"]?.("")) as Place;
    await withStore(place, async () => undefined);
    const { default: pg } = await import("pg");
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'svc'",
    );
    await client.end();
    requireAll(
      "postgres",
      rows.map(({ name }) => name),
    );
  });
});
