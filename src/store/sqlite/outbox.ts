/**
 * How deliveries come into SQLite: written in the transaction of what they tell of, then told to those who send them, with
 * the rows themselves, so that a first attempt needs no reading.
 */
import { DELIVERY_COLUMNS, insertValues } from "../columns.ts";
import type { OutboxListener, OutboxRow } from "../webhook-rows.ts";
import type { Database } from "./database.ts";
import { insertAllSql } from "./insert-all.ts";

const INSERT = `${insertAllSql("delivery", DELIVERY_COLUMNS)} ON CONFLICT DO NOTHING`;

export class Outbox {
  readonly #database: Database;
  readonly #listeners = new Set<OutboxListener>();
  /** Rows that may not be in the store under their ids, for another of the same event was there before. */
  readonly #doubtful = new WeakSet<OutboxRow>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Inside a transaction. A row that is there already stays: a crash or a race never makes two. */
  insert(rows: readonly OutboxRow[]): void {
    if (rows.length === 0) return;
    const values = rows.map((row) => insertValues(DELIVERY_COLUMNS, { ...row, status: "pending", attempts: 0 }));
    const { changes } = this.#database.sql(INSERT).run(JSON.stringify(values));
    if (Number(changes) < rows.length) for (const row of rows) this.#doubtful.add(row);
  }

  /** Once rows that were inserted are on disk. */
  tell(rows: readonly OutboxRow[]): void {
    if (this.#listeners.size === 0) return;
    const ids = new Set(rows.map(({ registrationId }) => registrationId));
    const added = rows.some((row) => this.#doubtful.has(row)) ? [] : rows;
    for (const listener of this.#listeners) listener(ids, added);
  }

  /** Where the disk failed as they were synced: they may be there, and who delivers is to look. */
  doubt(rows: readonly OutboxRow[]): void {
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
