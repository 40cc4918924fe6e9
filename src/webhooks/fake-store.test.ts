/** The webhook half of a store, in memory: as much as these tests need, and a way to count what is written. */
import { MemoryAudit, MemoryQueues, MemorySchedules } from "../store/memory/control.ts";
import { MemoryAnswers } from "../store/memory/answers.ts";
import assert from "node:assert/strict";
import { it } from "node:test";
import type {
  AttemptRow,
  DeliveryRow,
  GraphStore,
  OutboxRow,
  RegistrationRow,
  SessionRows,
  Store,
  WebhookStore,
} from "../store/contract.ts";

/** Lets a commit take a turn of the event loop, as a real one does. */
const commit = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class FakeWebhookStore implements WebhookStore {
  readonly rows = new Map<string, RegistrationRow>();
  readonly deliveriesById = new Map<string, DeliveryRow>();
  readonly attemptRows: AttemptRow[] = [];
  readonly listeners = new Set<() => void>();
  saves = 0;
  /** Set to make the next recordings fail, as a full disk would. */
  failRecords = 0;

  async saveRegistration(row: RegistrationRow): Promise<void> {
    await commit();
    this.saves++;
    this.rows.set(row.id, row);
  }
  async deleteRegistration(id: string): Promise<boolean> {
    await commit();
    return this.rows.delete(id);
  }
  registration(id: string): RegistrationRow | undefined {
    return this.rows.get(id);
  }
  registrationByUrl(url: string): RegistrationRow | undefined {
    return [...this.rows.values()].find((row) => row.url === url);
  }
  registrations(): RegistrationRow[] {
    return [...this.rows.values()];
  }
  async addDelivery(row: OutboxRow): Promise<void> {
    await commit();
    this.deliveriesById.set(row.id, { ...row, status: "pending", attempts: 0, deliveredMs: undefined });
    for (const listener of this.listeners) listener();
  }
  due(nowMs: number, limit: number, skip: readonly string[]): DeliveryRow[] {
    return [...this.deliveriesById.values()]
      .filter((row) => row.status === "pending" && row.dueMs <= nowMs && !skip.includes(row.registrationId))
      .sort((a, b) => a.dueMs - b.dueMs)
      .slice(0, limit);
  }
  nextDueMs(): number | undefined {
    return this.due(Number.MAX_SAFE_INTEGER, 1, [])[0]?.dueMs;
  }
  async recordAttempt(
    attempt: AttemptRow,
    change: { status: DeliveryRow["status"]; dueMs?: number; deliveredMs?: number },
  ): Promise<void> {
    await commit();
    if (this.failRecords-- > 0) throw new Error("disk full");
    const row = this.deliveriesById.get(attempt.deliveryId);
    assert.ok(row);
    this.attemptRows.push(attempt);
    this.deliveriesById.set(row.id, { ...row, ...change, attempts: attempt.number });
  }
  async requeue(deliveryId: string, dueMs: number): Promise<boolean> {
    await commit();
    const row = this.deliveriesById.get(deliveryId);
    if (row) this.deliveriesById.set(deliveryId, { ...row, status: "pending", dueMs });
    return row !== undefined;
  }
  delivery(id: string): DeliveryRow | undefined {
    return this.deliveriesById.get(id);
  }
  attempts(deliveryId: string): AttemptRow[] {
    return this.attemptRows.filter((row) => row.deliveryId === deliveryId);
  }
  listDeliveries(query: Parameters<WebhookStore["listDeliveries"]>[0]) {
    const matching = [...this.deliveriesById.values()].filter(
      (row) =>
        (query.registrationId === undefined || row.registrationId === query.registrationId) &&
        (query.status === undefined || row.status === query.status) &&
        (query.event === undefined || row.event === query.event) &&
        (query.graphId === undefined || row.graphId === query.graphId) &&
        (query.sinceMs === undefined || row.createdMs >= query.sinceMs),
    );
    const start = Number(query.cursor ?? 0);
    const end = start + (query.limit ?? 50);
    const nextCursor = end < matching.length ? String(end) : undefined;
    return { items: matching.slice(start, end), total: matching.length, nextCursor };
  }
  onOutbox(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}

/** A store of webhooks only. */
export function fakeStore(webhooks: FakeWebhookStore): Store {
  const audit = new MemoryAudit();
  return {
    webhooks,
    graphs: {} as GraphStore,
    sessions: {} as SessionRows,
    answers: new MemoryAnswers(),
    schedules: new MemorySchedules(audit),
    queues: new MemoryQueues(audit),
    audit,
    close: async () => undefined,
  };
}

it("the fake store gives due deliveries oldest first and leaves out what is skipped", async () => {
  const store = new FakeWebhookStore();
  const row = { graphId: "g_1", event: "ping" as const, epoch: 0, pauseNo: 0, body: "{}", createdMs: 0 };
  await store.addDelivery({ ...row, id: "msg_b", registrationId: "wh_1", dueMs: 2 });
  await store.addDelivery({ ...row, id: "msg_a", registrationId: "wh_1", dueMs: 1 });
  await store.addDelivery({ ...row, id: "msg_c", registrationId: "wh_2", dueMs: 0 });
  assert.deepEqual(
    store.due(2, 10, ["wh_2"]).map(({ id }) => id),
    ["msg_a", "msg_b"],
  );
});
