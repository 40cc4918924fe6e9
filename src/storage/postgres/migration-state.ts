/** The mark of a move (../move-mark.ts) in a schema of PostgreSQL. */
import { toMigrationState, type MigrationState } from "../contract/migration-state.ts";
import type { Sql } from "./database.ts";
import { readPostgresUrl } from "./connection/driver.ts";

/** Who looks at the mark to start on the schema, and who changes it, takes turns: "svc" as a number, and 2 for this. */
const LOCK = "SELECT pg_advisory_xact_lock(7697251, 2)";

/** Inside a transaction, until whose end nobody changes it. */
export async function readMigrationState(sql: Sql): Promise<MigrationState | undefined> {
  await sql(LOCK);
  return toMigrationState((await sql("SELECT data FROM svc.move"))[0]?.["data"]);
}

/** Inside a transaction. @param mark undefined: it has none. */
export async function writeMigrationState(sql: Sql, mark: MigrationState | undefined): Promise<void> {
  await sql(LOCK);
  await sql("DELETE FROM svc.move");
  if (mark) await sql("INSERT INTO svc.move (id, data) VALUES (1, $1)", JSON.stringify(mark));
}

/** Host, port, database and schema, for people. */
export function postgresLabel(databaseUrl: string): string {
  const { url, schema } = readPostgresUrl(databaseUrl);
  const { host, pathname } = new URL(url);
  return `the schema ${schema} of postgres://${host}${pathname}`;
}
