/** Registrations, deliveries and attempts in memory. */
import type { Page } from "../contract/queries.ts";
import type {
  AttemptRecord,
  AttemptRow,
  ChangedRegistration,
  DeliveryLane,
  DeliveryQuery,
  DeliveryRow,
  DeliveryTally,
  FailedQuery,
  FailedRow,
  OutboxListener,
  OutboxRow,
  ReceiverOutcomeRow,
  LastOutcomeRow,
  OutcomeRow,
  RegistrationRow,
  WebhookStore,
} from "../contract/webhook-rows.ts";
import { MAX_DELIVERY_TOTAL } from "../contract/webhook-rows.ts";
import { deliveryCursor, pageLimit, readDeliveryCursor } from "../contract/page.ts";

/** Lets a commit take a turn, as a durable one does. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class MemoryWebhooks implements WebhookStore {
  readonly #registrations = new Map<string, RegistrationRow>();
  /** In order of age. */
  #known: ReadonlyMap<string, RegistrationRow> | undefined;
  readonly #deliveries = new Map<string, DeliveryRow>();
  readonly #keys = new Set<string>();
  readonly #attempts: AttemptRow[] = [];
  readonly #listeners = new Set<OutboxListener>();

  async saveRegistration(row: RegistrationRow): Promise<void> {
    await turn();
    this.#keep(row);
  }

  async changeRegistration(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    await turn();
    const before = structuredClone(this.#registrations.get(id));
    if (!before) return undefined;
    const after = change(before);
    if (after !== before) this.#keep(after);
    return { before, after };
  }

  #keep(row: RegistrationRow): void {
    const other = [...this.#registrations.values()].find(({ url }) => url === row.url);
    if (other && other.id !== row.id) throw new Error(`UNIQUE constraint failed: registration.url ${row.url}`);
    this.#registrations.set(row.id, structuredClone(row));
    this.#known = undefined;
  }

  async deleteRegistration(id: string): Promise<boolean> {
    await turn();
    this.#known = undefined;
    return this.#registrations.delete(id);
  }

  async registration(id: string): Promise<RegistrationRow | undefined> {
    return structuredClone(this.#registrations.get(id));
  }

  async registrationByUrl(url: string): Promise<RegistrationRow | undefined> {
    return (await this.registrations()).find((row) => row.url === url);
  }

  async registrations(): Promise<RegistrationRow[]> {
    return structuredClone([...this.known().values()]);
  }

  known(): ReadonlyMap<string, RegistrationRow> {
    const byAge = (): RegistrationRow[] =>
      [...this.#registrations.values()].sort((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1));
    return (this.#known ??= new Map(byAge().map((row) => [row.id, row])));
  }

  /** Part of a graph's unit. A row that is there already stays. */
  insertDeliveries(rows: readonly OutboxRow[]): void {
    const added: OutboxRow[] = [];
    for (const row of rows) {
      if (this.#deliveries.has(row.id) || this.#keys.has(uniqueKey(row))) continue;
      this.#keys.add(uniqueKey(row));
      this.#deliveries.set(row.id, { ...structuredClone(row), status: "pending", attempts: 0, deliveredMs: undefined });
      added.push(row);
    }
    this.#notify(rows, added);
  }

  #notify(rows: readonly Pick<OutboxRow, "registrationId">[], added: readonly OutboxRow[] = []): void {
    const ids = new Set(rows.map(({ registrationId }) => registrationId));
    for (const listener of this.#listeners) listener(ids, added);
  }

  hasPending(graphId: string): boolean {
    return this.#pending().some((row) => row.graphId === graphId);
  }

  /** Takes all deliveries of a graph away, with their attempts. */
  removeOf(graphId: string): void {
    for (const { id } of [...this.#deliveries.values()].filter((row) => row.graphId === graphId)) {
      this.#deliveries.delete(id);
      const kept = this.#attempts.filter((row) => row.deliveryId !== id);
      this.#attempts.splice(0, this.#attempts.length, ...kept);
    }
  }

  async addDelivery(row: OutboxRow): Promise<void> {
    await turn();
    this.insertDeliveries([row]);
  }

  #pending(): DeliveryRow[] {
    return [...this.#deliveries.values()].filter((row) => row.status === "pending").sort((a, b) => a.dueMs - b.dueMs);
  }

  #lane({ registrationId, isRetry }: DeliveryLane): DeliveryRow[] {
    return this.#pending().filter((row) => row.registrationId === registrationId && row.attempts > 0 === isRetry);
  }

  async due(lane: DeliveryLane, nowMs: number, limit: number): Promise<DeliveryRow[]> {
    const rows = this.#lane(lane).filter((row) => row.dueMs <= nowMs);
    return structuredClone(rows.slice(0, limit));
  }

  async nextDueMs(lane: DeliveryLane, afterMs: number): Promise<number | undefined> {
    return this.#lane(lane).find((row) => row.dueMs > afterMs)?.dueMs;
  }

  async pendingRegistrations(): Promise<string[]> {
    return [...new Set(this.#pending().map((row) => row.registrationId))].sort();
  }

  async earlierDueMs(row: OutboxRow): Promise<number | undefined> {
    return this.#pending().find((other) => isSameGraph(other, row) && comesBefore(other, row))?.dueMs;
  }

  async release(registrationId: string, graphId: string, dueMs: number): Promise<void> {
    await turn();
    const late = [...this.#deliveries.values()].filter(
      (row) => isSameGraph(row, { registrationId, graphId }) && row.status === "pending" && row.dueMs > dueMs,
    );
    for (const row of late) row.dueMs = dueMs;
    if (late.length > 0) this.#notify(late);
  }

  async recordAttempts(records: readonly AttemptRecord[]): Promise<void> {
    await turn();
    for (const record of records) this.#record(record);
  }

  #record({ attempt, change }: AttemptRecord): void {
    const isKnown = this.#attempts.some(
      (other) => other.deliveryId === attempt.deliveryId && other.number === attempt.number,
    );
    if (!isKnown) this.#attempts.push(structuredClone(attempt));
    const row = this.#deliveries.get(attempt.deliveryId);
    if (!row) return;
    if (row.status === "pending" || change.status !== "pending") row.status = change.status;
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
    this.#notify([row]);
    return true;
  }

  async giveUp(deliveryId: string): Promise<boolean> {
    await turn();
    const row = this.#deliveries.get(deliveryId);
    if (row?.status !== "pending") return false;
    row.status = "failed";
    return true;
  }

  async requeueFailed(registrationId: string, deliveryIds: readonly string[], dueMs: number): Promise<void> {
    await turn();
    const rows = deliveryIds.flatMap((id) => this.#deliveries.get(id) ?? []);
    const failed = rows.filter((row) => row.registrationId === registrationId && row.status === "failed");
    for (const row of failed) Object.assign(row, { status: "pending", dueMs });
    this.#notify([{ registrationId }]);
  }

  async failedOf({ registrationId, sinceMs, before, limit }: FailedQuery): Promise<FailedRow[]> {
    return [...this.#deliveries.values()]
      .filter((row) => row.registrationId === registrationId && row.status === "failed" && row.createdMs >= sinceMs)
      .filter((row) => !before || isOlder(row, before))
      .sort((a, b) => (isOlder(a, b) ? 1 : -1))
      .slice(0, limit)
      .map(({ id, event, createdMs }) => ({ id, event, createdMs }));
  }

  async delivery(id: string): Promise<DeliveryRow | undefined> {
    return structuredClone(this.#deliveries.get(id));
  }

  async attempts(deliveryId: string): Promise<AttemptRow[]> {
    return structuredClone(
      this.#attempts.filter((row) => row.deliveryId === deliveryId).sort((a, b) => a.number - b.number),
    );
  }

  async lastOutcomes(deliveryIds: readonly string[]): Promise<LastOutcomeRow[]> {
    const last = new Map<string, AttemptRow>();
    for (const row of this.#attempts) {
      const known = last.get(row.deliveryId);
      if (deliveryIds.includes(row.deliveryId) && (!known || row.number > known.number)) last.set(row.deliveryId, row);
    }
    return [...last.values()].map(({ deliveryId, ...row }) => ({ deliveryId, ...outcomeOf(row) }));
  }

  async latestOutcomes(registrationIds: readonly string[], deliveries: number): Promise<ReceiverOutcomeRow[]> {
    const receivers = new Map<string, string>();
    for (const registrationId of registrationIds)
      for (const { id } of (await this.listDeliveries({ registrationId, limit: deliveries })).items)
        receivers.set(id, registrationId);
    return this.#attempts
      .flatMap((row) => {
        const registrationId = receivers.get(row.deliveryId);
        return registrationId === undefined ? [] : [{ registrationId, ...outcomeOf(row) }];
      })
      .sort((a, b) => b.startedMs - a.startedMs);
  }

  async tallies(registrationIds: readonly string[], sinceMs: number): Promise<DeliveryTally[]> {
    const all = [...this.#deliveries.values()];
    return registrationIds.map((registrationId) => {
      const own = all.filter((row) => row.registrationId === registrationId);
      const count = (status: DeliveryRow["status"], fromMs: number): number => {
        const { length } = own.filter((row) => row.status === status && row.createdMs >= fromMs);
        return Math.min(length, MAX_DELIVERY_TOTAL);
      };
      const [delivered, failed] = [count("delivered", sinceMs), count("failed", sinceMs)];
      return { registrationId, delivered, failed, pending: count("pending", -Infinity) };
    });
  }

  async listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRow>> {
    const matching = [...this.#deliveries.values()]
      .filter((row) => query.registrationId === undefined || row.registrationId === query.registrationId)
      .filter((row) => query.status === undefined || row.status === query.status)
      .filter((row) => query.event === undefined || row.event === query.event)
      .filter((row) => query.graphId === undefined || row.graphId === query.graphId)
      .filter((row) => query.sinceMs === undefined || row.createdMs >= query.sinceMs)
      .sort((a, b) => (isOlder(a, b) ? 1 : -1));
    const before = readDeliveryCursor(query.cursor);
    const rest = before ? matching.filter((row) => isOlder(row, before)) : matching;
    const limit = pageLimit(query.limit);
    const items = structuredClone(rest.slice(0, limit));
    const last = items.at(-1);
    return {
      items,
      total: Math.min(matching.length, MAX_DELIVERY_TOTAL),
      nextCursor: rest.length > limit && last ? deliveryCursor(last) : undefined,
    };
  }

  async forgetPings(beforeMs: number): Promise<void> {
    await turn();
    for (const row of this.#deliveries.values())
      if (row.event === "ping" && row.status !== "pending" && row.createdMs < beforeMs) this.#deliveries.delete(row.id);
    const kept = this.#attempts.filter(({ deliveryId }) => this.#deliveries.has(deliveryId));
    this.#attempts.splice(0, this.#attempts.length, ...kept);
  }

  onOutbox(listener: OutboxListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function uniqueKey(row: OutboxRow): string {
  return [row.registrationId, row.graphId, row.event, row.epoch, row.pauseNo].join(" ");
}

type Place = Pick<OutboxRow, "id" | "createdMs">;

/** Of those made at the same time, by their ids. */
function isOlder(row: Place, other: Place): boolean {
  return row.createdMs < other.createdMs || (row.createdMs === other.createdMs && row.id < other.id);
}

type OfGraph = Pick<OutboxRow, "registrationId" | "graphId">;

function isSameGraph(row: OfGraph, other: OfGraph): boolean {
  return row.registrationId === other.registrationId && row.graphId === other.graphId;
}

/** In the order of epochs and pauses; a pause comes before the end that follows it. */
function comesBefore(row: OutboxRow, other: OutboxRow): boolean {
  const rank = ({ event }: OutboxRow): number => (event === "graph.paused" ? 0 : 1);
  if (row.epoch !== other.epoch) return row.epoch < other.epoch;
  return row.pauseNo !== other.pauseNo ? row.pauseNo < other.pauseNo : rank(row) < rank(other);
}

function outcomeOf({ startedMs, durationMs, statusCode, error }: OutcomeRow): OutcomeRow {
  return { startedMs, durationMs, statusCode, error };
}
