/** What the database takes on its server's disk, asked for now and then: the server looks at each of its files. */
import type { Database } from "./database.ts";

/** As long an answer is good. */
const FRESH_MS = 10_000;

export class DatabaseSize {
  readonly #database: Database;
  #known: Promise<number | undefined> | undefined;
  #askedMs = -Infinity;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns undefined where the server does not tell: who asks may not be allowed to know */
  bytes(): Promise<number | undefined> {
    const nowMs = performance.now();
    if (this.#known && nowMs - this.#askedMs < FRESH_MS) return this.#known;
    this.#askedMs = nowMs;
    this.#known = this.#database
      .row("SELECT pg_database_size(current_database())::float8 AS bytes")
      .then((row) => (typeof row?.["bytes"] === "number" ? row["bytes"] : undefined))
      .catch(() => undefined);
    return this.#known;
  }
}
