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
});
