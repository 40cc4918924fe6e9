/** Fills a store with every kind of row, for tests of migrations. */
import type { Store } from "./contract.ts";
import type { GraphRow } from "./graph-rows.ts";
import { attemptRow, graphRow, nodeRow, outboxRow, registrationRow } from "./sample-rows.testkit.ts";

/** Longer than SQLite stores in a row (storage/sqlite/runs/payloads.ts). */
const LONG = { text: "ž".repeat(70_000) };

export const MOVED_GRAPH = `g_${"7".repeat(26)}`;

/** @param foreign used where users choose texts. */
export async function fillStore({ graphs, webhooks, ...store }: Store, foreign = ""): Promise<void> {
  const id = MOVED_GRAPH;
  const row = graphRow(id, {
    status: "running",
    phase: "running",
    epoch: 2,
    pauseNo: 1,
    input: LONG,
    error: { message: "m", reason: "error", node: "n" },
    progress: { value: 0.25, note: "quarter" },
    tags: ["x", `ž${foreign}`, "x"],
    idempotencyKey: `key${foreign}`,
    startedMs: 1001,
    priority: -3,
    version: "2",
    timeoutMs: 60_000,
    deadlineMs: 61_001,
    summary: `Invoice ž${foreign}`,
    origin: { kind: "schedule", name: `nightly${foreign}` },
  });
  const file = { graphId: id, node: "a", type: "application/octet-stream", sha256: "ff", createdMs: 5 };
  await graphs.commit({
    graphId: id,
    insert: row,
    insertNodes: [
      { ...nodeRow(id, "a"), status: "done", result: LONG, state: LONG, doneSeq: 2, attempt: 3, crashes: 1 },
      { ...nodeRow(id, `a#${foreign}"\\é`), kind: "step", status: "done", result: "\u0000 \ud800" },
      { ...nodeRow(id, "b"), status: "retrying", dueMs: 99_000, error: { message: "no", reason: "timeout" } },
    ],
    pastNodes: [{ ...nodeRow(id, "a"), epoch: 1, status: "failed" }],
    events: [
      { graphId: id, type: "graph.queued", timestampMs: 1000 },
      { graphId: id, type: "log", node: "a", timestampMs: 1002, data: { level: "info", message: "\u0000ž" } },
    ],
    signals: [
      { graphId: id, seq: 1, name: "go", payload: null, key: `k${foreign}`, actor: "ada", createdMs: 1, node: "b" },
      {
        graphId: id,
        seq: 2,
        name: "go",
        payload: [1.5],
        key: undefined,
        actor: undefined,
        createdMs: 2,
        node: undefined,
      },
    ],
    artifacts: [
      { ...file, name: "a.bin", bytes: 3, upload: undefined },
      { ...file, name: "b.bin", bytes: 2, upload: "b.bin/1" },
    ],
    outbox: [outboxRow(id, { id: "msg_waiting", body: '{"a":"\\u0000ž"}', dueMs: 77 })],
    audit: {
      atMs: 7,
      actor: `a${foreign}`,
      address: undefined,
      operation: "graph.pause",
      target: id,
      note: "n",
      data: [1],
    },
  });
  await graphs.writePart(id, "a.bin", 0, Uint8Array.from([0, 255, 128]));
  await graphs.writePart(id, "b.bin/1", 0, Uint8Array.from([7, 8]));
  const attributes = { plan: "ž", cents: 5.5, isTrial: false };
  const ended: Partial<GraphRow> = {
    attributes,
    status: "done",
    phase: "done",
    tags: [],
    parentGraph: id,
    parentNode: "b",
  };
  for (let at = 0; at < 12; at++) {
    const graphId = `g_${String(at).padStart(26, "0")}`;
    await graphs.commit({
      graphId,
      insert: graphRow(graphId, { ...ended, forkedFrom: id, worker: at % 2 === 0 ? "w" : "v" }),
      insertNodes: [nodeRow(graphId, "a")],
      events: [{ graphId, type: "graph.queued", timestampMs: at }],
    });
  }
  await webhooks.saveRegistration(
    registrationRow("wh_1", { secret: "whsec_s", previousSecret: "whsec_p", previousUntilMs: 9, description: "ž" }),
  );
  await webhooks.addDelivery(outboxRow("", { id: "msg_ping", event: "ping" }));
  const response = `r${foreign}`;
  await webhooks.recordAttempts([
    {
      attempt: attemptRow("msg_ping", { durationMs: 12.625, response, timings: { dns: 0.1 } }),
      change: { status: "pending", dueMs: 8 },
    },
    {
      attempt: attemptRow("msg_ping", { number: 2, statusCode: undefined, responseHeaders: { server: "ž" } }),
      change: { status: "delivered", deliveredMs: 20 },
    },
  ]);
  await store.schedules.change("nightly", () => ({
    name: "nightly",
    worker: "w",
    cron: "0 3 * * *",
    timeZone: "UTC",
    input: { a: 1 },
    catchUp: "last",
    overlap: "skip",
    source: "api",
    isPaused: true,
    nextMs: 3000,
    lastMs: undefined,
    lastGraphId: undefined,
    createdMs: 1,
    updatedMs: 2,
  }));
  await store.sentEvents.add({
    name: "order.paid",
    id: `e1${foreign}`,
    position: 5_000,
    data: { text: `ž${foreign}` },
  });
  const event = { id: `e1${foreign}`, name: "order.paid", sentMs: 5, data: 1 };
  const group = {
    graph: "w",
    key: `k${foreign}`,
    generation: "e1",
    isOpen: true,
    dueMs: 9,
    events: [event],
    isList: true,
    count: 1,
  };
  await store.startGroups.join(event, "w", group.key, () => [group]);
  await store.queues.pause({ worker: "gpu", pausedMs: 4, by: "ada", note: undefined });
  await store.sessions.write("s1", `{"cart":["ž${foreign}"]}`, 9_000);
  await store.answers.claim({ id: "a1", bodyHash: "h", createdMs: 1, answer: undefined }, 0);
  await store.answers.settle("a1", 200, `{"ok":true}${foreign}`);
  await store.answers.claim({ id: "a2", bodyHash: "h", createdMs: 2, answer: undefined }, 0);
  await store.activity.save([{ process: "p", atMs: 60_000, data: { attempts: { w: 2 } } }]);
  await store.audit.add({
    atMs: 8,
    actor: "operator",
    address: "::1",
    operation: "queue.pause",
    target: "gpu",
    note: undefined,
    data: undefined,
  });
}
