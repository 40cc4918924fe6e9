import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Held } from "../graph/fleet.ts";
import { systemClock } from "../shared/clock.ts";
import { silentLog } from "../shared/log.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/contract.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../testing/test-database.ts";
import { Cluster } from "./cluster.ts";
import { openDatabase } from "./open-database.ts";

describe("a process of a cluster", { skip: await withoutPostgres() }, () => {
  let test: TestDatabase;
  let store: Store;
  before(async () => {
    test = await testDatabase();
    // Its tables.
    store = await openStore(test.url);
  });
  after(async () => {
    await store.close();
    await test.drop();
  });

  it("takes a graph again that it could not read", async () => {
    const database = await openDatabase(test.url, "svc");
    const cluster = new Cluster({
      database,
      profile: { role: "worker", workers: [], definitions: [], build: "", claimant: undefined },
      isRunner: true,
      identifiers: ["graph w"],
      concurrency: 4,
      clock: systemClock,
      log: silentLog,
      onNews: () => undefined,
      onDoubt: () => undefined,
    });
    const numbers: number[] = [];
    const held = await new Promise<number>((taken, failed) => {
      const engine: Held = {
        holds: () => numbers.length > 1,
        isAtRest: () => false,
        hold: async (_id, lease) => {
          if (numbers.push(lease) === 1) throw new Error("it can't be read");
          taken(lease);
        },
        readQueues: async () => undefined,
        dropAll: () => undefined,
        fulfil: () => Promise.reject(new Error("nobody asks")),
      };
      cluster.attach(engine);
      cluster
        .start()
        .then(() =>
          database.query(
            `insert into svc.graph (id, worker, status, phase, epoch, pause_no, created_ms, due_ms, definition, tags, input)
             values ('g_1', 'w', 'pending', 'queued', 1, 0, 0, 0, '', '[]', 'null')`,
          ),
        )
        .then(() => database.query("select graphile_worker.add_job('graph w', '{\"id\":\"g_1\"}', job_key => 'g_1')"))
        .catch(failed);
    });
    // Taken, given back, taken.
    assert.deepEqual([numbers, held], [[1, 3], 3]);
    cluster.left("g_1");
    await cluster.drain();
    await cluster.close();
  });
});
