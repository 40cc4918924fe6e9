/** Sample rows for tests of stores. */
import type { Store } from "./contract.ts";
import type { GraphRow, NodeRow, StoredGraph } from "./graph-rows.ts";
import type { AttemptRow, OutboxRow, RegistrationRow } from "./webhook-rows.ts";

let count = 0;
export const nextId = (): string => `g_${String(++count).padStart(26, "0")}`;

/** A run with its nodes, as a process loads it. */
export const stored = async ({ graphs }: Store, graphId: string): Promise<StoredGraph | undefined> =>
  (await graphs.load([graphId]))[0];

export function graphRow(id: string, change: Partial<GraphRow> = {}): GraphRow {
  return {
    id,
    worker: "w",
    status: "pending",
    phase: "queued",
    epoch: 1,
    pauseNo: 0,
    input: { a: [1, "ž"] },
    result: undefined,
    error: undefined,
    progress: undefined,
    tags: ["x"],
    idempotencyKey: undefined,
    definition: "d",
    createdMs: 1000,
    dueMs: 1000,
    startedMs: undefined,
    finishedMs: undefined,
    priority: 0,
    parentGraph: undefined,
    parentNode: undefined,
    forkedFrom: undefined,
    version: undefined,
    timeoutMs: undefined,
    deadlineMs: undefined,
    summary: undefined,
    origin: undefined,
    concurrencyKey: undefined,
    queuePosition: undefined,
    admittedMs: undefined,
    expiresMs: undefined,
    fairnessKey: undefined,
    fairnessCost: undefined,
    attributes: undefined,
    ...change,
  };
}

export function nodeRow(graphId: string, id: string): NodeRow {
  return {
    graphId,
    id,
    worker: "w",
    kind: "node",
    status: "ready",
    attempt: 0,
    crashes: 0,
    doneSeq: undefined,
    epoch: 1,
    after: ["a"],
    input: { n: 1 },
    result: undefined,
    error: undefined,
    startedMs: undefined,
    finishedMs: undefined,
    dueMs: undefined,
    state: undefined,
    keyEpoch: undefined,
    awaits: undefined,
  };
}

export function outboxRow(graphId: string, change: Partial<OutboxRow> = {}): OutboxRow {
  return {
    id: `msg_${++count}`,
    registrationId: "wh_1",
    graphId,
    event: "graph.done",
    epoch: 1,
    pauseNo: 0,
    body: "{}",
    createdMs: 5,
    dueMs: 5,
    ...change,
  };
}

/** An attempt with a 204 response. */
export function attemptRow(deliveryId: string, change: Partial<AttemptRow> = {}): AttemptRow {
  return {
    deliveryId,
    number: 1,
    startedMs: 1,
    durationMs: 2,
    statusCode: 204,
    response: "",
    responseHeaders: undefined,
    error: undefined,
    timings: undefined,
    ...change,
  };
}

export function registrationRow(id: string, change: Partial<RegistrationRow> = {}): RegistrationRow {
  return {
    id,
    url: `https://example.com/${id}`,
    events: ["graph.done"],
    workers: ["audit"],
    headers: { "X-Team": "audits" },
    ordered: false,
    disabledReason: undefined,
    enabled: true,
    description: "",
    secret: undefined,
    previousSecret: undefined,
    previousUntilMs: undefined,
    state: "active",
    consecutiveFailures: 0,
    openUntilMs: undefined,
    failingSinceMs: undefined,
    createdMs: 1,
    updatedMs: 1,
    ...change,
  };
}
