/**
 * The outbox in SQLite: rows are written in the transaction of their transition, then passed to senders, so that a first attempt needs no
 * reading.
 */
import type { OutboxListener, OutboxRow } from "../../contract/webhook-rows.ts";
import type { Database } from "../database.ts";

/** Row by row: reading a column from JSON costs more than binding it. */
const INSERT = `INSERT INTO delivery
    (id, registration_id, graph_id, event, epoch, pause_no, body, created_ms, due_ms, status, attempts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0) ON CONFLICT DO NOTHING`;

export class Outbox {
  readonly #database: Database;
  readonly #listeners = new Set<OutboxListener>();
  /** Rows that may not be stored under their ids, because one for the same event existed. */
  readonly #doubtful = new WeakSet<OutboxRow>();
  /** Ids of rows that are written, and not known to be on disk. */
  readonly #unreported = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Within a transaction. An existing row stays: a crash or a race never creates two. */
  insert(rows: readonly OutboxRow[]): void {
    for (const { id } of rows) this.#unreported.add(id);
    for (const row of rows) {
      const { id, registrationId, graphId, event, epoch, pauseNo, body, createdMs, dueMs } = row;
      const values = [id, registrationId, graphId, event, epoch, pauseNo, body, createdMs, dueMs];
      const { changes } = this.#database.sql(INSERT).run(...values);
      if (Number(changes) === 0) this.#doubtful.add(row);
    }
  }

  /** Rows that may not be sent yet: they are visible before they are on disk, and are announced then. */
  get unreported(): ReadonlySet<string> {
    return this.#unreported;
  }

  /** Called once inserted rows are on disk. */
  notify(rows: readonly OutboxRow[]): void {
    for (const { id } of rows) this.#unreported.delete(id);
    if (this.#listeners.size === 0) return;
    const ids = new Set(rows.map(({ registrationId }) => registrationId));
    const added = rows.some((row) => this.#doubtful.has(row)) ? [] : rows;
    for (const listener of this.#listeners) listener(ids, added);
  }

  /** Called if they were not written, or the sync failed: they may exist, and senders must read. */
  doubt(rows: readonly OutboxRow[]): void {
    for (const { id } of rows) this.#unreported.delete(id);
    for (const id of new Set(rows.map(({ registrationId }) => registrationId))) this.reportOf(id);
  }

  /** Called once an existing delivery has become due. */
  reportOf(registrationId: string): void {
    for (const listener of this.#listeners) listener(new Set([registrationId]), []);
  }

  onOutbox(listener: OutboxListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
