/** Creates a job for each unfinished run of a migrated database, by which processes find it. */
import type { Log } from "../../platform/shared/log.ts";
import { readPostgresUrl } from "../../storage/postgres/connection/driver.ts";
import { prepareJobs } from "./jobs.ts";
import { Leases } from "./leases.ts";
import { openDatabase } from "./open-database.ts";

const BATCH = 1000;

/** Call it while no process runs. Idempotent. @returns number of unfinished runs. */
export async function addJobs(databaseUrl: string, log: Log): Promise<number> {
  const { url, schema } = readPostgresUrl(databaseUrl);
  const database = await openDatabase(url, schema);
  try {
    await prepareJobs(database.pool, log);
    const leases = new Leases(database);
    let added = 0;
    for (let after: string | undefined = ""; after !== undefined;) {
      const { count, last } = await leases.addJobs(after, BATCH);
      added += count;
      after = last;
    }
    return added;
  } finally {
    await database.close();
  }
}
