/**
 * How deliveries come into SQLite: written in the transaction of what they tell of, then told to those who send them, with
 * the rows themselves, so that a first attempt needs no reading.
 */
import type { OutboxListener, OutboxRow } from "../../contract/webhook-rows.ts";
import type { Database } from "../database.ts";

/** A row at a time: to read a column out of JSON costs more than to bind it, and the rest of a statement next to nothing. */
const INSERT = `INSERT INTO delivery
    (id, registration_id, graph_id, event, epoch, pause_no, body, created_ms, due_ms, status, attempts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0) ON CONFLICT DO NOTHING`;

export class Outbox {
  readonly #database: Database;
  readonly #listeners = new Set<OutboxListener>();
  /** Rows that may not be in the store under their ids, for another of the same event was there before. */
  readonly #doubtful = new WeakSet<OutboxRow>();
  /** Ids of rows that are written, and not known to be on disk. */
  readonly #untold = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Inside a transaction. A row that is there already stays: a crash or a race never makes two. */
  insert(rows: readonly OutboxRow[]): void {
    for (const { id } of rows) this.#untold.add(id);
    for (const row of rows) {
      const { id, registrationId, graphId, event, epoch, pauseNo, body, createdMs, dueMs } = row;
      const values = [id, registrationId, graphId, event, epoch, pauseNo, body, createdMs, dueMs];
      const { changes } = this.#database.sql(INSERT).run(...values);
      if (Number(changes) === 0) this.#doubtful.add(row);
    }
  }

  /** Rows that may not be sent yet: they are seen in the database before they are on disk, and are told of then. */
  get untold(): ReadonlySet<string> {
    return this.#untold;
  }

  /** Once rows that were inserted are on disk. */
  tell(rows: readonly OutboxRow[]): void {
    for (const { id } of rows) this.#untold.delete(id);
    if (this.#listeners.size === 0) return;
    const ids = new Set(rows.map(({ registrationId }) => registrationId));
    const added = rows.some((row) => this.#doubtful.has(row)) ? [] : rows;
    for (const listener of this.#listeners) listener(ids, added);
  }

  /** Where they were not written, or the disk failed as they were synced: they may be there, and who delivers is to look. */
  doubt(rows: readonly OutboxRow[]): void {
    for (const { id } of rows) this.#untold.delete(id);
    for (const id of new Set(rows.map(({ registrationId }) => registrationId))) this.tellOf(id);
  }

  /** Once a delivery that was there has become due. */
  tellOf(registrationId: string): void {
    for (const listener of this.#listeners) listener(new Set([registrationId]), []);
  }

  onOutbox(listener: OutboxListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
