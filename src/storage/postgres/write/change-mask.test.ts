import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../../testing/test-database.ts";
import type { Columns } from "../../contract/columns.ts";
import { assignments, maskable } from "./change-mask.ts";
import { changeRecord } from "./group-document.ts";

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `c${at}`);

it("more columns than a mask has bits are refused when the module loads", () => {
  assert.equal(maskable(namesOf(53)).length, 53);
  assert.throws(() => maskable(namesOf(54)), { message: /53 bits, and there are 54 columns/ });
});

describe("a change of one of forty columns in PostgreSQL", { skip: await withoutPostgres() }, () => {
  const names = namesOf(40);
  const columns: Columns = Object.fromEntries(names.map((name) => [`${name}Key`, [name, "text"] as const]));
  let test: TestDatabase;
  let client: pg.Client;
  before(async () => {
    test = await testDatabase();
    client = new pg.Client(test.url);
    await client.connect();
    await client.query(`CREATE TABLE t (${names.map((name) => `${name} text`).join(", ")})`);
  });
  after(async () => {
    await client.end();
    await test.drop();
  });

  for (const at of [0, 30, 31, 32, 33, 39])
    it(`writes column ${at} and no other one, and empties it`, async () => {
      await client.query(`TRUNCATE t; INSERT INTO t VALUES (${names.map(() => "'old'").join(", ")})`);
      const written = async (value: string | undefined): Promise<Record<string, string | null>> => {
        const record = changeRecord(columns, names, { [`c${at}Key`]: value });
        await client.query(
          `UPDATE t SET ${assignments(names)}
           FROM json_to_recordset($1) AS r(mask bigint, ${names.map((name) => `${name} text`).join(", ")})`,
          [JSON.stringify([record])],
        );
        return (await client.query<Record<string, string | null>>("SELECT * FROM t")).rows[0] ?? {};
      };
      const before = Object.fromEntries(names.map((name) => [name, "old"]));
      assert.deepEqual(await written("new"), { ...before, [`c${at}`]: "new" });
      assert.deepEqual(await written(undefined), { ...before, [`c${at}`]: null });
    });
});
