import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import type { LeasedRun } from "../engine/cluster-port.ts";
import { SimulatedClock, systemClock, type Clock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { openStore } from "../../storage/open-store.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";
import type { Notification } from "./pg-notify.ts";
import type { OpenedDatabase } from "./database.ts";
import { openDatabase } from "./open-database.ts";

describe("a process of a cluster", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let store: Store;
  before(async () => {
    test = await testDatabase();
    // The tables of the cluster.
    store = await openStore(test.url);
  });
  after(async () => {
    await store.close();
    await test.drop();
  });

  const graphOf = (id: string) =>
    `insert into svc.graph (id, worker, status, phase, epoch, pause_no, created_ms, due_ms, definition, tags, input)
     values ('${id}', 'w', 'pending', 'queued', 1, 0, 0, 0, '', '[]', 'null')`;
  const jobOf = (id: string) => `select graphile_worker.add_job('graph w', '{"id":"${id}"}', job_key => '${id}')`;
  const idle: LeasedRun = {
    holds: () => false,
    isLent: () => false,
    isAtRest: () => false,
    hold: async () => undefined,
    lookAfterChildren: async () => undefined,
    readControls: async () => undefined,
    perform: async () => undefined,
    dropAll: () => undefined,
    execute: () => Promise.reject(new Error("nobody asks")),
  };

  /** A clock with short waits for periodic checks. */
  const hasty: Clock = {
    now: () => systemClock.now(),
    elapsed: () => systemClock.elapsed(),
    schedule: (delayMs, run) => systemClock.schedule(delayMs / 50, run),
  };

  async function start(
    held: Partial<LeasedRun>,
    onNotification: (notification: Notification) => void = () => undefined,
    options: Partial<Pick<ClusterOptions, "isRunner" | "clock">> = {},
  ): Promise<{ database: OpenedDatabase; cluster: Cluster }> {
    const database = await openDatabase(test.url, "svc");
    const cluster = new Cluster({
      database,
      profile: { role: "worker", workers: [], definitions: [], build: "", code: "", claimant: undefined },
      isRunner: true,
      identifiers: ["graph w"],
      concurrency: 4,
      remoteSlots: 4,
      clock: systemClock,
      log: silentLog,
      onNotification,
      onDoubt: () => undefined,
      ...options,
      onProcesses: () => undefined,
    });
    cluster.attach({ ...idle, ...held });
    await cluster.start();
    open.push(cluster);
    return { database, cluster };
  }

  /** Also stops the processes of a failed test: a running process would keep this one alive. */
  const open: Cluster[] = [];
  afterEach(async () => {
    for (const cluster of open.splice(0)) {
      for (const id of ["g_1", "g_2"]) cluster.left(id);
      await cluster.drain();
      await cluster.close();
    }
  });

  it("retries a run that it could not read", async () => {
    const numbers: number[] = [];
    let taken = (): void => undefined;
    const isTaken = new Promise<void>((resolve) => (taken = resolve));
    const { database } = await start({
      holds: () => numbers.length > 1,
      hold: async (_id, lease) => {
        if (numbers.push(lease) === 1) throw new Error("it can't be read");
        taken();
      },
    });
    await database.query(graphOf("g_1"));
    await database.query(jobOf("g_1"));
    await isTaken;
    // Leased, returned, leased.
    assert.deepEqual(numbers, [1, 3]);
  });

  it("that runs no workers returns leases it does not know of, and does not resume those runs", async () => {
    let isHeld = false;
    const { database, cluster } = await start(
      { holds: () => true, hold: async () => void (isHeld = true) },
      undefined,
      {
        isRunner: false,
        clock: hasty,
      },
    );
    const [me] = await cluster.processes();
    await database.query(`${graphOf("g_1")} on conflict (id) do nothing`);
    await database.query("update svc.graph set holder = $1, lease = 7 where id = 'g_1'", [me?.id]);
    const state = async () =>
      (
        await database.query<{ holder: string | null; lease: number; jobs: number }>(
          `select holder, lease, (select count(*) from graphile_worker.jobs where key = 'g_1')::int as jobs from svc.graph where id = 'g_1'`,
        )
      ).rows[0];
    for (const endMs = Date.now() + 60_000; (await state())?.holder !== null && Date.now() < endMs;)
      await new Promise((next) => setTimeout(next, 20));
    assert.deepEqual([await state(), isHeld], [{ holder: null, lease: 8, jobs: 1 }, false]);
    await database.query("select graphile_worker.remove_job('g_1')");
  });

  it("stops all waiting once it is closed, also without a drain", async () => {
    const clock = new SimulatedClock();
    const { cluster } = await start({}, undefined, { isRunner: false, clock });
    assert.ok(clock.pending > 0);
    open.splice(0);
    await cluster.close();
    assert.equal(clock.pending, 0);
  });

  it("resumes children that a dead process may not have reported to their parents", async () => {
    let looked = (): void => undefined;
    const hasLooked = new Promise<void>((look) => (looked = look));
    const { database } = await start({ lookAfterChildren: async () => looked() });
    await database.query(
      `insert into svc.processes (id, number, backend_pid, host, role, workers, definitions, build)
       values ('p_dead', 2000000000, 0, '', 'worker', '{}', '{}', '')`,
    );
    await hasLooked;
    const { rows } = await database.query("select from svc.processes where id = 'p_dead'");
    assert.equal(rows.length, 0);
  });

  it("receives page invalidations of another process, of any number and length", async () => {
    const heard = new Set<string>();
    const names = Array.from({ length: 400 }, (_, at) => `/books/${at}/${"ž".repeat(50)}`);
    let hear = (): void => undefined;
    const hasHeard = new Promise<void>((resolve) => (hear = resolve));
    await start({}, ({ invalidated }) => {
      for (const name of invalidated) heard.add(name);
      // Simultaneous notifications may arrive in any order.
      if (heard.size === names.length + 1) hear();
    });
    const { cluster } = await start({});
    cluster.invalidated(names);
    cluster.invalidated(["x".repeat(9000)]);
    await hasHeard;
    assert.deepEqual([...heard].sort(), [...names, "/*"].sort());
  });

  it("that was declared dead but still believes to hold a run does not discard its job", async () => {
    let isBelieved = true;
    let taken = (_number: number): void => undefined;
    const isTaken = new Promise<number>((resolve) => (taken = resolve));
    const { database } = await start({
      holds: () => isBelieved,
      dropAll: () => void (isBelieved = false),
      hold: async (_id, lease) => taken(lease),
    });
    await database.query(graphOf("g_2"));
    await database.query("delete from svc.processes");
    await database.query(jobOf("g_2"));
    // The number of lease changes until then depends on when the loss is detected. Odd numbers belong to leases that are held.
    assert.equal((await isTaken) % 2, 1);
  });
});
