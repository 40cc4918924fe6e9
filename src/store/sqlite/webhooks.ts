/** Registrations, deliveries and attempts in SQLite. */
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
import { ATTEMPT_COLUMNS, DELIVERY_COLUMNS, insertSql, insertValues, toAttempt, toDelivery } from "./columns.ts";
import type { Database } from "./database.ts";
import type { Row, Value } from "./driver.ts";

const INSERT_DELIVERY = `${insertSql("delivery", DELIVERY_COLUMNS)} ON CONFLICT DO NOTHING`;
const INSERT_ATTEMPT = `${insertSql("attempt", ATTEMPT_COLUMNS)} ON CONFLICT (delivery_id, number) DO NOTHING`;

/** Inside a transaction. A row that is there already stays: a crash or a race never makes two. */
export function insertDelivery(database: Database, row: OutboxRow): void {
  database.sql(INSERT_DELIVERY).run(...insertValues(DELIVERY_COLUMNS, { ...row, status: "pending", attempts: 0 }));
}

export class SqliteWebhooks implements WebhookStore {
  readonly #database: Database;
  readonly #listeners = new Set<() => void>();
  /** Read at every transition; changed seldom. */
  #registrations: Map<string, RegistrationRow> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  notifyOutbox(): void {
    for (const listener of this.#listeners) listener();
  }

  async saveRegistration(row: RegistrationRow): Promise<void> {
    await this.#database.write(() =>
      this.#database
        .sql(
          "INSERT INTO registration (id, url, created_ms, data) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET url = excluded.url, data = excluded.data",
        )
        .run(row.id, row.url, row.createdMs, JSON.stringify(row)),
    );
    this.#registrations = undefined;
  }

  async deleteRegistration(id: string): Promise<boolean> {
    const { changes } = await this.#database.write(() =>
      this.#database.sql("DELETE FROM registration WHERE id = ?").run(id),
    );
    this.#registrations = undefined;
    return Number(changes) > 0;
  }

  #all(): Map<string, RegistrationRow> {
    return (this.#registrations ??= new Map(
      this.#database
        .sql("SELECT data FROM registration ORDER BY created_ms, id")
        .all()
        .map((row) => {
          const registration = registrationOf(row);
          return [registration.id, registration];
        }),
    ));
  }

  registration(id: string): RegistrationRow | undefined {
    return this.#all().get(id);
  }

  registrationByUrl(url: string): RegistrationRow | undefined {
    return this.registrations().find((row) => row.url === url);
  }

  registrations(): RegistrationRow[] {
    return [...this.#all().values()];
  }

  async addDelivery(row: OutboxRow): Promise<void> {
    await this.#database.write(() => insertDelivery(this.#database, row));
    this.notifyOutbox();
  }

  due(nowMs: number, limit: number, skip: readonly string[]): DeliveryRow[] {
    return this.#database
      .sql(
        `SELECT * FROM delivery WHERE status = 'pending' AND due_ms <= ?
         AND registration_id NOT IN (SELECT value FROM json_each(?)) ORDER BY due_ms LIMIT ?`,
      )
      .all(nowMs, JSON.stringify(skip), limit)
      .map(toDelivery);
  }

  nextDueMs(): number | undefined {
    const row = this.#database.sql("SELECT min(due_ms) AS due FROM delivery WHERE status = 'pending'").get();
    return typeof row?.["due"] === "number" ? row["due"] : undefined;
  }

  async recordAttempt(
    attempt: AttemptRow,
    change: { status: DeliveryStatus; dueMs?: number; deliveredMs?: number },
  ): Promise<void> {
    await this.#database.write(() => {
      this.#database.sql(INSERT_ATTEMPT).run(...insertValues(ATTEMPT_COLUMNS, attempt));
      this.#database
        .sql(
          "UPDATE delivery SET status = ?, attempts = max(attempts, ?), due_ms = coalesce(?, due_ms), delivered_ms = coalesce(?, delivered_ms) WHERE id = ?",
        )
        .run(change.status, attempt.number, change.dueMs ?? null, change.deliveredMs ?? null, attempt.deliveryId);
    });
  }

  async requeue(deliveryId: string, dueMs: number): Promise<boolean> {
    const { changes } = await this.#database.write(() =>
      this.#database.sql("UPDATE delivery SET status = 'pending', due_ms = ? WHERE id = ?").run(dueMs, deliveryId),
    );
    if (Number(changes) > 0) this.notifyOutbox();
    return Number(changes) > 0;
  }

  delivery(id: string): DeliveryRow | undefined {
    const row = this.#database.sql("SELECT * FROM delivery WHERE id = ?").get(id);
    return row && toDelivery(row);
  }

  attempts(deliveryId: string): AttemptRow[] {
    return this.#database
      .sql("SELECT * FROM attempt WHERE delivery_id = ? ORDER BY number")
      .all(deliveryId)
      .map(toAttempt);
  }

  listDeliveries(query: DeliveryQuery): Page<DeliveryRow> {
    const conditions: string[] = [];
    const values: Value[] = [];
    const add = (condition: string, value: Value | undefined): void => {
      if (value === undefined) return;
      conditions.push(condition);
      values.push(value);
    };
    add("registration_id = ?", query.registrationId);
    add("status = ?", query.status);
    add("event = ?", query.event);
    add("graph_id = ?", query.graphId);
    add("created_ms >= ?", query.sinceMs);
    const filter = conditions.length ? `WHERE ${conditions.join(" AND ")}` : "";
    const total = Number(
      this.#database.sql(`SELECT count(*) AS total FROM delivery ${filter}`).get(...values)?.["total"],
    );
    const before = readDeliveryCursor(query.cursor);
    if (before) {
      conditions.push("(created_ms, id) < (?, ?)");
      values.push(before.createdMs, before.id);
    }
    const limit = pageLimit(query.limit);
    const rows = this.#database
      .sql(
        `SELECT * FROM delivery ${conditions.length ? `WHERE ${conditions.join(" AND ")}` : ""} ORDER BY created_ms DESC, id DESC LIMIT ?`,
      )
      .all(...values, limit + 1)
      .map(toDelivery);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return { items, total, nextCursor: rows.length > limit && last ? deliveryCursor(last) : undefined };
  }

  onOutbox(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** What a row lacks: keys that were undefined, and keys of later versions. */
const ABSENT = {
  workers: [],
  headers: {},
  secret: undefined,
  previousSecret: undefined,
  previousUntilMs: undefined,
  openUntilMs: undefined,
  failingSinceMs: undefined,
};

function registrationOf(row: Row): RegistrationRow {
  return { ...ABSENT, ...(JSON.parse(row["data"] as string) as Partial<RegistrationRow>) } as RegistrationRow;
}
