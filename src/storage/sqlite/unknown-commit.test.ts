/** Commits that reached the file although the disk reported a sync error. Callers see an error, and readers find the data. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { attemptRow, graphRow, outboxRow, registrationRow } from "../contract/sample-rows.testkit.ts";
import { Database } from "./database.ts";
import { SqliteGraphs } from "./runs/graphs.ts";
import { Outbox } from "./webhooks/outbox.ts";
import { SqliteWebhooks } from "./webhooks/webhooks.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-unsure-"));
interface Unsure {
  webhooks: SqliteWebhooks;
  graphs: SqliteGraphs;
  /** Registrations that were reported as having deliveries since the last call. */
  woken: () => string[];
  /** Writes while the sync of the disk fails. */
  unsurely: (write: () => Promise<unknown>) => Promise<void>;
  close: () => Promise<void>;
}

async function unsure(name: string): Promise<Unsure> {
  let isFailing = false;
  const database = await Database.open(join(folder, name), {
    sync: (_fd, done) => void setImmediate(() => done(isFailing ? new Error("EIO: i/o error, fdatasync") : null)),
  });
  const outbox = new Outbox(database);
  const webhooks = new SqliteWebhooks(database, outbox);
  const woken: string[] = [];
  webhooks.onOutbox((ids, added) => {
    assert.deepEqual(added, [], "no delivery is sent without being read");
    woken.push(...ids);
  });
  return {
    webhooks,
    graphs: new SqliteGraphs(database, outbox),
    woken: () => woken.splice(0),
    unsurely: async (write) => {
      isFailing = true;
      await assert.rejects(write(), /SVC_STORE|EIO/);
      isFailing = false;
      // The next write is copied into the database file, and later writes are synced as before.
      await database.write(() => undefined);
    },
    close: () => database.close(),
  };
}

describe("a commit that reached the file despite a sync error", () => {
  after(() => rmSync(folder, { recursive: true }));

  it("of a run makes its subscribers and the delivery loop read again", async () => {
    const { graphs, woken, unsurely, close } = await unsure("graph.db");
    const reported: number[] = [];
    graphs.onEvents("g_1", (events) => void reported.push(events.length));
    const event = { graphId: "g_1", type: "graph.queued", timestampMs: 1 } as const;
    await unsurely(() =>
      graphs.commit({ graphId: "g_1", insert: graphRow("g_1"), events: [event], outbox: [outboxRow("g_1")] }),
    );
    assert.equal((await graphs.events("g_1", 0)).length, 1);
    assert.deepEqual([reported, woken()], [[0], ["wh_1"]]);
    await close();
  });

  it("of a registration is used by this process and the next one", async () => {
    const { webhooks, unsurely, close } = await unsure("registration.db");
    const row = registrationRow("wh_1");
    const known = (): unknown[] => [...webhooks.known().values()].map(({ id, description }) => [id, description]);
    assert.deepEqual(known(), []);
    await unsurely(() => webhooks.saveRegistration(row));
    assert.deepEqual(known(), [["wh_1", ""]]);
    await unsurely(() => webhooks.changeRegistration("wh_1", (before) => ({ ...before, description: "news" })));
    assert.deepEqual(known(), [["wh_1", "news"]]);
    await unsurely(() => webhooks.deleteRegistration("wh_1"));
    assert.deepEqual(known(), []);
    await close();
  });

  it("of an added or requeued delivery is delivered", async () => {
    const { webhooks, woken, unsurely, close } = await unsure("delivery.db");
    const row = outboxRow("g_1");
    await unsurely(() => webhooks.addDelivery(row));
    assert.deepEqual(woken(), ["wh_1"]);
    await unsurely(() => webhooks.requeue(row.id, 7));
    assert.deepEqual([(await webhooks.delivery(row.id))?.dueMs, woken()], [7, ["wh_1"]]);
    await webhooks.recordAttempts([{ attempt: attemptRow(row.id), change: { status: "failed" } }]);
    await unsurely(() => webhooks.requeueFailed("wh_1", [row.id], 9));
    assert.deepEqual([(await webhooks.delivery(row.id))?.dueMs, woken()], [9, ["wh_1"]]);
    await close();
  });

  it("is not delivered before it is on disk, because it would be sent twice", async () => {
    const syncs: (() => void)[] = [];
    const database = await Database.open(join(folder, "early.db"), {
      sync: (_fd, done) => void syncs.push(() => done(null)),
    });
    const outbox = new Outbox(database);
    const webhooks = new SqliteWebhooks(database, outbox);
    const added: string[] = [];
    webhooks.onOutbox((_ids, rows) => void added.push(...rows.map(({ id }) => id)));
    const [first, second] = [outboxRow("g_1"), outboxRow("g_2", { dueMs: 4 })];
    const deliveryQueue = { registrationId: "wh_1", isRetry: false };
    const due = async (): Promise<string[]> => (await webhooks.due(deliveryQueue, 10, 1)).map(({ id }) => id);
    const writing = webhooks.addDelivery(first);
    while (syncs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([(await webhooks.delivery(first.id))?.status, await due(), added], ["pending", [], []]);
    syncs.shift()?.();
    await writing;
    assert.deepEqual([await due(), added], [[first.id], [first.id]]);
    const others = webhooks.addDelivery(second);
    while (syncs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await due(), [first.id], "rows on disk are not delayed by rows that are not");
    syncs.shift()?.();
    await others;
    await Promise.all([
      database.close(),
      new Promise<void>((resolve) => setImmediate(() => resolve(syncs.shift()?.()))),
    ]);
  });
});
