/** Opens the store that a database URL names. */
import { SvcError } from "../platform/shared/errors.ts";
import type { Json } from "../platform/shared/json.ts";
import type { Store } from "./contract/contract.ts";
import type { GraphRow } from "./contract/graph-rows.ts";
import { databaseUrlProblem, sqliteFile } from "./contract/database-url.ts";
import { requireNotMoved } from "./contract/migration-state.ts";
import { SqliteActivity } from "./sqlite/activity.ts";
import { SqliteAnswers } from "./sqlite/answers.ts";
import { SqliteAudit, SqliteQueues, SqliteSchedules } from "./sqlite/control.ts";
import { Database } from "./sqlite/database.ts";
import { SqliteGraphs } from "./sqlite/runs/graphs.ts";
import { Outbox } from "./sqlite/webhooks/outbox.ts";
import { readMigrationState } from "./sqlite/migration-state.ts";
import { SqliteSessions } from "./sqlite/sessions.ts";
import { SqliteWebhooks } from "./sqlite/webhooks/webhooks.ts";

export interface StoreOptions {
  /** The job that leads some process to a graph which nobody holds (`Unit.heldBy`), as graphile-worker's `add_jobs` takes it. */
  jobOf?: (row: GraphRow) => Json;
}

/**
 * @param databaseUrl `sqlite:<path>`; `postgres://…`, whose `?schema=` (default "svc") and `?connections=` (default 10) are ours; or
 *   `memory:`, short for `sqlite::memory:`, which ends with the process.
 * @throws SvcError `SVC_CONFIG` for another URL, `SVC_STORE` when the database can't be opened, `SVC_MOVE` when it was moved to another.
 */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new SvcError("SVC_CONFIG", problem);
  // Loaded where it is asked for.
  if (/^postgres(?:ql)?:/.test(databaseUrl))
    return (await import("./postgres/open.ts")).openPostgres(databaseUrl, options);
  const file = sqliteFile(databaseUrl);
  const database = await Database.open(file);
  try {
    requireNotMoved(readMigrationState(database), `the database ${file}`, databaseUrl);
  } catch (error) {
    await database.close();
    throw error;
  }
  const outbox = new Outbox(database);
  return {
    graphs: new SqliteGraphs(database, outbox),
    webhooks: new SqliteWebhooks(database, outbox),
    sessions: new SqliteSessions(database),
    answers: new SqliteAnswers(database),
    schedules: new SqliteSchedules(database),
    queues: new SqliteQueues(database),
    audit: new SqliteAudit(database),
    activity: new SqliteActivity(database),
    close: async () => database.close(),
  };
}
