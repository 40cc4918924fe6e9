import assert from "node:assert/strict";
import { describe, it } from "node:test";
import pg from "pg";
import { findPostgres, type PostgresPlaces } from "./postgres-programs.ts";
import { startPostgres, testDatabase, withoutPostgres } from "./test-database.ts";

const nowhere: PostgresPlaces = {
  env: { PATH: "/a:/b" },
  exists: () => false,
  versions: () => [],
  configured: () => undefined,
  packaged: async () => undefined,
};
const inFolder = (folder: string) => ({ initdb: `${folder}/initdb`, postgres: `${folder}/postgres` });
const has = (folder: string) => (path: string) => path.startsWith(`${folder}/`);

describe("the PostgreSQL for tests", () => {
  it("is the one on the PATH, else the newest from Debian, else that of pg_config, else the package's", async () => {
    const packaged = async () => inFolder("/package");
    const found = (places: Partial<PostgresPlaces>) => findPostgres({ ...nowhere, packaged, ...places });
    const versions = () => ["/new", "/old"];
    const configured = () => "/configured";
    assert.deepEqual(await found({ exists: () => true, versions, configured }), inFolder("/a"));
    assert.deepEqual(await found({ exists: has("/old"), versions, configured }), inFolder("/old"));
    assert.deepEqual(await found({ exists: has("/configured"), versions, configured }), inFolder("/configured"));
    assert.deepEqual(await found({ versions, configured }), inFolder("/package"));
    assert.equal(await findPostgres(nowhere), undefined);
  });

  it("is missing if a folder has the server without initdb", async () => {
    assert.equal(await findPostgres({ ...nowhere, exists: (path) => path.endsWith("postgres") }), undefined);
  });
});

describe("a database for tests", { skip: await withoutPostgres() }, () => {
  it("is empty, separate from others, and gone when dropped", async () => {
    const [one, other] = await Promise.all([testDatabase(), testDatabase()]);
    const client = new pg.Client({ connectionString: one.url });
    await client.connect();
    await client.query("create table mine (id int)");
    await client.end();
    const beside = new pg.Client({ connectionString: other.url });
    await beside.connect();
    const { rows } = await beside.query("select to_regclass('mine') as mine");
    assert.deepEqual(rows, [{ mine: null }]);
    await beside.end();
    await Promise.all([one.drop(), other.drop()]);
    await assert.rejects(new pg.Client({ connectionString: one.url }).connect(), /does not exist/);
  });

  it("survives the end of a private server, which restarts at the same place", async () => {
    const server = await startPostgres();
    const run = async (sql: string) => {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      return rows;
    };
    await run("create table kept as select 7 as id");
    await server.restart();
    assert.deepEqual(await run("select id from kept"), [{ id: 7 }]);
  });
});
