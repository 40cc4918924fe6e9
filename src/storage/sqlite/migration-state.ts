/** State of a migration in an SQLite file (../contract/migration-state.ts). */
import { toMigrationState, type MigrationState } from "../contract/migration-state.ts";
import type { Database } from "./database.ts";

export function readMigrationState(database: Database): MigrationState | undefined {
  return toMigrationState(database.sql("SELECT data FROM move WHERE id = 1").get()?.["data"]);
}

/** Within a transaction. @param mark undefined: removes it. */
export function writeMigrationState(database: Database, mark: MigrationState | undefined): void {
  database.sql("DELETE FROM move").run();
  if (mark) database.sql("INSERT INTO move (id, data) VALUES (1, ?)").run(JSON.stringify(mark));
}
