/** Opens the store of a database URL. */
import { SvcError } from "../platform/shared/errors.ts";
import { silentLog, type Log } from "../platform/shared/log.ts";
import type { Json } from "../platform/shared/json.ts";
import type { Store } from "./contract/contract.ts";
import type { GraphRow } from "./contract/graph-rows.ts";
import { databaseUrlProblem, sqliteFile } from "./contract/database-url.ts";
import { requireNotMoved } from "./contract/migration-state.ts";
import { bucketStore, type IdentifiedStore } from "./bucket/bucket-store.ts";
import type { BucketConfig } from "./bucket/bucket-url.ts";
import { encryptedStore } from "./encryption/encrypted-store.ts";
import { PayloadCipher } from "./encryption/payload-cipher.ts";
import type { PayloadKey } from "./encryption/payload-keys.ts";
import { SqliteAdmission } from "./sqlite/admission.ts";
import { SqliteActivity } from "./sqlite/activity.ts";
import { SqliteAnswers } from "./sqlite/answers.ts";
import { SqliteAudit, SqliteQueues, SqliteSchedules } from "./sqlite/control.ts";
import { Database } from "./sqlite/database.ts";
import { sqliteId } from "./sqlite/database-id.ts";
import { SqliteGraphs } from "./sqlite/runs/graphs.ts";
import { Outbox } from "./sqlite/webhooks/outbox.ts";
import { readMigrationState } from "./sqlite/migration-state.ts";
import { SqliteSentEvents } from "./sqlite/sent-events.ts";
import { SqliteStartGroups } from "./sqlite/start-groups.ts";
import { SqliteSessions } from "./sqlite/sessions.ts";
import { SqliteWebhooks } from "./sqlite/webhooks/webhooks.ts";

export interface StoreOptions {
  /** Job for a run without a holder (`Transition.heldBy`), in the format of graphile-worker's `add_jobs`. */
  jobOf?: (row: GraphRow) => Json;
  /** Log for a database server that can't be reached at first, and for values whose key is missing. Default: none. */
  log?: Log;
  /** Keys of payloads: the first one encrypts, all of them decrypt. Default: payloads are stored as they are. */
  payloadKeys?: readonly PayloadKey[];
  /** Bucket for large payloads. Default: all of them are in the database. */
  bucket?: BucketConfig | undefined;
}

/**
 * @param databaseUrl `sqlite:<path>`; `postgres://…` with svc's own parameters `?schema=` (default "svc") and `?connections=` (default
 * 10); or `memory:`, short for `sqlite::memory:`, which ends with the process.
 * @throws SvcError `SVC_CONFIG` for another URL, `SVC_STORE` if the database can't be opened, `SVC_MOVE` if it was moved.
 * @example
 * const store = await openStore("sqlite:data/app.db");
 * await store.close();
 */
export async function openStore(databaseUrl: string, options: StoreOptions = {}): Promise<Store> {
  const { payloadKeys = [], bucket, log = silentLog } = options;
  const client = bucket && new (await import("./bucket/bucket-client.ts")).BucketClient(bucket);
  const store = bucketStore(await openPlainStore(databaseUrl, options), client, log);
  return encryptedStore(store, new PayloadCipher(payloadKeys), log);
}

/** Returns the rows as they are in the database. */
async function openPlainStore(databaseUrl: string, options: StoreOptions): Promise<IdentifiedStore> {
  const problem = databaseUrlProblem(databaseUrl);
  if (problem !== undefined) throw new SvcError("SVC_CONFIG", problem);
  // Loaded on demand.
  if (/^postgres(?:ql)?:/.test(databaseUrl))
    return (await import("./postgres/open.ts")).openIdentified(databaseUrl, options);
  const file = sqliteFile(databaseUrl);
  const database = await Database.open(file);
  try {
    requireNotMoved(readMigrationState(database), `the database ${file}`, databaseUrl);
  } catch (error) {
    await database.close();
    throw error;
  }
  // Before anything else is written: it may give the file its number.
  const id = options.bucket?.isWriting ? sqliteId(database, file) : "";
  const outbox = new Outbox(database);
  const store: Store = {
    graphs: new SqliteGraphs(database, outbox),
    webhooks: new SqliteWebhooks(database, outbox),
    sessions: new SqliteSessions(database),
    answers: new SqliteAnswers(database),
    schedules: new SqliteSchedules(database),
    queues: new SqliteQueues(database),
    audit: new SqliteAudit(database),
    sentEvents: new SqliteSentEvents(database),
    startGroups: new SqliteStartGroups(database),
    admission: new SqliteAdmission(database),
    activity: new SqliteActivity(database),
    close: async () => database.close(),
  };
  return { store, databaseId: async () => id };
}
