import assert from "node:assert/strict";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { graphRow, nextId } from "../contract/sample-rows.testkit.ts";
import { openPool } from "./connection/driver.ts";
import { openPostgres } from "./open.ts";

describe("A PostgreSQL database", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  before(async () => void (database = await testDatabase()));
  after(() => database.drop());

  it("with a locked table rejects a start after the time that calls wait, and accepts it later", async () => {
    const store = await openPostgres(database.url, { patienceMs: 300 });
    const pool = await openPool(database.url, 1);
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query("LOCK TABLE svc.graph IN ACCESS EXCLUSIVE MODE");
    const ids = [nextId(), nextId(), nextId()];
    const starts = ids.map((id) => store.graphs.commit({ graphId: id, insert: graphRow(id) }));
    for (const start of starts)
      await assert.rejects(start, { code: "SVC_STORE", message: /a table that another session keeps locked/ });
    await client.query("ROLLBACK");
    const id = nextId();
    assert.equal(await store.graphs.commit({ graphId: id, insert: graphRow(id) }), true);
    client.release();
    await Promise.all([store.close(), pool.end()]);
  });

  it("that can't be reached at boot is reported in the log before the boot gives up", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    const log = recordLog();
    await assert.rejects(openPostgres(`postgres://svc@127.0.0.1:${port}/svc`, { patienceMs: 100, log }), {
      code: "SVC_STORE",
    });
    assert.match(log.texts.join("\n"), /^warn.*PostgreSQL can't be reached yet\. It is tried again for 0\.1 s\./);
  });
});
