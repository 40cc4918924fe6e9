/**
 * Deliveries and attempts in PostgreSQL. A delivery belongs to one process, and so do all of a registration at a time: `due` claims its
 * results for the process (claim-function.ts) until the attempt is recorded, the process is gone (see its slot), or the delivery is
 * postponed.
 */
import { randomUUID } from "node:crypto";
import {
  ATTEMPT_COLUMNS,
  DELIVERY_COLUMNS,
  insertValues,
  toAttempt,
  toDelivery,
  toFailed,
  toLastOutcome,
  toReceiverOutcome,
  toTally,
} from "../../contract/columns.ts";
import { deliveryCursor, pageLimit, readDeliveryCursor } from "../../contract/page.ts";
import type { Page } from "../../contract/queries.ts";
import type { Row } from "../../contract/row.ts";
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
import { Conditions } from "../connection/conditions.ts";
import type { Database } from "../database.ts";
import { clean } from "../write/group-document.ts";
import type { Registrations } from "./registrations.ts";
import { SILENT_MS } from "./claim-function.ts";

const DELIVERY_NAMES = Object.values(DELIVERY_COLUMNS).map(([name]) => name);
const DELIVERY_LIST = DELIVERY_NAMES.join(", ");
const INSERT_DELIVERY = `INSERT INTO svc.delivery (${DELIVERY_LIST}) VALUES (${DELIVERY_NAMES.map((_, at) => `$${at + 1}`).join(", ")}) ON CONFLICT DO NOTHING`;

const ATTEMPT_NAMES = Object.values(ATTEMPT_COLUMNS).map(([name]) => name);
const ATTEMPT_TYPES =
  "delivery_id text, number int, started_ms bigint, duration_ms double precision, status_code int, response text, error text, timings text, response_headers text";
const INSERT_ATTEMPTS = `INSERT INTO svc.attempt (${ATTEMPT_NAMES.join(", ")})
  SELECT ${ATTEMPT_NAMES.join(", ")} FROM json_to_recordset($1::json) AS r(${ATTEMPT_TYPES}) ON CONFLICT DO NOTHING`;
const UPDATE_DELIVERIES = `UPDATE svc.delivery AS t
  SET status = CASE WHEN t.status <> 'pending' AND r.status = 'pending' THEN t.status ELSE r.status END, attempts = greatest(t.attempts, r.attempts), due_ms = coalesce(r.due_ms, t.due_ms),
  delivered_ms = coalesce(r.delivered_ms, t.delivered_ms), claimed_by = NULL
  FROM json_to_recordset($1::json) AS r(id text, status text, attempts int, due_ms bigint, delivered_ms bigint) WHERE t.id = r.id`;
const FAILED_OF = `SELECT id, event, created_ms FROM svc.delivery WHERE registration_id = $1 AND status = 'failed' AND created_ms >= $2
  AND (created_ms, id) < ($3, $4) ORDER BY created_ms DESC, id DESC LIMIT $5`;
/** A repeated statement recognises an earlier try with a lost answer by its mark. */
const GIVE_UP = `UPDATE svc.delivery SET status = 'failed', claimed_by = $2
  WHERE id = $1 AND (status = 'pending' OR status = 'failed' AND claimed_by = $2)`;
const REQUEUE_FAILED = `UPDATE svc.delivery SET status = 'pending', due_ms = $1, claimed_by = NULL
  WHERE id = ANY ($2::text[]) AND status = 'failed' AND registration_id = $3`;
const tally = (condition: string): string =>
  `(SELECT count(*)::int FROM (SELECT 1 FROM svc.delivery WHERE registration_id = asked.id AND ${condition} LIMIT ${MAX_DELIVERY_TOTAL}) AS counted)`;
const TALLIES = `SELECT asked.id AS registration_id, ${tally("status = 'delivered' AND created_ms >= $2")} AS delivered,
  ${tally("status = 'failed' AND created_ms >= $2")} AS failed, ${tally("status = 'pending'")} AS pending
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (id, place) ORDER BY place`;
const LATEST_OUTCOMES = `SELECT asked.id AS registration_id, started_ms, duration_ms, status_code, error
  FROM unnest($1::text[]) AS asked (id) CROSS JOIN LATERAL
    (SELECT id FROM svc.delivery WHERE registration_id = asked.id ORDER BY created_ms DESC, id DESC LIMIT $2) AS latest
  JOIN svc.attempt ON delivery_id = latest.id ORDER BY started_ms DESC`;

const LAST_OUTCOMES = `SELECT DISTINCT ON (delivery_id) delivery_id, started_ms, duration_ms, status_code, error
  FROM svc.attempt WHERE delivery_id = ANY ($1::text[]) ORDER BY delivery_id, number DESC`;

const IN_QUEUE = "status = 'pending' AND registration_id = $1 AND (attempts > 0) = $2";
const CLAIM = `SELECT ${DELIVERY_LIST} FROM svc.claim_deliveries($1, $2, $3, $4, $5)`;
/**
 * Time until unclaimed deliveries are checked again while another process has claims of the registration. Usually an announcement comes
 * first.
 */
const BEHIND_MS = 2000;
/** Claims of other processes are checked again when such a process can be known to be gone. */
const NEXT_DUE = `SELECT least(
    (SELECT due_ms FROM svc.delivery WHERE ${IN_QUEUE} AND due_ms > $3 ORDER BY due_ms LIMIT 1),
    (SELECT $3::bigint + CASE WHEN claimed_by IS NULL THEN ${BEHIND_MS} ELSE ${SILENT_MS} END
      FROM svc.delivery WHERE ${IN_QUEUE} AND due_ms <= $3 AND (claimed_by <> $4 OR claimed_by IS NULL AND EXISTS (
        SELECT FROM svc.lane WHERE lane.registration_id = $1 AND owner <> $4)) ORDER BY due_ms DESC LIMIT 1)) AS due`;
/** Walks from one registration to the next in the index. */
const PENDING_REGISTRATIONS = `WITH RECURSIVE found (id) AS (
    SELECT min(registration_id) FROM svc.delivery WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(registration_id) FROM svc.delivery WHERE status = 'pending' AND registration_id > found.id)
    FROM found WHERE found.id IS NOT NULL
  ) SELECT id FROM found WHERE id IS NOT NULL`;
const EARLIER_DUE = `SELECT min(due_ms) AS due FROM svc.delivery WHERE registration_id = $1 AND graph_id = $2 AND status = 'pending'
  AND (epoch, pause_no, event <> 'graph.paused') < ($3, $4, $5)`;

export class PostgresWebhooks implements WebhookStore {
  readonly #database: Database;
  readonly #registrations: Registrations;
  readonly #listeners = new Set<OutboxListener>();
  /** Id of the slot that shows whether this process is alive. */
  readonly claimant: string;

  constructor(database: Database, registrations: Registrations, owner: string) {
    this.#database = database;
    this.#registrations = registrations;
    this.claimant = owner;
  }

  notifyOutbox(rows: readonly Pick<OutboxRow, "registrationId">[]): void {
    if (this.#listeners.size === 0) return;
    const ids = new Set(rows.map(({ registrationId }) => registrationId));
    // None to send unread: a process sends what it has claimed.
    for (const listener of this.#listeners) listener(ids, []);
  }

  saveRegistration(row: RegistrationRow): Promise<void> {
    return this.#registrations.save(row);
  }

  changeRegistration(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    return this.#registrations.change(id, change);
  }

  deleteRegistration(id: string): Promise<boolean> {
    return this.#registrations.delete(id);
  }

  registration(id: string): Promise<RegistrationRow | undefined> {
    return this.#registrations.one(id);
  }

  registrationByUrl(url: string): Promise<RegistrationRow | undefined> {
    return this.#registrations.byUrl(url);
  }

  registrations(): Promise<RegistrationRow[]> {
    return this.#registrations.refresh();
  }

  known(): ReadonlyMap<string, RegistrationRow> {
    return this.#registrations.known();
  }

  async addDelivery(row: OutboxRow): Promise<void> {
    const values = insertValues(DELIVERY_COLUMNS, { ...row, status: "pending", attempts: 0 });
    await this.#database.run(INSERT_DELIVERY, ...values.map(clean));
    this.notifyOutbox([row]);
  }

  async due({ registrationId, isRetry }: DeliveryQueueKey, nowMs: number, limit: number): Promise<DeliveryRow[]> {
    const rows = await this.#database.rows(CLAIM, registrationId, isRetry, nowMs, limit, this.claimant);
    return rows.map(toDelivery).sort((a, b) => a.dueMs - b.dueMs);
  }

  async nextDueMs({ registrationId, isRetry }: DeliveryQueueKey, afterMs: number): Promise<number | undefined> {
    return dueOf(await this.#database.row(NEXT_DUE, registrationId, isRetry, afterMs, this.claimant));
  }

  async pendingRegistrations(): Promise<string[]> {
    return (await this.#database.rows(PENDING_REGISTRATIONS)).map((row) => row["id"] as string);
  }

  async earlierDueMs({ registrationId, graphId, epoch, pauseNo, event }: OutboxRow): Promise<number | undefined> {
    const isLater = event !== "graph.paused";
    return dueOf(await this.#database.row(EARLIER_DUE, registrationId, graphId, epoch, pauseNo, isLater));
  }

  async release(registrationId: string, graphId: string, dueMs: number): Promise<void> {
    // Includes rows with exactly this time: an earlier try with a lost answer may have set it, without an announcement.
    const { count } = await this.#database.run(
      "UPDATE svc.delivery SET due_ms = $3 WHERE registration_id = $1 AND graph_id = $2 AND status = 'pending' AND due_ms >= $3",
      registrationId,
      graphId,
      dueMs,
    );
    if (count > 0) this.notifyOutbox([{ registrationId }]);
  }

  async recordAttempts(records: readonly AttemptRecord[]): Promise<void> {
    const attempts = records.map(({ attempt }) => {
      const values = insertValues(ATTEMPT_COLUMNS, attempt).map(clean);
      return Object.fromEntries(ATTEMPT_NAMES.map((name, at) => [name, values[at]]));
    });
    const deliveries = records.map(({ attempt: { deliveryId, number }, change }) => ({
      id: deliveryId,
      status: change.status,
      attempts: number,
      due_ms: change.dueMs,
      delivered_ms: change.deliveredMs,
    }));
    await this.#database.transaction(async (sql) => {
      await sql(INSERT_ATTEMPTS, JSON.stringify(attempts));
      await sql(UPDATE_DELIVERIES, JSON.stringify(deliveries));
    });
  }

  async requeue(deliveryId: string, dueMs: number): Promise<boolean> {
    const row = await this.#database.row(
      "UPDATE svc.delivery SET status = 'pending', due_ms = $1, claimed_by = NULL WHERE id = $2 RETURNING registration_id",
      dueMs,
      clean(deliveryId),
    );
    if (row) this.notifyOutbox([{ registrationId: row["registration_id"] as string }]);
    return row !== undefined;
  }

  async giveUp(deliveryId: string): Promise<boolean> {
    return (await this.#database.run(GIVE_UP, clean(deliveryId), `given up ${randomUUID()}`)).count > 0;
  }

  async requeueFailed(registrationId: string, deliveryIds: readonly string[], dueMs: number): Promise<void> {
    await this.#database.run(REQUEUE_FAILED, dueMs, deliveryIds.map(clean), clean(registrationId));
    // Announced in any case: an earlier try with a lost answer may have done it.
    this.notifyOutbox([{ registrationId }]);
  }

  async failedOf({ registrationId, sinceMs, before, limit }: FailedQuery): Promise<FailedRow[]> {
    const { createdMs, id } = before ?? { createdMs: Number.MAX_SAFE_INTEGER, id: "" };
    const rows = await this.#database.rows(FAILED_OF, clean(registrationId), sinceMs, createdMs, id, limit);
    return rows.map(toFailed);
  }

  async delivery(id: string): Promise<DeliveryRow | undefined> {
    const row = await this.#database.row(`SELECT ${DELIVERY_LIST} FROM svc.delivery WHERE id = $1`, clean(id));
    return row && toDelivery(row);
  }

  async attempts(deliveryId: string): Promise<AttemptRow[]> {
    const rows = await this.#database.rows(
      "SELECT * FROM svc.attempt WHERE delivery_id = $1 ORDER BY number",
      deliveryId,
    );
    return rows.map(toAttempt);
  }

  async lastOutcomes(deliveryIds: readonly string[]): Promise<LastOutcomeRow[]> {
    return (await this.#database.rows(LAST_OUTCOMES, deliveryIds.map(clean))).map(toLastOutcome);
  }

  async latestOutcomes(registrationIds: readonly string[], deliveries: number): Promise<ReceiverOutcomeRow[]> {
    return (await this.#database.rows(LATEST_OUTCOMES, registrationIds.map(clean), deliveries)).map(toReceiverOutcome);
  }

  async tallies(registrationIds: readonly string[], sinceMs: number): Promise<DeliveryTally[]> {
    return (await this.#database.rows(TALLIES, registrationIds.map(clean), sinceMs)).map(toTally);
  }

  async listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRow>> {
    const conditions = new Conditions();
    conditions.add("registration_id = ?", query.registrationId);
    conditions.add("status = ?", query.status);
    conditions.add("event = ?", query.event);
    conditions.add("graph_id = ?", query.graphId);
    conditions.add("created_ms >= ?", query.sinceMs);
    const matching = `SELECT 1 FROM svc.delivery ${conditions.where} LIMIT ${MAX_DELIVERY_TOTAL}`;
    const counted = await this.#database.row(
      `SELECT count(*) AS total FROM (${matching}) AS counted`,
      ...conditions.values,
    );
    const before = readDeliveryCursor(query.cursor);
    if (before) conditions.add("(created_ms, id) < (?, ?)", before.createdMs, before.id);
    const limit = pageLimit(query.limit);
    const text = `SELECT ${DELIVERY_LIST} FROM svc.delivery ${conditions.where} ORDER BY created_ms DESC, id DESC LIMIT ${limit + 1}`;
    const rows = (await this.#database.rows(text, ...conditions.values)).map(toDelivery);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = rows.length > limit && last ? deliveryCursor(last) : undefined;
    return { items, total: Number(counted?.["total"]), nextCursor };
  }

  async forgetPings(beforeMs: number): Promise<void> {
    await this.#database.transaction(async (sql) => {
      const old = await sql(
        "DELETE FROM svc.delivery WHERE event = 'ping' AND status <> 'pending' AND created_ms < $1 RETURNING id",
        beforeMs,
      );
      await sql(
        "DELETE FROM svc.attempt WHERE delivery_id = ANY ($1::text[])",
        old.map(({ id }) => String(id)),
      );
    });
  }

  announce(registrationIds: ReadonlySet<string>): void {
    for (const listener of this.#listeners) listener(registrationIds, []);
  }

  onOutbox(listener: OutboxListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

function dueOf(row: Row | undefined): number | undefined {
  return typeof row?.["due"] === "number" ? row["due"] : undefined;
}
