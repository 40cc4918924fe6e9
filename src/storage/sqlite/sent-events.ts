/** Sent events in SQLite. */
import { pageLimit } from "../contract/page.ts";
import {
  EVENT_REFERENCE,
  referredObjects,
  toSentEvent,
  type NewSentEvent,
  type PurgedEvents,
  type SentEventQuery,
  type SentEventRow,
  type SentEventRows,
} from "../contract/sent-events.ts";
import type { Database } from "./database.ts";

const ADD =
  "INSERT INTO sent_event (name, id, position, is_pending, data) VALUES (?, ?, ?, 1, ?) ON CONFLICT (name, id) DO NOTHING";
const PURGE = `DELETE FROM sent_event WHERE rowid IN
  (SELECT rowid FROM sent_event WHERE position < ? AND is_pending = 0 ORDER BY position LIMIT ?) RETURNING ${EVENT_REFERENCE}`;
const OBJECTS = `SELECT ${EVENT_REFERENCE} FROM sent_event WHERE position IN (SELECT value FROM json_each(?))`;

export class SqliteSentEvents implements SentEventRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add({ name, id, position, data }: NewSentEvent): Promise<boolean> {
    return this.#write(ADD, name, id, position, JSON.stringify(data)).then((count) => count > 0);
  }

  async pending(after: number, before: number, limit: number): Promise<SentEventRow[]> {
    const text =
      "SELECT * FROM sent_event WHERE is_pending = 1 AND position > ? AND position < ? ORDER BY position LIMIT ?";
    return this.#database.sql(text).all(after, before, limit).map(toSentEvent);
  }

  async handled(name: string, id: string): Promise<void> {
    await this.#write("UPDATE sent_event SET is_pending = 0 WHERE name = ? AND id = ?", name, id);
  }

  async after(name: string, position: number, limit: number): Promise<SentEventRow[]> {
    const text = "SELECT * FROM sent_event WHERE name = ? AND position > ? ORDER BY position LIMIT ?";
    return this.#database.sql(text).all(name, position, limit).map(toSentEvent);
  }

  async list({ name, limit, before = Number.MAX_SAFE_INTEGER }: SentEventQuery): Promise<SentEventRow[]> {
    const where = name === undefined ? "" : "name = ? AND";
    const text = `SELECT * FROM sent_event WHERE ${where} position < ? ORDER BY position DESC LIMIT ?`;
    const values = [...(name === undefined ? [] : [name]), before, pageLimit(limit)];
    return this.#database
      .sql(text)
      .all(...values)
      .map(toSentEvent);
  }

  async purge(before: number, limit: number): Promise<PurgedEvents> {
    const rows = await this.#database.write(() => this.#database.sql(PURGE).all(before, limit));
    return { count: rows.length, objects: referredObjects(rows) };
  }

  async objects(positions: readonly number[]): Promise<string[]> {
    return referredObjects(this.#database.sql(OBJECTS).all(JSON.stringify(positions)));
  }

  /** @returns number of changed rows. */
  #write(text: string, ...values: (string | number)[]): Promise<number> {
    return this.#database.write(() => Number(this.#database.sql(text).run(...values).changes));
  }
}
