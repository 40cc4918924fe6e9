import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../../testing/test-database.ts";
import type { GraphQuery } from "../../contract/queries.ts";
import { Database } from "../database.ts";
import { GraphList } from "./graph-list.ts";

describe("lists of runs in PostgreSQL", { skip: await withoutPostgres() }, () => {
  let home: TestDatabase;
  let database: Database;
  before(async () => {
    home = await testDatabase();
    database = await Database.open(home.url);
  });
  after(async () => {
    await database.close();
    await home.drop();
  });

  it("by duration and end time use the same statement texts at any time, because connections cache each statement", async () => {
    const texts = new Set<string>();
    const { query } = database;
    database.query = (on, text, values) => {
      texts.add(text);
      return query.call(database, on, text, values);
    };
    const list = new GraphList(database);
    const ask = async (at: number): Promise<void> => {
      const lengths: GraphQuery[] = [
        { longerMs: at },
        { shorterMs: at },
        { longerMs: at, shorterMs: 2 * at },
        { finishedSinceMs: at },
      ];
      for (const one of lengths)
        for (const worker of ["fetch", undefined]) {
          const asked = { ...one, nowMs: 1000 * at, ...(worker && { worker }) };
          await list.page(asked);
          await list.durations(asked, 1000 * at);
        }
    };
    await ask(1);
    const first = texts.size;
    await ask(2);
    assert.ok(first > 8);
    assert.equal(texts.size, first);
  });

  it("by attributes read through an index, also among many runs with other values", async () => {
    await database.run(
      `INSERT INTO svc.graph (id, worker, status, phase, epoch, pause_no, input, tags, definition, created_ms, due_ms, attributes)
       SELECT 'g_' || lpad(n::text, 26, '0'), CASE WHEN n % 3 = 0 THEN 'w' ELSE 'v' END, CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'done' END,
         'done', 1, 0, '1', '[]', 'd', 1, 1, '{}' FROM generate_series(1, 20000) AS n`,
    );
    await database.run(
      `INSERT INTO svc.graph_attribute (name, status, graph_id, value)
       SELECT name, status, id, 't' || (n % 5000) FROM (SELECT id, status, row_number() OVER () AS n FROM svc.graph) AS runs,
         (VALUES ('plan'), ('cents')) AS names(name)`,
    );
    await database.run(
      "INSERT INTO svc.graph_attribute (name, status, graph_id, value) SELECT 'region', status, id, 'tall' FROM svc.graph",
    );
    await database.run("ANALYZE svc.graph, svc.graph_attribute");
    const asked: [text: string, values: readonly unknown[]][] = [];
    const { query } = database;
    database.query = (on, text, values) => {
      asked.push([text, values ?? []]);
      return query.call(database, on, text, values);
    };
    const list = new GraphList(database);
    // All runs have the last value, and a third have the worker: without an order, the planner would scan the tables.
    for (const attributes of [
      { plan: "7" },
      { cents: { gte: 1 } },
      { plan: "7", cents: { lt: 9 }, unknown: true },
      { region: "all" },
    ])
      for (const more of [{}, { worker: "w" }, { status: "done" as const, worker: "w", sinceMs: 1 }])
        await list.page({ attributes, ...more });
    database.query = query;
    assert.ok(asked.length >= 12);
    const planOf = async (text: string, values: readonly unknown[]): Promise<string> =>
      (await database.rows(`EXPLAIN ${text}`, ...(values as string[]))).map((row) => row["QUERY PLAN"]).join("\n");
    // Up to 2,000 of 20,000 runs by their ids: a scan may be cheaper.
    const searches = asked.filter(([text]) => !text.includes("= ANY"));
    assert.ok(searches.length >= 12);
    for (const [text, values] of searches) assert.doesNotMatch(await planOf(text, values), /Seq Scan/, text);
    const scan = "SELECT graph_id FROM svc.graph_attribute WHERE value = $1";
    assert.match(await planOf(scan, ["t1"]), /Seq Scan on graph_attribute/);
  });
});
