/** Registrations, deliveries and attempts in memory. */
import type {
  AttemptRow,
  DeliveryQuery,
  DeliveryRow,
  DeliveryStatus,
  OutboxRow,
  Page,
  RegistrationRow,
  WebhookStore,
} from "../contract.ts";
import { deliveryCursor, pageLimit, readDeliveryCursor } from "../page.ts";

/** Lets a commit take a turn, as a durable one does. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class MemoryWebhooks implements WebhookStore {
  readonly #registrations = new Map<string, RegistrationRow>();
  readonly #deliveries = new Map<string, DeliveryRow>();
  readonly #attempts: AttemptRow[] = [];
  readonly #listeners = new Set<() => void>();

  async saveRegistration(row: RegistrationRow): Promise<void> {
    await turn();
    const other = this.registrationByUrl(row.url);
    if (other && other.id !== row.id) throw new Error(`UNIQUE constraint failed: registration.url ${row.url}`);
    this.#registrations.set(row.id, structuredClone(row));
  }

  async deleteRegistration(id: string): Promise<boolean> {
    await turn();
    return this.#registrations.delete(id);
  }

  registration(id: string): RegistrationRow | undefined {
    return structuredClone(this.#registrations.get(id));
  }

  registrationByUrl(url: string): RegistrationRow | undefined {
    return this.registrations().find((row) => row.url === url);
  }

  registrations(): RegistrationRow[] {
    const rows = [...this.#registrations.values()];
    return structuredClone(rows.sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1)));
  }

  /** Part of a graph's unit. A row that is there already stays. */
  insertDeliveries(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const isKnown = [...this.#deliveries.values()].some(
        (other) => other.id === row.id || uniqueKey(other) === uniqueKey(row),
      );
      if (!isKnown)
        this.#deliveries.set(row.id, {
          ...structuredClone(row),
          status: "pending",
          attempts: 0,
          deliveredMs: undefined,
        });
    }
    for (const listener of this.#listeners) listener();
  }

  async addDelivery(row: OutboxRow): Promise<void> {
    await turn();
    this.insertDeliveries([row]);
  }

  #pending(): DeliveryRow[] {
    return [...this.#deliveries.values()].filter((row) => row.status === "pending").sort((a, b) => a.dueMs - b.dueMs);
  }

  due(nowMs: number, limit: number, skip: readonly string[]): DeliveryRow[] {
    const rows = this.#pending().filter((row) => row.dueMs <= nowMs && !skip.includes(row.registrationId));
    return structuredClone(rows.slice(0, limit));
  }

  nextDueMs(): number | undefined {
    return this.#pending()[0]?.dueMs;
  }

  async recordAttempt(
    attempt: AttemptRow,
    change: { status: DeliveryStatus; dueMs?: number; deliveredMs?: number },
  ): Promise<void> {
    await turn();
    const isKnown = this.#attempts.some(
      (other) => other.deliveryId === attempt.deliveryId && other.number === attempt.number,
    );
    if (!isKnown) this.#attempts.push(structuredClone(attempt));
    const row = this.#deliveries.get(attempt.deliveryId);
    if (!row) return;
    row.status = change.status;
    row.attempts = Math.max(row.attempts, attempt.number);
    row.dueMs = change.dueMs ?? row.dueMs;
    row.deliveredMs = change.deliveredMs ?? row.deliveredMs;
  }

  async requeue(deliveryId: string, dueMs: number): Promise<boolean> {
    await turn();
    const row = this.#deliveries.get(deliveryId);
    if (!row) return false;
    row.status = "pending";
    row.dueMs = dueMs;
    for (const listener of this.#listeners) listener();
    return true;
  }

  delivery(id: string): DeliveryRow | undefined {
    return structuredClone(this.#deliveries.get(id));
  }

  attempts(deliveryId: string): AttemptRow[] {
    return structuredClone(
      this.#attempts.filter((row) => row.deliveryId === deliveryId).sort((a, b) => a.number - b.number),
    );
  }

  listDeliveries(query: DeliveryQuery): Page<DeliveryRow> {
    const matching = [...this.#deliveries.values()]
      .filter((row) => query.registrationId === undefined || row.registrationId === query.registrationId)
      .filter((row) => query.status === undefined || row.status === query.status)
      .filter((row) => query.event === undefined || row.event === query.event)
      .filter((row) => query.graphId === undefined || row.graphId === query.graphId)
      .filter((row) => query.sinceMs === undefined || row.createdMs >= query.sinceMs)
      .sort((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? 1 : -1));
    const before = readDeliveryCursor(query.cursor);
    const rest = before
      ? matching.filter(
          (row) => row.createdMs < before.createdMs || (row.createdMs === before.createdMs && row.id < before.id),
        )
      : matching;
    const limit = pageLimit(query.limit);
    const items = structuredClone(rest.slice(0, limit));
    const last = items.at(-1);
    return {
      items,
      total: matching.length,
      nextCursor: rest.length > limit && last ? deliveryCursor(last) : undefined,
    };
  }

  onOutbox(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function uniqueKey(row: OutboxRow): string {
  return [row.registrationId, row.graphId, row.event, row.epoch, row.pauseNo].join(" ");
}
