/** Failures of the connection to PostgreSQL and of the server: nothing is lost, and nothing is written twice. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { startPostgres, testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { MemoryCounters } from "../../platform/security/rate-limits/memory-counters.ts";
import type { Store } from "../contract/contract.ts";
import type { GraphRow } from "../contract/graph-rows.ts";
import type { ScheduleRow } from "../contract/control.ts";
import type { AttemptRecord } from "../contract/webhook-rows.ts";
import { openStore } from "../open-store.ts";
import { UserStatementError, type TransactionHandle } from "../contract/transaction.ts";
import { attemptRow, graphRow, nextId, outboxRow, registrationRow, stored } from "../contract/sample-rows.testkit.ts";
import { openPool } from "./connection/driver.ts";
import { openPostgres } from "./open.ts";

function deliveredOf(deliveryId: string): AttemptRecord {
  return { attempt: attemptRow(deliveryId), change: { status: "delivered" } };
}

function scheduleRow(name: string, change: Partial<ScheduleRow> = {}): ScheduleRow {
  const cron = { cron: "0 * * * *", timeZone: "UTC", catchUp: "last", overlap: "skip" } as const;
  const last = { nextMs: 1, lastMs: undefined, lastGraphId: undefined, createdMs: 1, updatedMs: 1 };
  return { name, worker: "echo", ...cron, input: null, source: "api", isPaused: false, ...last, ...change };
}

/** A proxy to the server that can cut the connection before a statement arrives, or before its response returns. */
class Wire {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Decides for each statement, by its bytes. */
  cut: ((bytes: Buffer) => "request" | "answer" | undefined) | undefined;
  cuts = 0;

  constructor(host: string, port: number) {
    this.#server = createServer((client) => {
      const server = connect(port, host);
      let isAnswerLost = false;
      const end = (): void => {
        client.destroy();
        server.destroy();
      };
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on("error", end).on("close", end);
      }
      client.on("data", (bytes) => {
        const cut = this.cut?.(bytes);
        if (cut) this.cuts++;
        if (cut === "request") return end();
        isAnswerLost ||= cut === "answer";
        server.write(bytes);
      });
      server.on("data", (bytes) => {
        if (isAnswerLost) end();
        else client.write(bytes);
      });
    });
  }

  async open(url: string): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const through = new URL(url);
    through.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return through.href;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** Cuts the connection at the first message that contains the text; later ones pass. */
function onceAt(text: string, what: "request" | "answer"): (bytes: Buffer) => "request" | "answer" | undefined {
  let isDone = false;
  return (bytes) => {
    if (isDone || !bytes.includes(text)) return undefined;
    isDone = true;
    return what;
  };
}

const skip = await withoutPostgres();

describe("PostgreSQL over an unreliable connection", { skip }, () => {
  let database: TestDatabase;
  let wire: Wire;
  let store: Store;
  before(async () => {
    database = await testDatabase();
    const { hostname, port } = new URL(database.url);
    wire = new Wire(hostname, Number(port));
    store = await openPostgres(await wire.open(database.url), { patienceMs: 60_000 });
  });
  after(async () => {
    wire.cut = undefined;
    await store.close();
    wire.close();
    await database.drop();
  });

  const event = (graphId: string) => ({ graphId, type: "log" as const, timestampMs: 1 });
  const seqsOf = async (id: string): Promise<number[]> => (await store.graphs.events(id, 0)).map(({ seq }) => seq);

  for (const what of ["request", "answer"] as const) {
    it(`writes each transition once if the ${what} is lost, and reports the right result`, async () => {
      const [first, second] = [nextId(), nextId()];
      await store.graphs.commit({ graphId: first, insert: graphRow(first), events: [event(first)] });
      wire.cut = onceAt('"at":1', what);
      const before = wire.cuts;
      const fence = { epoch: 1, phases: ["queued" as const] };
      const reported = await Promise.all([
        store.graphs.commit({ graphId: first, fence: { ...fence, seq: 1 }, events: [event(first)] }),
        store.graphs.commit({ graphId: second, insert: graphRow(second), outbox: [outboxRow(second)] }),
        store.graphs.commit({ graphId: first, fence: { ...fence, seq: 7 }, events: [event(first)] }),
      ]);
      assert.equal(wire.cuts, before + 1);
      assert.deepEqual(reported, [true, true, false]);
      assert.deepEqual(await seqsOf(first), [1, 2]);
      assert.equal((await store.webhooks.listDeliveries({ graphId: second })).total, 1);
    });

    it(`writes the rows of a user transaction once, with its transition, if the ${what} is lost`, async () => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id) });
      let runs = 0;
      for (const at of ['"at":1', "COMMIT\0"]) {
        wire.cut = onceAt(at, what);
        await store.graphs.transact({
          graphId: id,
          isAsync: true,
          statements: async (db) => {
            runs++;
            await db.query("CREATE TABLE IF NOT EXISTS own (id TEXT, at TEXT)");
            await db.query("INSERT INTO own VALUES ($1, $2)", [id, at.slice(0, 6)]);
            return null;
          },
          decide: () => ({ graphId: id, fence: { epoch: 1, phases: ["queued"] }, events: [event(id)] }),
        });
      }
      assert.ok(runs >= 3, "one of them was repeated");
      assert.deepEqual(await seqsOf(id), [1, 2]);
      const pool = await openPool(database.url, 1);
      const { rows } = await pool.query<{ at: string }>("SELECT at FROM own WHERE id = $1 ORDER BY at", [id]);
      await pool.end();
      assert.deepEqual(
        rows.map(({ at }) => at),
        ['"at":1', "COMMIT"],
      );
    });
  }

  it("repeats a read, and claims an id once, if the response is lost", async () => {
    wire.cut = onceAt("svc.answer", "answer");
    const row = { id: "cut", bodyHash: "h", createdMs: 1, answer: undefined };
    assert.equal(await store.answers.claim(row, 0), undefined);
    assert.deepEqual(await store.answers.claim(row, 0), row);
    wire.cut = onceAt("svc.session", "request");
    assert.equal(await store.sessions.read("nobody"), undefined);
  });

  describe("PostgreSQL after a lost response to a commit", () => {
    const word = (operation: string) => {
      const nothing = { address: undefined, note: undefined, data: undefined };
      return { atMs: 1, actor: "anna", operation, target: "t", ...nothing };
    };
    const wordsOf = async (operation: string): Promise<number> => (await store.audit.list({ operation })).total;
    const unheard = async <T>(work: () => Promise<T>, at = "COMMIT\0"): Promise<T> => {
      const before = wire.cuts;
      wire.cut = onceAt(at, "answer");
      const value = await work();
      assert.equal(wire.cuts, before + 1);
      return value;
    };

    it("changes a schedule once, with one audit entry", async () => {
      const change = (): Promise<ScheduleRow> =>
        store.schedules.change(
          "cut",
          (old) => scheduleRow("cut", { updatedMs: (old?.updatedMs ?? 0) + 1 }),
          word("test.change"),
        );
      for (const times of [1, 2]) {
        assert.equal((await unheard(change)).updatedMs, times);
        assert.deepEqual(
          [(await store.schedules.schedule("cut"))?.updatedMs, await wordsOf("test.change")],
          [times, times],
        );
      }
    });

    it("notifies listeners of deliveries that are due sooner", async () => {
      const id = nextId();
      const row = outboxRow(id, { registrationId: "wh_sooner", dueMs: 9000 });
      await store.webhooks.addDelivery(row);
      const reported: string[] = [];
      const stop = store.webhooks.onOutbox((ids) => reported.push(...ids));
      await unheard(() => store.webhooks.release("wh_sooner", row.graphId, 5), "SET due_ms = $3 WHERE registration_id");
      stop();
      assert.equal((await store.webhooks.delivery(row.id))?.dueMs, 5);
      assert.ok(reported.includes("wh_sooner"));
    });

    it("reports that a delivery was given up, once", async () => {
      const row = outboxRow(nextId(), { registrationId: "wh_given_up" });
      await store.webhooks.addDelivery(row);
      assert.equal(await unheard(() => store.webhooks.giveUp(row.id), "SET status = 'failed', claimed_by"), true);
      assert.equal((await store.webhooks.delivery(row.id))?.status, "failed");
      assert.equal(await store.webhooks.giveUp(row.id), false);
    });

    it("reports that a removed row existed, with one audit entry", async () => {
      await store.schedules.change("gone", () => scheduleRow("gone"));
      const remove = (): Promise<boolean> => store.schedules.remove("gone", "api", word("test.remove"));
      assert.equal(await unheard(remove), true);
      assert.equal(await store.schedules.schedule("gone"), undefined);
      assert.equal(await remove(), false);
      assert.equal(await wordsOf("test.remove"), 1);
      await store.webhooks.saveRegistration(registrationRow("wh_gone"));
      assert.equal(await unheard(() => store.webhooks.deleteRegistration("wh_gone")), true);
      assert.equal(await store.webhooks.deleteRegistration("wh_gone"), false);
    });

    it("has one audit entry for a pause, a resume and a command without a change", async () => {
      const row = { worker: "echo", pausedMs: 1, by: undefined, note: undefined };
      await unheard(() => store.queues.pause(row, word("test.pause")));
      assert.deepEqual(
        (await store.queues.paused()).map(({ worker }) => worker),
        ["echo"],
      );
      await unheard(() => store.queues.resume("echo", word("test.resume")));
      assert.deepEqual(await store.queues.paused(), []);
      await unheard(() => store.audit.add(word("test.look")), "test.look");
      for (const operation of ["test.pause", "test.resume", "test.look"])
        assert.equal(await wordsOf(operation), 1, operation);
    });

    it("changes a registration once, and returns its earlier state", async () => {
      const id = "wh_cut";
      await store.webhooks.saveRegistration(registrationRow(id, { secret: "old" }));
      const changed = await unheard(() =>
        store.webhooks.changeRegistration(id, (row) => ({ ...row, secret: "new", previousSecret: row.secret })),
      );
      assert.deepEqual([changed?.before.secret, changed?.after.previousSecret], ["old", "old"]);
      assert.equal((await store.webhooks.registration(id))?.previousSecret, "old");
    });
  });

  it("continues after its writer slot was deleted", async () => {
    const pool = await openPool(database.url, 1);
    await pool.query("DELETE FROM svc.slot");
    await pool.end();
    const id = nextId();
    await store.graphs.commit({ graphId: id, insert: graphRow(id), events: [event(id)] }).catch(() => undefined);
    assert.equal(await store.graphs.commit({ graphId: id, events: [event(id)] }), true);
    assert.deepEqual(await seqsOf(id), [1, 2]);
  });
});

describe("PostgreSQL after a restart", { skip }, () => {
  it("keeps acknowledged writes, and writes interrupted ones once", async () => {
    const server = await startPostgres();
    // A busy machine may take long to start it.
    const store = await openPostgres(server.url, { patienceMs: 120_000 });
    const ids = Array.from({ length: 20 }, nextId);
    const written = new Map<string, number>();
    const writeSome = async (id: string): Promise<void> => {
      const event = { graphId: id, type: "log" as const, timestampMs: 1 };
      await store.graphs.commit({ graphId: id, insert: graphRow(id), events: [event] });
      for (let seq = 1; seq < 60; seq++) {
        const fence = { epoch: 1, phases: ["queued" as const], seq };
        assert.equal(await store.graphs.commit({ graphId: id, fence, events: [event] }), true);
        written.set(id, seq + 1);
      }
    };
    const writing = Promise.all(ids.map(writeSome));
    while ((written.get(ids[0] ?? "") ?? 0) < 10) await new Promise((next) => setImmediate(next));
    await server.restart();
    await writing;
    for (const id of ids) {
      const seqs = (await store.graphs.events(id, 0)).map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: 60 }, (_, at) => at + 1),
      );
    }
    await store.close();
  });
});

describe("PostgreSQL shared by several processes", { skip }, () => {
  let database: TestDatabase;
  before(async () => void (database = await testDatabase()));
  after(() => database.drop());

  it("creates its tables once for processes that boot together, and notifies each of changes by others", async () => {
    const stores = await Promise.all(
      Array.from({ length: 4 }, () => openStore(`${database.url}?schema=shared&connections=4`)),
    );
    const [one, other] = stores as [Store, Store];
    await one.webhooks.saveRegistration(registrationRow("wh_shared"));
    assert.equal((await other.webhooks.registration("wh_shared"))?.id, "wh_shared");
    await other.webhooks.registrations();
    assert.deepEqual([...other.webhooks.known().keys()], ["wh_shared"]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("loses no change of a registration that two processes change at once", async () => {
    const open = () => openStore(`${database.url}?schema=changed`);
    const [one, other] = [await open(), await open()];
    await one.webhooks.saveRegistration(registrationRow("wh_both"));
    const count = (store: Store) =>
      store.webhooks.changeRegistration("wh_both", (row) => ({
        ...row,
        consecutiveFailures: row.consecutiveFailures + 1,
      }));
    const disable = other.webhooks.changeRegistration("wh_both", (row) => ({ ...row, enabled: false }));
    await Promise.all([disable, ...Array.from({ length: 30 }, (_, at) => count(at % 2 === 0 ? one : other))]);
    const row = await one.webhooks.registration("wh_both");
    assert.deepEqual([row?.consecutiveFailures, row?.enabled], [30, false]);
    await Promise.all([one.close(), other.close()]);
  });

  it("notifies the registration of another process that this process does not know yet", async () => {
    const open = () => openStore(`${database.url}?schema=notified`);
    const [one, other] = [await open(), await open()];
    const id = nextId();
    const rows = () => [...one.webhooks.known().keys()].map((registrationId) => outboxRow(id, { registrationId }));
    await other.webhooks.saveRegistration(registrationRow("wh_new"));
    assert.equal(one.webhooks.known().size, 0);
    await one.graphs.commit({ graphId: id, insert: graphRow(id), outbox: rows(), outboxAgain: rows });
    const { items } = await one.webhooks.listDeliveries({ graphId: id });
    assert.deepEqual(
      items.map((row) => row.registrationId),
      ["wh_new"],
    );
    await Promise.all([one, other].map((store) => store.close()));
  });

  it("does not reload registrations when only their health changes", async () => {
    const open = () => openStore(`${database.url}?schema=healthy`);
    const [one, other] = [await open(), await open()];
    await other.webhooks.saveRegistration(registrationRow("wh_shared"));
    await one.webhooks.registrations();
    let asked = 0;
    const write = (id: string) =>
      one.graphs.commit({ graphId: id, insert: graphRow(id), outbox: [], outboxAgain: () => (asked++, []) });
    await other.webhooks.saveRegistration(registrationRow("wh_shared", { consecutiveFailures: 3, state: "failing" }));
    await write(nextId());
    assert.equal(asked, 0);
    await other.webhooks.saveRegistration(registrationRow("wh_shared", { enabled: false }));
    await write(nextId());
    assert.equal(asked, 1);
    await Promise.all([one, other].map((store) => store.close()));
  });

  it("counts runs of all processes, including those that are gone", async () => {
    const open = () => openStore(`${database.url}?schema=counted`);
    const [one, other] = [await open(), await open()];
    const ids = Array.from({ length: 10 }, nextId);
    const insert = (id: string): GraphRow => graphRow(id, { tags: ["t"] });
    await Promise.all(ids.map((id) => one.graphs.commit({ graphId: id, insert: insert(id) })));
    await Promise.all(
      ids.slice(0, 4).map((graphId) => other.graphs.commit({ graphId, graph: { status: "done", phase: "done" } })),
    );
    await one.close();
    assert.deepEqual([(await other.graphs.countByStatus()).pending, (await other.graphs.countByStatus()).done], [6, 4]);
    await other.close();
    const third = await open();
    assert.deepEqual(
      [(await third.graphs.list({ status: "done" })).total, (await third.graphs.list({ tag: "t" })).total],
      [4, 10],
    );
    await third.close();
  });

  it("gives the deliveries of a registration to one process at a time, and to another when that one is done or gone", async () => {
    const open = () => openStore(`${database.url}?schema=claimed`);
    const [one, other] = [await open(), await open()];
    const id = nextId();
    for (let pauseNo = 1; pauseNo <= 20; pauseNo++)
      await one.webhooks.addDelivery(outboxRow(id, { pauseNo, event: "graph.paused", dueMs: 1 }));
    const deliveryQueue = { registrationId: outboxRow(id).registrationId, isRetry: false };
    const [some, rest] = [await one.webhooks.due(deliveryQueue, 5, 8), await other.webhooks.due(deliveryQueue, 5, 100)];
    assert.deepEqual([some.length, rest.length], [8, 0]);
    assert.equal((await one.webhooks.due(deliveryQueue, 5, 8)).length, 8, "a process gets its own claims again");
    assert.ok(((await other.webhooks.nextDueMs(deliveryQueue, 5)) ?? 0) > 5, "another process checks again later");
    await one.webhooks.recordAttempts(some.map((row) => deliveredOf(row.id)));
    assert.equal((await other.webhooks.due(deliveryQueue, 5, 4)).length, 4, "the first process has no claims");
    assert.equal((await one.webhooks.due(deliveryQueue, 5, 100)).length, 0);
    await other.close();
    assert.equal((await one.webhooks.due(deliveryQueue, 5, 100)).length, 12);
    await one.close();
  });

  it("never gives deliveries of one registration to two processes, whenever they ask", async () => {
    const open = () => openStore(`${database.url}?schema=lanes`);
    const stores = await Promise.all([open(), open(), open()]);
    const id = nextId();
    const deliveryQueue = { registrationId: outboxRow(id).registrationId, isRetry: false };
    for (let pauseNo = 1; pauseNo <= 60; pauseNo++)
      await stores[0]?.webhooks.addDelivery(outboxRow(id, { pauseNo, event: "graph.paused", dueMs: 1 }));
    const delivered: string[] = [];
    const inHand = new Set<Store>();
    const work = async (store: Store): Promise<void> => {
      while (delivered.length < 60) {
        const rows = await store.webhooks.due(deliveryQueue, 5, 3);
        if (rows.length === 0) continue;
        inHand.add(store);
        assert.equal(inHand.size, 1, "another process has claims");
        await new Promise((next) => setImmediate(next));
        delivered.push(...rows.map((row) => row.id));
        // Set before the write, because another process may claim from then on.
        inHand.delete(store);
        await store.webhooks.recordAttempts(rows.map((row) => deliveredOf(row.id)));
      }
    };
    await Promise.all(stores.map(work));
    assert.equal(new Set(delivered).size, 60);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("counts rate limits for all processes, in the same windows as the memory store", async () => {
    const open = () => openStore(`${database.url}?schema=rates`);
    const [one, other] = [await open(), await open()];
    const memory = new MemoryCounters();
    let nowMs = 1_000_000;
    for (let at = 0; at < 120; at++) {
      nowMs += (at * 7919) % 9000;
      if (at === 90) nowMs -= 500_000; // the clock is set back
      const key = `client ${(at * 31) % 7}`;
      const counted = await (at % 2 === 0 ? one : other).rates?.add(key, 1, 60_000, nowMs);
      assert.deepEqual(counted, memory.add(key, 1, 60_000, nowMs), `call ${at}`);
    }
    await Promise.all([one.close(), other.close()]);
  });

  it("rejects a transition of another lease, and releases the lease of a run that has ended", async () => {
    const store = await openStore(`${database.url}?schema=leased`);
    const id = nextId();
    await store.graphs.commit({ graphId: id, insert: graphRow(id), heldBy: "p1" });
    const fence = { epoch: 1, phases: ["queued" as const] };
    const done = { status: "done" as const, phase: "done" as const };
    const under = (lease: number) => store.graphs.commit({ graphId: id, fence: { ...fence, lease }, graph: done });
    assert.deepEqual([await under(0), await under(2), await under(1)], [false, false, true]);
    assert.equal((await stored(store, id))?.row.phase, "done");
    const pool = await openPool(database.url, 1);
    const { rows } = await pool.query("SELECT holder, lease FROM leased.graph");
    await pool.end();
    assert.deepEqual(rows, [{ holder: null, lease: 1 }]);
    await store.close();
  });

  it("keeps connections for its own writes when more user transactions are open than it has connections", async () => {
    const store = await openStore(`${database.url}?schema=crowded&connections=4`);
    const ids = Array.from({ length: 30 }, nextId);
    await Promise.all(ids.map((id) => store.graphs.commit({ graphId: id, insert: graphRow(id) })));
    const event = (graphId: string) => ({ graphId, type: "log" as const, timestampMs: 1 });
    await Promise.all(
      ids.map(async (id) =>
        store.graphs.transact({
          graphId: id,
          isAsync: true,
          statements: async (db) => {
            // A write and a read of another run while this one is open.
            assert.equal(
              await store.graphs.commit({ graphId: ids[0] as string, events: [event(ids[0] as string)] }),
              true,
            );
            assert.equal((await store.graphs.graph(id))?.id, id);
            return (await db.query("SELECT 1 AS one")).rows[0]?.["one"] ?? null;
          },
          decide: () => ({ graphId: id, events: [event(id)] }),
        }),
      ),
    );
    assert.equal((await store.graphs.events(ids[0] as string, 0)).length, 31);
    await store.close();
  });

  it("accepts a single statement at a time from a worker, because a COMMIT behind it would end the transaction", async () => {
    const store = await openStore(`${database.url}?schema=several`);
    const id = nextId();
    await store.graphs.commit({ graphId: id, insert: graphRow(id) });
    const statements = async (db: TransactionHandle): Promise<null> => {
      await db.query("SELECT 1 AS one; COMMIT");
      return null;
    };
    const event = { graphId: id, type: "log" as const, timestampMs: 1 };
    const write = store.graphs.transact({
      graphId: id,
      isAsync: true,
      statements,
      decide: () => ({ graphId: id, events: [event] }),
    });
    await assert.rejects(
      write ?? Promise.resolve(),
      (error: Error) =>
        error instanceof UserStatementError && /multiple commands/.test(String((error.cause as Error).message)),
    );
    assert.equal((await store.graphs.events(id, 0)).length, 0);
    await store.close();
  });

  it("waits for the disk even if the database is configured not to", async () => {
    const own = await testDatabase();
    const name = new URL(own.url).pathname.slice(1);
    const settings = async (): Promise<unknown> => {
      const pool = await openPool(own.url, 1);
      try {
        return (await pool.query("SELECT current_setting('synchronous_commit') AS is")).rows[0];
      } finally {
        await pool.end();
      }
    };
    const pool = await openPool(own.url, 1);
    for (const value of ["off", "local"]) {
      await pool.query(`ALTER DATABASE "${name}" SET synchronous_commit = ${value}`);
      assert.deepEqual(await settings(), { is: value === "off" ? "on" : value });
    }
    await pool.end();
    await own.drop();
  });

  it("stores text that PostgreSQL can't represent, with a replacement character", async () => {
    const store = await openStore(`${database.url}?schema=texts`);
    const id = nextId();
    const input = { text: "a\0b\ud800", ["k\0"]: "ž😀" };
    const row = graphRow(id, { input, tags: ["x\0y"], idempotencyKey: "k\0\udfff" });
    await store.graphs.commit({ graphId: id, insert: row });
    assert.deepEqual(await store.graphs.graph(id), { ...row, tags: ["x\ufffdy"], idempotencyKey: "k\ufffd\ufffd" });
    assert.equal((await store.graphs.byIdempotencyKey("w", "k\0\udfff"))?.id, id);
    assert.equal(await store.graphs.graph("g_\0"), undefined);
    await store.close();
  });
});
