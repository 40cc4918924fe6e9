/** Sent events in PostgreSQL. */
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
import { clean } from "./write/group-document.ts";

/** A known event stays. The statement may run twice: its own row is recognized by its position. */
const ADD = `INSERT INTO svc.sent_event AS e (name, id, position, is_pending, data) VALUES ($1, $2, $3, 1, $4)
  ON CONFLICT (name, id) DO UPDATE SET position = e.position RETURNING position`;
const PURGE = `DELETE FROM svc.sent_event WHERE (name, id) IN
  (SELECT name, id FROM svc.sent_event WHERE position < $1 AND is_pending = 0 ORDER BY position LIMIT $2) RETURNING ${EVENT_REFERENCE}`;
const OBJECTS = `SELECT ${EVENT_REFERENCE} FROM svc.sent_event WHERE position = ANY ($1::bigint[])`;

export class PostgresSentEvents implements SentEventRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add({ name, id, position, data }: NewSentEvent): Promise<boolean> {
    const row = await this.#database.row(ADD, clean(name), clean(id), position, JSON.stringify(data));
    return Number(row?.["position"]) === position;
  }

  async pending(after: number, before: number, limit: number): Promise<SentEventRow[]> {
    const text = `SELECT * FROM svc.sent_event WHERE is_pending = 1 AND position > $1 AND position < $2
      ORDER BY position LIMIT $3`;
    return (await this.#database.rows(text, after, before, limit)).map(toSentEvent);
  }

  async handled(name: string, id: string): Promise<void> {
    await this.#database.run(
      "UPDATE svc.sent_event SET is_pending = 0 WHERE name = $1 AND id = $2",
      clean(name),
      clean(id),
    );
  }

  async after(name: string, position: number, limit: number): Promise<SentEventRow[]> {
    const text = "SELECT * FROM svc.sent_event WHERE name = $1 AND position > $2 ORDER BY position LIMIT $3";
    return (await this.#database.rows(text, clean(name), position, limit)).map(toSentEvent);
  }

  async list({ name, limit, before = Number.MAX_SAFE_INTEGER }: SentEventQuery): Promise<SentEventRow[]> {
    const where = name === undefined ? "" : "name = $3 AND";
    const text = `SELECT * FROM svc.sent_event WHERE ${where} position < $1 ORDER BY position DESC LIMIT $2`;
    const values = [before, pageLimit(limit), ...(name === undefined ? [] : [clean(name)])];
    return (await this.#database.rows(text, ...values)).map(toSentEvent);
  }

  async purge(before: number, limit: number): Promise<PurgedEvents> {
    const rows = await this.#database.rows(PURGE, before, limit);
    return { count: rows.length, objects: referredObjects(rows) };
  }

  async objects(positions: readonly number[]): Promise<string[]> {
    return referredObjects(await this.#database.rows(OBJECTS, [...positions]));
  }
}
