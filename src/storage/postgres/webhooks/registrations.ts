/**
 * Registrations in PostgreSQL, and this process's copy of them: read at the start, after each own change, after announcements of others,
 * and at intervals. No guarantee depends on the copy: each change of what registrations listen to has a version, and a commit with an
 * outdated version is refused (group-commit.ts).
 */
import { toRegistration } from "../../contract/columns.ts";
import type { ChangedRegistration, RegistrationRow } from "../../contract/webhook-rows.ts";
import type { Database, Sql } from "../database.ts";
import { clean } from "../write/group-document.ts";

const SAVE = `
  INSERT INTO svc.registration (id, url, created_ms, data) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET url = excluded.url, data = excluded.data`;

/** At least one row: each contains the version. */
const READ = `SELECT version, data FROM svc.registration_version LEFT JOIN svc.registration ON true ORDER BY created_ms, id`;
const NEXT_VERSION = "UPDATE svc.registration_version SET version = version + 1";

/** Announces a changed registration to other processes. */
const NOTIFY = `SELECT pg_notify('svc_cluster', '{"changed":["registrations"]}')`;

export class Registrations {
  readonly #database: Database;
  #known: ReadonlyMap<string, RegistrationRow> = new Map();
  #version = -1;
  #reads = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  known(): ReadonlyMap<string, RegistrationRow> {
    return this.#known;
  }

  /** Version of the copy: changes when a registration starts or stops to listen to something. */
  get version(): number {
    return this.#version;
  }

  /** Reads all of them again. */
  async refresh(): Promise<RegistrationRow[]> {
    const read = ++this.#reads;
    const found = await this.#database.rows(READ);
    const version = Number(found[0]?.["version"]);
    const rows = found.filter((row) => row["data"] !== null).map(toRegistration);
    // A later read has seen more; but of two that both see a new version, the first one suffices.
    if (read === this.#reads || version > this.#version) {
      this.#known = new Map(rows.map((row) => [row.id, row]));
      this.#version = version;
    }
    return rows;
  }

  async save(row: RegistrationRow): Promise<void> {
    await this.#database.transaction(async (sql) => {
      const [before] = await sql("SELECT data FROM svc.registration WHERE id = $1 FOR UPDATE", clean(row.id));
      await this.#save(sql, before && toRegistration(before), row);
      await sql(NOTIFY);
    });
    await this.refresh();
  }

  /** Locks the row: of two processes that change it, one waits. */
  async change(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    let made: ChangedRegistration | undefined;
    const changed = await this.#database.transaction(async (sql) => {
      const [stored] = await sql("SELECT data FROM svc.registration WHERE id = $1 FOR UPDATE", clean(id));
      if (!stored) return undefined;
      // By an earlier try with a lost answer. Changing a secret twice would lose the old one.
      if (made && stored["data"] === JSON.stringify(made.after)) return made;
      const before = toRegistration(stored);
      const after = change(before);
      if (after === before) return { before, after };
      await this.#save(sql, before, after);
      if (isNews(before, after)) await sql(NOTIFY);
      made = { before, after };
      return made;
    });
    await this.refresh();
    return changed;
  }

  async delete(id: string): Promise<boolean> {
    let isGone = false;
    await this.#database.transaction(async (sql) => {
      const gone = await sql("DELETE FROM svc.registration WHERE id = $1 RETURNING id", clean(id));
      // None if an earlier try with a lost answer has deleted it.
      if (gone.length === 0) return;
      isGone = true;
      await sql("DELETE FROM svc.lane WHERE registration_id = $1", clean(id));
      await sql(NEXT_VERSION);
      await sql(NOTIFY);
    });
    await this.refresh();
    return isGone;
  }

  async #save(sql: Sql, before: RegistrationRow | undefined, row: RegistrationRow): Promise<void> {
    await sql(SAVE, row.id, clean(row.url), row.createdMs, JSON.stringify(row));
    if (before === undefined || listensTo(before) !== listensTo(row)) await sql(NEXT_VERSION);
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

/** Whether other processes must know: consecutive failures are counted in the row, which they read first. */
function isNews(before: RegistrationRow, after: RegistrationRow): boolean {
  const { consecutiveFailures } = before;
  return JSON.stringify(before) !== JSON.stringify({ ...after, consecutiveFailures });
}

/** The part that decides about transitions. */
function listensTo({ enabled, events, workers }: RegistrationRow): string {
  return JSON.stringify([enabled, events, workers]);
}
