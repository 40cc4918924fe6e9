/** Opens the store in a PostgreSQL database. */
import type { Log } from "../../platform/shared/log.ts";
import type { Store } from "../contract/contract.ts";
import type { IdentifiedStore } from "../bucket/bucket-store.ts";
import { requireNotMoved } from "../contract/migration-state.ts";
import { PostgresAdmission } from "./admission.ts";
import { PostgresActivity } from "./activity.ts";
import { PostgresAnswers } from "./answers.ts";
import { PostgresAudit, PostgresQueues, PostgresSchedules } from "./control.ts";
import { Database, WRITERS } from "./database.ts";
import { postgresId } from "./database-id.ts";
import { PostgresGraphs } from "./runs/graphs.ts";
import type { GroupCommitOptions } from "./write/group-commit.ts";
import { postgresLabel, readMigrationState } from "./migration-state.ts";
import { RateTable } from "./rate-table.ts";
import { Registrations } from "./webhooks/registrations.ts";
import { PostgresSentEvents } from "./sent-events.ts";
import { PostgresStartGroups } from "./start-groups.ts";
import { PostgresSessions } from "./sessions.ts";
import { DatabaseSize } from "./size.ts";
import { WriterSlots } from "./write/writer-slots.ts";
import { PostgresWebhooks } from "./webhooks/webhooks.ts";

export interface PostgresOptions extends Partial<Pick<GroupCommitOptions, "jobOf">> {
  /** Time that calls wait for a missing server. Default 15,000. */
  patienceMs?: number;
  /** Log for a server that can't be reached at first. Default: none. */
  log?: Log;
}

/** @throws SvcError `SVC_CONFIG`, `SVC_STORE`, `SVC_MOVE` */
export async function openPostgres(databaseUrl: string, options: PostgresOptions = {}): Promise<Store> {
  return (await openIdentified(databaseUrl, options)).store;
}

/** @throws as `openPostgres` */
export async function openIdentified(databaseUrl: string, options: PostgresOptions = {}): Promise<IdentifiedStore> {
  const database = await Database.open(databaseUrl, options.patienceMs, options.log);
  const slots = new WriterSlots(database, WRITERS);
  const registrations = new Registrations(database);
  const webhooks = new PostgresWebhooks(database, registrations, slots.owner);
  try {
    await slots.open(
      () => webhooks.registrations(),
      async (sql) => requireNotMoved(await readMigrationState(sql), postgresLabel(databaseUrl), "postgres://…"),
    );
  } catch (error) {
    await database.close();
    throw error;
  }
  await webhooks.registrations();
  const { jobOf = () => null } = options;
  const graphs = new PostgresGraphs(database, slots, {
    jobOf,
    registrations,
    onOutbox: (rows) => webhooks.notifyOutbox(rows),
  });
  const size = new DatabaseSize(database);
  const store: Store = {
    graphs,
    webhooks,
    sessions: new PostgresSessions(database),
    answers: new PostgresAnswers(database),
    schedules: new PostgresSchedules(database),
    queues: new PostgresQueues(database),
    audit: new PostgresAudit(database),
    sentEvents: new PostgresSentEvents(database),
    startGroups: new PostgresStartGroups(database),
    admission: new PostgresAdmission(database, jobOf),
    rates: new RateTable(database),
    activity: new PostgresActivity(database),
    sizeBytes: () => size.bytes(),
    close: async () => {
      await graphs.drain();
      await slots.close();
      await database.close();
    },
  };
  return { store, databaseId: () => postgresId(database) };
}
