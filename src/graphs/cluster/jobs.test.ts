/** The queue of runs continues after failures that end graphile-worker. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import { prepareJobs, startJobs } from "./jobs.ts";
import { openDatabase } from "./open-database.ts";

/** Thrown when a job is removed from the queue, so that its end can't be written. */
const REFUSE = `
  create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
  create trigger refuse before delete on graphile_worker._private_jobs for each row execute function refuse()`;

describe("a queue of runs", { skip: await withoutPostgres() }, () => {
  it("continues under another name after the end of a job could not be written", async () => {
    const test = await testDatabase();
    const database = await openDatabase(test.url, "svc");
    await prepareJobs(database.pool, silentLog);
    await database.query(REFUSE);
    const pools: string[] = [];
    const waiting = new Map<string, () => void>();
    const jobs = await startJobs({
      pool: database.pool,
      identifiers: ["graph w"],
      isAhead: true,
      concurrency: 2,
      clock: systemClock,
      log: silentLog,
      onPool: (pool) => pools.push(pool),
      onJob: async ({ id }) => waiting.get(id)?.(),
    });
    const run = async (id: string): Promise<void> => {
      const isRun = new Promise<void>((done) => waiting.set(id, done));
      await database.query("select graphile_worker.add_job('graph w', json_build_object('id', $1::text))", [id]);
      await isRun;
    };
    await run("g_1");
    while (pools.length < 2) await new Promise((again) => setTimeout(again, 20));
    await database.query("drop trigger refuse on graphile_worker._private_jobs");
    await run("g_2");
    assert.notEqual(pools[0], pools[1]);
    await jobs.close();
    await database.close();
    await test.drop();
  });
});
