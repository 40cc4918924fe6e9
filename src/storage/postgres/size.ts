/** Size of the database on the server's disk, read at intervals, because the server looks at each file. */
import type { Database } from "./database.ts";

/** How long a result is used. */
const FRESH_MS = 10_000;

export class DatabaseSize {
  readonly #database: Database;
  #known: Promise<number | undefined> | undefined;
  #askedMs = -Infinity;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns undefined if the server refuses: the user may lack the right */
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
