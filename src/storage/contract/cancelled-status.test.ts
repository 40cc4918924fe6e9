/** The migration that gives cancelled runs of older versions their own status. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import pg from "pg";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import { openStore } from "../open-store.ts";
import { STEPS as POSTGRES_STEPS } from "../postgres/schema.ts";
import { loadDriver } from "../sqlite/file/driver.ts";
import { STEPS as SQLITE_STEPS } from "../sqlite/schema.ts";
import type { Store } from "./contract.ts";
import { graphRow, nextId } from "./sample-rows.testkit.ts";

const WITHOUT_POSTGRES = await withoutPostgres();
const [CANCELLED, FAILED] = [nextId(), nextId()];

/** Rows as versions before the migration wrote them. */
async function writeOld({ graphs }: Store): Promise<void> {
  const ended = { status: "failed", phase: "failed", finishedMs: 2000 } as const;
  for (const [id, reason] of [
    [CANCELLED, "cancelled"],
    [FAILED, "error"],
  ] as const)
    await graphs.commit({ graphId: id, insert: graphRow(id, { ...ended, error: { message: "m", reason } }) });
}

async function assertMigrated({ graphs }: Store): Promise<void> {
  for (const filter of [{}, { worker: "w" }, { tag: "x" }]) {
    const ids = async (status: "cancelled" | "failed"): Promise<string[]> =>
      (await graphs.list({ ...filter, status })).items.map(({ id }) => id);
    assert.deepEqual([await ids("cancelled"), await ids("failed")], [[CANCELLED], [FAILED]]);
  }
  const counts = await graphs.countByStatus();
  assert.deepEqual([counts.cancelled, counts.failed], [1, 1]);
}

describe("A cancelled run of an older version", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-cancelled-"));
  after(() => rmSync(folder, { recursive: true }));

  it("has its own status after the upgrade of a SQLite file", async () => {
    const file = join(folder, "old.db");
    const older = await openStore(`sqlite:${file}`);
    await writeOld(older);
    await older.close();
    const driver = new (await loadDriver())(file);
    driver.exec(SQLITE_STEPS.find((step) => step.includes("'cancelled'")) ?? "");
    driver.close();
    const store = await openStore(`sqlite:${file}`);
    await assertMigrated(store);
    await store.close();
  });

  it("has its own status after the upgrade of a PostgreSQL schema", { skip: WITHOUT_POSTGRES }, async () => {
    const database = await testDatabase();
    const older = await openStore(database.url);
    await writeOld(older);
    await older.close();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(POSTGRES_STEPS.find((step) => step.includes("'cancelled'")) ?? "");
    await client.end();
    const store = await openStore(database.url);
    await assertMigrated(store);
    await store.close();
    await database.drop();
  });
});
