import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Revocable, type TransactionHandle } from "./transaction.ts";

function handle(): { db: TransactionHandle; asked: string[] } {
  const asked: string[] = [];
  const run = () => ({ changes: 0 });
  const { handle: db } = new Revocable({
    prepare: (sql) => (asked.push(sql), { run, get: () => undefined, all: () => [] }),
    query: async (sql) => (asked.push(sql), { rows: [], changes: 0 }),
  });
  return { db, asked };
}

describe("a statement in a user transaction", () => {
  it("is rejected if it would end the transaction or change its connection, however it begins", async () => {
    const { db, asked } = handle();
    for (const sql of [
      "COMMIT",
      " ;; commit",
      "-- as it were\n rollback to x",
      "/* then */ END",
      "/* /* nested */ */ ABORT",
      "/* /* not nested */ COMMIT",
      "\ufeffBEGIN",
      "prepare transaction 'a'",
      "SET search_path = 'elsewhere'",
      "/**/--\n/***/release a",
    ]) {
      assert.throws(() => db.prepare(sql), { code: "SVC_STORE" }, sql);
      await assert.rejects(db.query(sql), { code: "SVC_STORE" }, sql);
    }
    assert.deepEqual(asked, []);
  });

  it("may read and write rows, whatever text it contains", async () => {
    const { db, asked } = handle();
    const good = [
      "SELECT 'commit'",
      "/* commit */ INSERT INTO a VALUES (1)",
      "UPDATE a SET b = 1",
      "set local lock_timeout = 1000",
      "endow",
      "WITH x AS (SELECT 1) SELECT * FROM x",
      "/* without an end",
    ];
    for (const sql of good) await db.query(sql);
    assert.deepEqual(asked, good);
  });
});
