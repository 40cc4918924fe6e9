/**
 * Registrations in PostgreSQL, and what this process knows of them: all, read at the start, after each change of its own, when another
 * process says that it has changed one, and now and then.
 */
import { toRegistration } from "../columns.ts";
import type { ChangedRegistration, RegistrationRow } from "../webhook-rows.ts";
import type { Database, Sql } from "./database.ts";
import { clean } from "./group-document.ts";

const SAVE = `
  INSERT INTO svc.registration (id, url, created_ms, data) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET url = excluded.url, data = excluded.data`;

/** What processes that share the database listen to, and how they are told of it. */
const NOTIFY = `SELECT pg_notify('svc_cluster', '{"changed":["registrations"]}')`;

export class Registrations {
  readonly #database: Database;
  #known: ReadonlyMap<string, RegistrationRow> = new Map();
  #reads = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  known(): ReadonlyMap<string, RegistrationRow> {
    return this.#known;
  }

  /** Reads them all again. */
  async refresh(): Promise<RegistrationRow[]> {
    const read = ++this.#reads;
    const rows = (await this.#database.rows("SELECT data FROM svc.registration ORDER BY created_ms, id")).map(
      toRegistration,
    );
    // One that began later has seen more.
    if (read === this.#reads) this.#known = new Map(rows.map((row) => [row.id, row]));
    return rows;
  }

  async save(row: RegistrationRow): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await this.#save(sql, row);
      await sql(NOTIFY);
    });
    await this.refresh();
  }

  /** Its row is locked meanwhile: of two processes that change it one waits for the other. */
  async change(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    const changed = await this.#database.transaction(async (sql) => {
      const [stored] = await sql("SELECT data FROM svc.registration WHERE id = $1 FOR UPDATE", clean(id));
      if (!stored) return undefined;
      const before = toRegistration(stored);
      const after = change(before);
      if (after === before) return { before, after };
      await this.#save(sql, after);
      if (isNews(before, after)) await sql(NOTIFY);
      return { before, after };
    });
    await this.refresh();
    return changed;
  }

  async delete(id: string): Promise<boolean> {
    const isGone = await this.#database.transaction(async (sql) => {
      const gone = await sql("DELETE FROM svc.registration WHERE id = $1 RETURNING id", clean(id));
      if (gone.length > 0) await sql(NOTIFY);
      return gone.length > 0;
    });
    await this.refresh();
    return isGone;
  }

  #save(sql: Sql, row: RegistrationRow): Promise<unknown> {
    return sql(SAVE, row.id, clean(row.url), row.createdMs, JSON.stringify(row));
  }

  async one(id: string): Promise<RegistrationRow | undefined> {
    const row = await this.#database.row("SELECT data FROM svc.registration WHERE id = $1", clean(id));
    return row && toRegistration(row);
  }

  async byUrl(url: string): Promise<RegistrationRow | undefined> {
    const row = await this.#database.row("SELECT data FROM svc.registration WHERE url = $1", clean(url));
    return row && toRegistration(row);
  }
}

/** Whether others have to know: how many failures there were in a row is counted in the row, and they read it before they count on. */
function isNews(before: RegistrationRow, after: RegistrationRow): boolean {
  const { consecutiveFailures } = before;
  return JSON.stringify(before) !== JSON.stringify({ ...after, consecutiveFailures });
}
