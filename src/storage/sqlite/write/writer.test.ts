/** What a thread writes: the same as the event loop would, in the same order, and each error for its owner. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { Worker as Thread } from "node:worker_threads";
import type { SvcError } from "../../../platform/shared/errors.ts";
import { attemptRow, graphRow, nodeRow, outboxRow } from "../../contract/sample-rows.testkit.ts";
import { Database, type DatabaseOptions } from "../database.ts";
import { loadDriver } from "../file/driver.ts";
import { SqliteGraphs } from "../runs/graphs.ts";
import { Outbox } from "../webhooks/outbox.ts";
import { SqliteWebhooks } from "../webhooks/webhooks.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-writer-"));
const INSERT = "INSERT INTO session (id, data, expires_ms) VALUES (?, ?, 0)";
const COUNT = "SELECT count(*) AS count FROM session";

let files = 0;
const newFile = (): string => join(folder, `${++files}.db`);

async function using(
  test: (database: Database, file: string) => Promise<void>,
  options: DatabaseOptions = {},
): Promise<void> {
  const file = newFile();
  const database = await Database.open(file, { writerThread: true, ...options });
  try {
    await test(database, file);
  } finally {
    await database.close();
  }
}

const insert = (database: Database, id: string): Promise<string> =>
  database.writeBlind(() => {
    database.sql(INSERT).run(id, "");
    return id;
  });
const count = (database: Database): number => Number(database.sql(COUNT).get()?.["count"]);

/** The turn in which what waits is handed over has passed. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a database that a thread writes", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("has its event loop free while that writes, and tells once it is on disk", async () => {
    const syncs: (() => void)[] = [];
    const sync: DatabaseOptions["sync"] = (_fd, done) => void syncs.push(() => done(null));
    await using(
      async (database) => {
        let isTold = false;
        const written = insert(database, "a").then(() => (isTold = true));
        await turn();
        assert.equal(database.isBehind, true, "it is under way elsewhere");
        while (syncs.length === 0) await turn();
        assert.deepEqual([count(database), isTold], [1, false], "committed, and not yet on disk");
        syncs.pop()?.();
        await written;
        assert.equal(isTold, true);
      },
      { sync },
    );
  });

  it("has what needs the file done behind what was handed over, and that again behind it", async () => {
    await using(async (database) => {
      const seen = await Promise.all([
        insert(database, "a"),
        insert(database, "b"),
        database.write(() => count(database)),
        insert(database, "c"),
        database.writeAlone(async () => count(database)),
        insert(database, "d"),
        database.write(() => count(database)),
      ]);
      assert.deepEqual(seen, ["a", "b", 2, "c", 3, "d", 4]);
    });
  });

  it("gives each error to its owner, and writes what stood before and behind it", async () => {
    await using(async (database) => {
      await insert(database, "a");
      const first = [insert(database, "b"), insert(database, "a"), insert(database, "c")];
      await turn();
      // Made on top of a group that is being refused.
      const behind = [insert(database, "d"), insert(database, "e")];
      const told = await Promise.allSettled([...first, ...behind]);
      assert.deepEqual(
        told.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"],
      );
      assert.match(String((told[1] as PromiseRejectedResult).reason), /UNIQUE/);
      assert.equal(count(database), 5);
      await insert(database, "f");
      await turn();
      assert.equal(count(database), 6, "the thread goes on");
    });
  });

  it("begins work again that reads after all, or that throws, and counts on nothing that it had noted", async () => {
    await using(async (database) => {
      let stale = 0;
      database.onStale(() => stale++);
      const reads = database.writeBlind(() => {
        database.sql(INSERT).run("a", "");
        return count(database);
      });
      const throws = database.writeBlind(() => {
        database.sql(INSERT).run("b", "");
        throw new TypeError("no");
      });
      await assert.rejects(throws, /no/);
      assert.equal(await reads, 1);
      assert.equal(count(database), 1);
      assert.ok(stale > 0, "what work had counted on is read again");
    });
  });

  it("tells how many rows a statement has changed once it knows, and never before", async () => {
    await using(async (database) => {
      const changed: number[] = [];
      const once = (id: string) =>
        database.writeBlind(() => {
          const text = "INSERT INTO session (id, data, expires_ms) VALUES (?, '', 0) ON CONFLICT DO NOTHING";
          database.change(text, [id], (changes) => changed.push(changes));
        });
      await Promise.all([once("a"), once("a"), once("b")]);
      assert.deepEqual(changed, [1, 0, 1]);
      const asked = database.writeBlind(() => database.sql(INSERT).run("c", "").changes);
      assert.equal(Number(await asked), 1, "where the thread can't tell, it is done where that is known");
    });
  });

  it("is closed once all that was given to it is written", async () => {
    const file = newFile();
    const database = await Database.open(file, { writerThread: true });
    const given = ["a", "b", "c"].map((id) => insert(database, id));
    await database.close();
    assert.deepEqual(await Promise.all(given), ["a", "b", "c"]);
    const again = await Database.open(file);
    assert.equal(count(again), 3);
    await again.close();
  });

  it("goes on without its thread when that ends, and tells whose writing it can't speak of", async (t) => {
    let isDying = false;
    const { postMessage } = Thread.prototype;
    // What it can make nothing of ends it, as running out of memory would.
    t.mock.method(Thread.prototype, "postMessage", function (this: Thread, ...given: Parameters<typeof postMessage>) {
      postMessage.apply(this, isDying ? [null] : given);
    });
    await using(async (database) => {
      await insert(database, "a");
      isDying = true;
      await assert.rejects(insert(database, "b"), (error: SvcError) => {
        assert.equal(error.code, "SVC_STORE");
        assert.match(error.message, /may be written or not/);
        assert.match(String(error.cause), /TypeError/);
        return true;
      });
      await insert(database, "c");
      assert.equal(count(database), 2);
      assert.equal(database.isBehind, false);
    });
  });

  it("lets the process end in the midst of it, with all that was told", async () => {
    const file = newFile();
    const module = JSON.stringify(new URL("../database.js", import.meta.url).href);
    const code = `
      const { Database } = await import(${module});
      const database = await Database.open(${JSON.stringify(file)}, { writerThread: true });
      let told = 0;
      for (let id = 0; id < 4000; id++)
        database.writeBlind(() => database.sql(${JSON.stringify(INSERT)}).run(String(id), "x".repeat(200))).then(() => told++);
      const ends = setInterval(() => told > 0 && process.stdout.write(String(told), () => process.exit(3)), 1);
      for (let id = 4000; ; id++) {
        await new Promise((resolve) => setImmediate(resolve));
        database.writeBlind(() => database.sql(${JSON.stringify(INSERT)}).run(String(id), "")).then(() => told++);
      }`;
    const ran = await promisify(execFile)(process.execPath, [...process.execArgv, "--input-type=module", "-e", code], {
      timeout: 60_000,
    }).catch((error: { code: number; stdout: string; stderr: string }) => error);
    assert.equal("code" in ran ? ran.code : 0, 3, ran.stderr);
    const database = await Database.open(file);
    assert.ok(count(database) >= Number(ran.stdout), `${count(database)} of ${ran.stdout} that were told`);
    await database.close();
  });

  it("writes nothing any more once another process has the file, in either thread", async () => {
    await using(async (database, file) => {
      await insert(database, "a");
      // As where the lock of one that stood still was removed.
      rmSync(`${file}.lock`);
      const other = await Database.open(file);
      await assert.rejects(insert(database, "b"), /SVC_STORE|opened by another process/);
      await assert.rejects(
        database.write(() => undefined),
        { code: "SVC_STORE", message: /opened by another process.*end it/ },
      );
      assert.equal(await other.write(() => count(other)), 1);
      await other.close();
    });
  });

  it("has transitions of graphs, deliveries and attempts written by it, not by the event loop", async () => {
    await using(async (database) => {
      const outbox = new Outbox(database);
      const [graphs, webhooks] = [new SqliteGraphs(database, outbox), new SqliteWebhooks(database, outbox)];
      const isElsewhere = async <T>(work: Promise<T>): Promise<T> => {
        await turn();
        assert.equal(database.isBehind, true);
        return work;
      };
      const id = "g_1";
      await isElsewhere(
        graphs.commit({ graphId: id, insert: graphRow(id), insertNodes: [nodeRow(id, "a")], outbox: [outboxRow(id)] }),
      );
      const held = await isElsewhere(
        graphs.commit({
          graphId: id,
          fence: { epoch: 1, phases: [graphRow(id).phase] },
          nodes: [{ id: "a", status: "done", result: 1 }],
          events: [{ graphId: id, type: "node.done", node: "a", timestampMs: 1 }],
        }),
      );
      assert.equal(held, true);
      await isElsewhere(webhooks.addDelivery({ ...outboxRow(id), id: "msg_2", epoch: 2 }));
      await isElsewhere(
        webhooks.recordAttempts([
          {
            attempt: attemptRow("msg_2"),
            change: { status: "delivered", deliveredMs: 2 },
          },
        ]),
      );
      const lost = graphs.commit({ graphId: id, fence: { epoch: 7, phases: ["done"] }, graph: { status: "done" } });
      assert.equal(await lost, false, "a fence that does not hold is seen here");
      assert.equal((await graphs.load([id]))[0]?.nodes[0]?.status, "done");
      assert.equal((await webhooks.delivery("msg_2"))?.status, "delivered");
    });
  });

  it("shows no event that the thread may still refuse", async () => {
    await using(async (database, file) => {
      const graphs = new SqliteGraphs(database, new Outbox(database));
      const event = { graphId: "g_2", type: "graph.queued", timestampMs: 1 } as const;
      // The thread can't commit as long as somebody else writes.
      const other = new (await loadDriver())(file);
      other.exec("BEGIN IMMEDIATE");
      const started = graphs.commit({ graphId: "g_2", insert: graphRow("g_2"), events: [event] });
      await turn();
      assert.equal(database.isBehind, true);
      assert.deepEqual(await graphs.events("g_2", 0), []);
      other.exec("ROLLBACK");
      other.close();
      await started;
      assert.equal((await graphs.events("g_2", 0)).length, 1);
    });
  });
});
