/** State of a migration in a schema of PostgreSQL (../contract/migration-state.ts). */
import { toMigrationState, type MigrationState } from "../contract/migration-state.ts";
import type { Sql } from "./database.ts";
import { readPostgresUrl } from "./connection/driver.ts";

/** Serializes reading the state before a start and changing it: "svc" as a number, and 2 for this. */
const LOCK = "SELECT pg_advisory_xact_lock(7697251, 2)";

/** Within a transaction. Nobody changes the state until it ends. */
export async function readMigrationState(sql: Sql): Promise<MigrationState | undefined> {
  await sql(LOCK);
  return toMigrationState((await sql("SELECT data FROM svc.move"))[0]?.["data"]);
}

/** Within a transaction. @param mark undefined: removes it. */
export async function writeMigrationState(sql: Sql, mark: MigrationState | undefined): Promise<void> {
  await sql(LOCK);
  await sql("DELETE FROM svc.move");
  if (mark) await sql("INSERT INTO svc.move (id, data) VALUES (1, $1)", JSON.stringify(mark));
}

/** Host, port, database and schema in words. */
export function postgresLabel(databaseUrl: string): string {
  const { url, schema } = readPostgresUrl(databaseUrl);
  const { host, pathname } = new URL(url);
  return `the schema ${schema} of postgres://${host}${pathname}`;
}
