import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { worker } from "../../graphs/definition/definition.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { loadDriver } from "../../storage/sqlite/file/driver.ts";
import { createTestClient } from "../../testing/client.ts";
import { recordLog } from "../../testing/log.ts";
import { createApp } from "../app.ts";
import { route } from "../pages/route.ts";

/** Tables whose inserts fail. */
const TABLES = ["graph", "session"];

describe("An app whose disk is full", () => {
  it("answers 503 to requests that write, is not ready, and recovers by itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-full-"));
    const clock = new SimulatedClock();
    const app = createApp({
      workers: [worker("work", () => 1)],
      routes: [
        route("GET", "/begin", async () => new Response((await app.engine.start("work", null)).snapshot.status)),
      ],
      env: { SVC_DATA_DIR: folder, SVC_SECRET: "s".repeat(32), NODE_ENV: "production" },
      log: recordLog(),
      clock,
    });
    const client = createTestClient(app);
    const ready = async (): Promise<string> => {
      await clock.advance(1000);
      return (await client.get("/ready")).text();
    };
    await app.boot();
    assert.deepEqual([(await client.get("/begin")).status, await ready()], [200, "ready"]);
    // SQLite reports a full disk by this message, whatever statement meets it.
    const other = new (await loadDriver())(join(folder, "svc.db"));
    for (const table of TABLES)
      other.exec(
        `CREATE TRIGGER full_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`,
      );
    const refused = await client.get("/begin");
    assert.deepEqual([refused.status, await ready()], [503, "not ready: svc-database"]);
    assert.match(await refused.text(), /SVC_STORE/);
    for (const table of TABLES) other.exec(`DROP TRIGGER full_${table}`);
    other.close();
    assert.deepEqual([(await client.get("/begin")).status, await ready()], [200, "ready"]);
    await app.close();
    rmSync(folder, { recursive: true });
  });
});
