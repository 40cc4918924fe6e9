/** Registrations, deliveries and attempts in SQLite. */
import type { Page } from "../../contract/queries.ts";
import type {
  AttemptRecord,
  AttemptRow,
  ChangedRegistration,
  DeliveryQueueKey,
  DeliveryQuery,
  DeliveryRow,
  DeliveryTally,
  FailedQuery,
  FailedRow,
  OutboxListener,
  OutboxRow,
  ReceiverOutcomeRow,
  LastOutcomeRow,
  RegistrationRow,
  WebhookStore,
} from "../../contract/webhook-rows.ts";
import { MAX_DELIVERY_TOTAL } from "../../contract/webhook-rows.ts";
import {
  toAttempt,
  toDelivery,
  toFailed,
  toLastOutcome,
  toPending,
  toReceiverOutcome,
  toRegistration,
  toTally,
} from "../../contract/columns.ts";
import type { Database } from "../database.ts";
import { listDeliveries } from "./delivery-list.ts";
import type { Outbox } from "./outbox.ts";
import type { Row } from "../../contract/row.ts";

/** All rows as one JSON array: the cost is in the number of statements, not of rows. */
const INSERT_ATTEMPTS = `INSERT INTO attempt (delivery_id, number, started_ms, duration_ms, status_code, response, error, timings, response_headers)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
  FROM json_each(?) WHERE true ON CONFLICT (delivery_id, number) DO NOTHING`;
const UPDATE_DELIVERIES = `UPDATE delivery
  SET status = CASE WHEN status <> 'pending' AND given.value ->> 1 = 'pending' THEN status ELSE given.value ->> 1 END, attempts = max(attempts, given.value ->> 2),
  due_ms = coalesce(given.value ->> 3, due_ms), delivered_ms = coalesce(given.value ->> 4, delivered_ms)
  FROM json_each(?) AS given WHERE delivery.id = given.value ->> 0`;
/** Without columns that all rows of a queue share: each costs as much as finding the row. */
const DUE = `SELECT id, graph_id, event, epoch, pause_no, body, created_ms, due_ms, attempts, delivered_ms FROM delivery WHERE status = 'pending' AND registration_id = ? AND (attempts > 0) = ? AND due_ms <= ?
  ORDER BY due_ms LIMIT ?`;
const NEXT_DUE = `SELECT min(due_ms) AS due FROM delivery
  WHERE status = 'pending' AND registration_id = ? AND (attempts > 0) = ? AND due_ms > ?`;
/** Walks from one registration to the next in the index. */
const PENDING_REGISTRATIONS = `WITH RECURSIVE found (id) AS (
    SELECT min(registration_id) FROM delivery WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(registration_id) FROM delivery WHERE status = 'pending' AND registration_id > found.id)
    FROM found WHERE found.id IS NOT NULL
  ) SELECT id FROM found WHERE id IS NOT NULL`;
const EARLIER_DUE = `SELECT min(due_ms) AS due FROM delivery WHERE registration_id = ? AND graph_id = ? AND status = 'pending'
  AND (epoch, pause_no, event <> 'graph.paused') < (?, ?, ?)`;
/** The plus selects the index of failed deliveries, which are usually few. */
const FAILED_OF = `SELECT id, event, created_ms FROM delivery WHERE +registration_id = ? AND status = 'failed' AND created_ms >= ?
  AND (created_ms, id) < (?, ?) ORDER BY created_ms DESC, id DESC LIMIT ?`;
const GIVE_UP = "UPDATE delivery SET status = 'failed' WHERE id = ? AND status = 'pending'";
const REQUEUE_FAILED = `UPDATE delivery SET status = 'pending', due_ms = ?
  WHERE id IN (SELECT value FROM json_each(?)) AND status = 'failed' AND registration_id = ?`;
const tally = (condition: string): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM delivery WHERE registration_id = asked.value AND ${condition} LIMIT ${String(MAX_DELIVERY_TOTAL)}))`;
const TALLIES = `SELECT value AS registration_id, ${tally("status = 'delivered' AND created_ms >= ?2")} AS delivered,
  ${tally("status = 'failed' AND created_ms >= ?2")} AS failed, ${tally("status = 'pending'")} AS pending
  FROM json_each(?1) AS asked ORDER BY key`;
const LATEST_OUTCOMES = `SELECT asked.value AS registration_id, started_ms, duration_ms, status_code, error
  FROM json_each(?1) AS asked CROSS JOIN attempt ON delivery_id IN
    (SELECT id FROM delivery WHERE registration_id = asked.value ORDER BY created_ms DESC, id DESC LIMIT ?2)
  ORDER BY started_ms DESC`;

const LAST_OUTCOMES = `SELECT delivery_id, started_ms, duration_ms, status_code, error FROM attempt AS last
  WHERE delivery_id IN (SELECT value FROM json_each(?))
  AND number = (SELECT max(number) FROM attempt WHERE delivery_id = last.delivery_id)`;

export class SqliteWebhooks implements WebhookStore {
  readonly #database: Database;
  readonly #outbox: Outbox;
  /** Read at every transition; rarely changed. */
  #registrations: Map<string, RegistrationRow> | undefined;
  /** Deliveries to add, and the pending write. */
  readonly #adding: OutboxRow[] = [];
  #added: Promise<void> | undefined;

  constructor(database: Database, outbox: Outbox) {
    this.#database = database;
    this.#outbox = outbox;
  }

  async saveRegistration(row: RegistrationRow): Promise<void> {
    await this.#change(() => this.#save(row));
  }

  /** Also after a fault of the disk: the file has what was committed in spite of it. */
  #change<T>(work: () => T): Promise<T> {
    return this.#database.write(work).finally(() => (this.#registrations = undefined));
  }

  async changeRegistration(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    return this.#change(() => {
      const stored = this.#database.sql("SELECT data FROM registration WHERE id = ?").get(id);
      if (!stored) return undefined;
      const before = toRegistration(stored);
      const after = change(before);
      if (after !== before) this.#save(after);
      return { before, after };
    });
  }

  #save(row: RegistrationRow): void {
    this.#database
      .sql(
        "INSERT INTO registration (id, url, created_ms, data) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET url = excluded.url, data = excluded.data",
      )
      .run(row.id, row.url, row.createdMs, JSON.stringify(row));
  }

  async deleteRegistration(id: string): Promise<boolean> {
    const { changes } = await this.#change(() => this.#database.sql("DELETE FROM registration WHERE id = ?").run(id));
    return Number(changes) > 0;
  }

  known(): ReadonlyMap<string, RegistrationRow> {
    return (this.#registrations ??= new Map(
      this.#database
        .sql("SELECT data FROM registration ORDER BY created_ms, id")
        .all()
        .map((row) => {
          const registration = toRegistration(row);
          return [registration.id, registration];
        }),
    ));
  }

  async registration(id: string): Promise<RegistrationRow | undefined> {
    return this.known().get(id);
  }

  async registrationByUrl(url: string): Promise<RegistrationRow | undefined> {
    return (await this.registrations()).find((row) => row.url === url);
  }

  async registrations(): Promise<RegistrationRow[]> {
    return [...this.known().values()];
  }

  addDelivery(row: OutboxRow): Promise<void> {
    this.#adding.push(row);
    return (this.#added ??= this.#addAll());
  }

  /** All that have arrived before the next group. */
  async #addAll(): Promise<void> {
    let taken: readonly OutboxRow[] | undefined;
    const take = (): readonly OutboxRow[] => {
      if (taken) return taken;
      // Later ones belong to the next group.
      this.#added = undefined;
      return (taken = this.#adding.splice(0));
    };
    try {
      await this.#database.write(() => this.#outbox.insert(take()));
    } catch (error) {
      this.#outbox.doubt(take());
      throw error;
    }
    this.#outbox.notify(take());
  }

  async due({ registrationId, isRetry }: DeliveryQueueKey, nowMs: number, limit: number): Promise<DeliveryRow[]> {
    const { unreported } = this.#outbox;
    const read = (count: number): Row[] => this.#database.sql(DUE).all(registrationId, isRetry ? 1 : 0, nowMs, count);
    const isOnDisk = ({ id }: Row): boolean => !unreported.has(id as string);
    const rows = read(limit);
    let found = rows.filter(isOnDisk);
    // Rare: rows that are not on disk yet are the newest, and follow a page of others if there are many.
    if (found.length < rows.length && rows.length === limit)
      found = read(limit + unreported.size)
        .filter(isOnDisk)
        .slice(0, limit);
    return found.map((row) => toPending(row, registrationId));
  }

  async nextDueMs({ registrationId, isRetry }: DeliveryQueueKey, afterMs: number): Promise<number | undefined> {
    return dueOf(this.#database.sql(NEXT_DUE).get(registrationId, isRetry ? 1 : 0, afterMs));
  }

  async pendingRegistrations(): Promise<string[]> {
    return this.#database
      .sql(PENDING_REGISTRATIONS)
      .all()
      .map((row) => row["id"] as string);
  }

  async earlierDueMs({ registrationId, graphId, epoch, pauseNo, event }: OutboxRow): Promise<number | undefined> {
    const rank = event === "graph.paused" ? 0 : 1;
    return dueOf(this.#database.sql(EARLIER_DUE).get(registrationId, graphId, epoch, pauseNo, rank));
  }

  async release(registrationId: string, graphId: string, dueMs: number): Promise<void> {
    const { changes } = await this.#database.write(() =>
      this.#database
        .sql(
          "UPDATE delivery SET due_ms = ?3 WHERE registration_id = ?1 AND graph_id = ?2 AND status = 'pending' AND due_ms > ?3",
        )
        .run(registrationId, graphId, dueMs),
    );
    if (Number(changes) > 0) this.#outbox.reportOf(registrationId);
  }

  async recordAttempts(records: readonly AttemptRecord[]): Promise<void> {
    const attempts = JSON.stringify(records.map(({ attempt }) => attemptValues(attempt)));
    const deliveries = JSON.stringify(
      records.map(({ attempt: { deliveryId, number }, change }) => [
        deliveryId,
        change.status,
        number,
        change.dueMs ?? null,
        change.deliveredMs ?? null,
      ]),
    );
    await this.#database.write(() => {
      this.#database.sql(INSERT_ATTEMPTS).run(attempts);
      this.#database.sql(UPDATE_DELIVERIES).run(deliveries);
    });
  }

  async requeue(deliveryId: string, dueMs: number): Promise<boolean> {
    let row: Row | undefined;
    const work = (): void => {
      row = this.#database
        .sql("UPDATE delivery SET status = 'pending', due_ms = ? WHERE id = ? RETURNING registration_id")
        .get(dueMs, deliveryId);
    };
    try {
      await this.#database.write(work);
    } finally {
      if (row) this.#outbox.reportOf(row["registration_id"] as string);
    }
    return row !== undefined;
  }

  async giveUp(deliveryId: string): Promise<boolean> {
    const { changes } = await this.#database.write(() => this.#database.sql(GIVE_UP).run(deliveryId));
    return Number(changes) > 0;
  }

  async requeueFailed(registrationId: string, deliveryIds: readonly string[], dueMs: number): Promise<void> {
    try {
      await this.#database.write(() =>
        this.#database.sql(REQUEUE_FAILED).run(dueMs, JSON.stringify(deliveryIds), registrationId),
      );
    } finally {
      this.#outbox.reportOf(registrationId);
    }
  }

  async failedOf({ registrationId, sinceMs, before, limit }: FailedQuery): Promise<FailedRow[]> {
    const { createdMs, id } = before ?? { createdMs: Number.MAX_SAFE_INTEGER, id: "" };
    return this.#database.sql(FAILED_OF).all(registrationId, sinceMs, createdMs, id, limit).map(toFailed);
  }

  async delivery(id: string): Promise<DeliveryRow | undefined> {
    const row = this.#database.sql("SELECT * FROM delivery WHERE id = ?").get(id);
    return row && toDelivery(row);
  }

  async attempts(deliveryId: string): Promise<AttemptRow[]> {
    return this.#database
      .sql("SELECT * FROM attempt WHERE delivery_id = ? ORDER BY number")
      .all(deliveryId)
      .map(toAttempt);
  }

  async lastOutcomes(deliveryIds: readonly string[]): Promise<LastOutcomeRow[]> {
    return this.#database.sql(LAST_OUTCOMES).all(JSON.stringify(deliveryIds)).map(toLastOutcome);
  }

  async latestOutcomes(registrationIds: readonly string[], deliveries: number): Promise<ReceiverOutcomeRow[]> {
    return this.#database.sql(LATEST_OUTCOMES).all(JSON.stringify(registrationIds), deliveries).map(toReceiverOutcome);
  }

  async tallies(registrationIds: readonly string[], sinceMs: number): Promise<DeliveryTally[]> {
    return this.#database.sql(TALLIES).all(JSON.stringify(registrationIds), sinceMs).map(toTally);
  }

  async listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRow>> {
    return listDeliveries(this.#database, query);
  }

  async forgetPings(beforeMs: number): Promise<void> {
    const old = "SELECT id FROM delivery WHERE event = 'ping' AND status <> 'pending' AND created_ms < ?";
    await this.#database.write(() => {
      this.#database.sql(`DELETE FROM attempt WHERE delivery_id IN (${old})`).run(beforeMs);
      this.#database.sql(`DELETE FROM delivery WHERE id IN (${old})`).run(beforeMs);
    });
  }

  onOutbox(listener: OutboxListener): () => void {
    return this.#outbox.onOutbox(listener);
  }
}

function attemptValues(attempt: AttemptRow): readonly (string | number | undefined)[] {
  const { deliveryId, number, startedMs, durationMs, statusCode, response, error, timings, responseHeaders } = attempt;
  const timesText = timings && JSON.stringify(timings);
  const headersText = responseHeaders && JSON.stringify(responseHeaders);
  return [deliveryId, number, startedMs, durationMs, statusCode, response, error, timesText, headersText];
}

function dueOf(row: Row | undefined): number | undefined {
  return typeof row?.["due"] === "number" ? row["due"] : undefined;
}
