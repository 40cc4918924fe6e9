import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { silentLog } from "../../platform/shared/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { prepareJobs } from "./jobs.ts";
import { giveUp, needsJob, onJob, type Course } from "./lease.ts";
import { Leases } from "./leases.ts";
import type { OpenedDatabase } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { clusterTables } from "./schema.ts";

const PHASES = ["queued", "running", "paused", "done", "failed"];
const HOLDERS = [null, "me", "other"];

interface Stored {
  id: string;
  phase: string;
  holder: string | null;
  lease: number;
}

describe("leases in the database", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let database: OpenedDatabase;
  let leases: Leases;
  before(async () => {
    test = await testDatabase();
    database = await openDatabase(test.url, "svc");
    await prepareJobs(database.pool, silentLog);
    // The columns of the store's table that leases need.
    await database.query(`create schema svc; create table svc.graph (id text primary key, worker text not null default 'w',
      version text, definition text not null default 'h', phase text not null, status text not null default 'pending',
      admitted_ms bigint, due_ms bigint not null default 0, priority int not null default 0,
      lease int not null, holder text);
      create table svc.delivery (status text, claimed_by text)`);
    await database.query(clusterTables("svc"));
    leases = new Leases(database);
  });
  after(async () => {
    await database.close();
    await test.drop();
  });

  const list = (id: string, pools: string[] = []) =>
    database.query(
      `insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build, pools)
       values ($1, 1, 0, '', '', '{}', '{}', '', $2)`,
      [id, pools],
    );
  /** One run for each phase and holder. */
  beforeEach(async () => {
    await database.query("truncate svc.graph, svc.processes, graphile_worker._private_jobs cascade");
    await list("other");
    for (const phase of PHASES)
      for (const holder of HOLDERS)
        await database.query("insert into svc.graph (id, phase, lease, holder) values ($1, $2, 5, $3)", [
          `${phase} ${holder}`,
          phase,
          holder,
        ]);
  });

  const all = async (): Promise<Stored[]> =>
    (await database.query<Stored>("select id, phase, holder, lease from svc.graph order by id")).rows;
  const jobs = async (): Promise<string[]> =>
    (await database.query<{ key: string }>("select key from graphile_worker._private_jobs order by key")).rows.map(
      ({ key }) => key,
    );
  const courseOf = ({ phase, holder, lease }: Stored): Course => ({
    lease: { number: lease, holder: holder ?? undefined },
    hasEnded: phase === "done" || phase === "failed",
    isPaused: phase === "paused",
  });

  it("are taken exactly where the rules allow it", async () => {
    await list("me");
    const stored = await all();
    const taken = await leases.take(
      stored.map(({ id }) => id),
      "me",
    );
    const ruled = stored.flatMap((row) => {
      const course = courseOf(row);
      const made = onJob(course, "me", true);
      if (typeof made !== "string") return [{ id: row.id, number: made.number }];
      // The process may not know of a lease that it holds: the response was lost.
      const isUnknown = row.holder === "me" && !course.hasEnded && !course.isPaused;
      return isUnknown ? [{ id: row.id, number: row.lease }] : [];
    });
    assert.deepEqual(
      taken?.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      ruled,
    );
    assert.deepEqual(
      ruled.map(({ id }) => id),
      ["queued me", "queued null", "running me", "running null"],
    );
  });

  it("are not taken by a process that is not registered", async () => {
    assert.equal(await leases.take(["queued null"], "me"), undefined);
    assert.equal(onJob(courseOf({ id: "", phase: "queued", holder: null, lease: 5 }), "me", false), "not mine");
    assert.equal((await leases.whereabouts("queued null"))?.holder, null);
  });

  it("are released according to the rules, with a job for each run that needs one", async () => {
    await list("me", ["pool-1"]);
    const stored = await all();
    await leases.giveUpFor("me");
    const ruled = stored.map((row) => {
      const lease = giveUp(courseOf(row).lease, "me");
      return lease ? { ...row, lease: lease.number, holder: null } : row;
    });
    assert.deepEqual(await all(), ruled);
    const needed = ruled.filter((row, at) => row !== stored[at] && needsJob(courseOf(row)));
    assert.deepEqual(
      await jobs(),
      needed.map(({ id }) => id),
    );
    assert.deepEqual(
      needed.map(({ id }) => id),
      ["queued me", "running me"],
    );
    assert.equal(await leases.giveUpFor("me"), undefined);
  });

  it("that a process takes for a command include ended and paused runs", async () => {
    await list("me");
    const taken = await leases.take(["done other", "paused null", "running other", "paused other"], "me", true);
    assert.deepEqual(taken?.map(({ id }) => id).sort(), ["done other", "paused null"]);
    assert.equal((await leases.whereabouts("done other"))?.holder, null);
    assert.equal((await leases.whereabouts("running other"))?.holder, "other");
    assert.equal(await leases.whereabouts("no such graph"), undefined);
  });

  it("are only returned under their own number", async () => {
    await leases.giveBack("running other", 4);
    assert.equal(await leases.isHeld("running other", 5, "other"), true);
    await leases.giveBack("running other", 5);
    assert.equal(await leases.isHeld("running other", 5, "other"), false);
    assert.deepEqual(await jobs(), ["running other"]);
  });

  it("of unregistered processes are found, including the jobs that they locked", async () => {
    await database.query("select graphile_worker.add_job('graph w', '{}', job_key => 'locked')");
    await database.query(
      "update graphile_worker._private_jobs set locked_by = 'pool-gone', locked_at = now() - interval '1 min'",
    );
    assert.equal(await leases.sweep(), 2);
    assert.equal((await leases.whereabouts("running me"))?.holder, null);
    assert.equal((await leases.whereabouts("running other"))?.holder, "other");
    const { rows } = await database.query("select key from graphile_worker._private_jobs where locked_by is not null");
    assert.deepEqual(rows, []);
    assert.deepEqual(await jobs(), ["locked", "queued me", "running me"]);
  });

  it("without a holder and a job get a job", async () => {
    await database.query("select graphile_worker.add_job('graph w', '{}', job_key => 'queued null')");
    assert.equal(await leases.addLostJobs(), 1);
    assert.deepEqual(await jobs(), ["queued null", "running null"]);
    assert.equal(await leases.addLostJobs(), 0);
  });

  it("of runs that a process could not compensate stay with the queue of their definition until another process joins", async () => {
    await database.query(
      "insert into svc.graph (id, phase, lease, holder) values ('undone', 'cancelling', 1, 'other')",
    );
    await leases.giveBack("undone", 1, { hasCrashed: true });
    const queued = async () =>
      (
        await database.query<{ identifier: string; payload: object }>(
          `select t.identifier, j.payload from graphile_worker._private_jobs j
           join graphile_worker._private_tasks t on t.id = j.task_id where j.key = 'undone'`,
        )
      ).rows;
    const left = [{ identifier: "graph w #h", payload: { id: "undone", hasCrashed: true, isUnfit: true } }];
    assert.deepEqual([await leases.handOn(), await queued()], [0, left]);
    assert.deepEqual([await leases.unpark(["graph w", "graph w #h2"], false), await queued()], [0, left]);
    assert.deepEqual([await leases.unpark(["graph other"], true), await queued()], [0, left]);
    assert.equal(await leases.unpark(["graph w", "graph w #h2"], true), 1);
    assert.deepEqual(await queued(), [{ identifier: "graph w", payload: { id: "undone", hasCrashed: true } }]);
    await database.query("delete from svc.graph where id = 'undone'");
    await database.query("select graphile_worker.remove_job('undone')");
  });

  it("without a holder get no job while they wait for a key of their graph", async () => {
    const add = "insert into svc.graph (id, phase, status, lease) values ('waits', 'queued', 'queued', 0)";
    await leases.addLostJobs();
    await database.query(add);
    assert.equal(await leases.addLostJobs(), 0);
    await database.query("update svc.graph set admitted_ms = 1 where id = 'waits'");
    assert.equal(await leases.addLostJobs(), 1);
    await database.query("delete from svc.graph where id = 'waits'");
    await database.query("select graphile_worker.remove_job('waits')");
  });

  it("are never taken by a process that is declared dead at the same time", async () => {
    for (let round = 0; round < 20; round++) {
      await database.query("update svc.graph set holder = null, phase = 'running'");
      await list("me");
      const ids = (await all()).map(({ id }) => id);
      await Promise.all([leases.take(ids, "me"), leases.giveUpFor("me"), leases.take(ids.slice(3), "me")]);
      assert.deepEqual(
        (await all()).filter(({ holder }) => holder !== null),
        [],
      );
    }
  });
});
