/** Answers of idempotent calls, in SQLite. */
import type { AnswerRow, AnswerStore } from "../contract/session-store.ts";
import type { Database } from "./database.ts";
import type { Row } from "../contract/row.ts";

export class SqliteAnswers implements AnswerStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  claim(row: AnswerRow, sinceMs: number): Promise<AnswerRow | undefined> {
    return this.#database.write(() => {
      const known = this.#database.sql("SELECT * FROM answer WHERE id = ? AND created_ms >= ?").get(row.id, sinceMs);
      if (known) return toAnswer(known);
      this.#database
        .sql("INSERT OR REPLACE INTO answer (id, body_hash, created_ms) VALUES (?, ?, ?)")
        .run(row.id, row.bodyHash, row.createdMs);
      return undefined;
    });
  }

  async find(id: string): Promise<AnswerRow | undefined> {
    const known = this.#database.sql("SELECT * FROM answer WHERE id = ?").get(id);
    return known && toAnswer(known);
  }

  async settle(id: string, status: number, body: string): Promise<void> {
    await this.#database.write(() =>
      this.#database.sql("UPDATE answer SET status = ?, body = ? WHERE id = ?").run(status, body, id),
    );
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#database.write(() => this.#database.sql("DELETE FROM answer WHERE created_ms < ?").run(beforeMs));
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
