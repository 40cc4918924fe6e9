/** Answers of idempotent calls, in PostgreSQL. */
import { randomUUID } from "node:crypto";
import type { Row } from "../contract/row.ts";
import type { AnswerRow, AnswerStore } from "../contract/session-store.ts";
import type { Database } from "./database.ts";
import { clean } from "./write/group-document.ts";

/** Replaces an expired row. Otherwise the existing row stays and is returned, which its claim shows. */
const CLAIM = `
  INSERT INTO svc.answer AS a (id, body_hash, created_ms, claim) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET
    body_hash = CASE WHEN a.created_ms < $5 THEN excluded.body_hash ELSE a.body_hash END,
    claim = CASE WHEN a.created_ms < $5 THEN excluded.claim ELSE a.claim END,
    status = CASE WHEN a.created_ms < $5 THEN NULL ELSE a.status END,
    body = CASE WHEN a.created_ms < $5 THEN NULL ELSE a.body END,
    created_ms = CASE WHEN a.created_ms < $5 THEN excluded.created_ms ELSE a.created_ms END
  RETURNING id, body_hash, created_ms, claim, status, body`;

export class PostgresAnswers implements AnswerStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(row: AnswerRow, sinceMs: number): Promise<AnswerRow | undefined> {
    const claim = randomUUID();
    const known = await this.#database.row(CLAIM, row.id, row.bodyHash, row.createdMs, claim, sinceMs);
    return known && known["claim"] !== claim ? toAnswer(known) : undefined;
  }

  async find(id: string): Promise<AnswerRow | undefined> {
    const known = await this.#database.row("SELECT * FROM svc.answer WHERE id = $1", clean(id));
    return known && toAnswer(known);
  }

  async settle(id: string, status: number, body: string): Promise<void> {
    await this.#database.run("UPDATE svc.answer SET status = $1, body = $2 WHERE id = $3", status, clean(body), id);
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#database.run("DELETE FROM svc.answer WHERE created_ms < $1", beforeMs);
  }
}

function toAnswer(row: Row): AnswerRow {
  const { status, body } = row;
  return {
    id: String(row["id"]),
    bodyHash: String(row["body_hash"]),
    createdMs: Number(row["created_ms"]),
    answer: status === null || status === undefined ? undefined : { status: Number(status), body: String(body) },
  };
}
