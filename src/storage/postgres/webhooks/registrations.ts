/**
 * Registrations in PostgreSQL, and what this process knows of them: all, read at the start, after each change of its own, when another
 * process says that it has changed one, and now and then. None of that is relied on by who must not miss one: each change of what
 * registrations listen to has a version, and a commit that went by another is refused (group-commit.ts).
 */
import { toRegistration } from "../../contract/columns.ts";
import type { ChangedRegistration, RegistrationRow } from "../../contract/webhook-rows.ts";
import type { Database, Sql } from "../database.ts";
import { clean } from "../write/group-document.ts";

const SAVE = `
  INSERT INTO svc.registration (id, url, created_ms, data) VALUES ($1, $2, $3, $4)
  ON CONFLICT (id) DO UPDATE SET url = excluded.url, data = excluded.data`;

/** One row at least: the version stands in each. */
const READ = `SELECT version, data FROM svc.registration_version LEFT JOIN svc.registration ON true ORDER BY created_ms, id`;
const NEXT_VERSION = "UPDATE svc.registration_version SET version = version + 1";

/** What processes that share the database listen to, and how they are told of it. */
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

  /** Of what is known: another whenever some registration has begun or ceased to listen to something. */
  get version(): number {
    return this.#version;
  }

  /** Reads them all again. */
  async refresh(): Promise<RegistrationRow[]> {
    const read = ++this.#reads;
    const found = await this.#database.rows(READ);
    const version = Number(found[0]?.["version"]);
    const rows = found.filter((row) => row["data"] !== null).map(toRegistration);
    // One that began later has seen more; but of two that both see a new version, the first is enough to go on by.
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

  /** Its row is locked meanwhile: of two processes that change it one waits for the other. */
  async change(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    let made: ChangedRegistration | undefined;
    const changed = await this.#database.transaction(async (sql) => {
      const [stored] = await sql("SELECT data FROM svc.registration WHERE id = $1 FOR UPDATE", clean(id));
      if (!stored) return undefined;
      // By an earlier try, whose answer was lost: a secret that is changed twice would leave no old one.
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
      // None, where an earlier try has deleted it whose answer was lost.
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

/** Whether others have to know: how many failures there were in a row is counted in the row, and they read it before they count on. */
function isNews(before: RegistrationRow, after: RegistrationRow): boolean {
  const { consecutiveFailures } = before;
  return JSON.stringify(before) !== JSON.stringify({ ...after, consecutiveFailures });
}

/** What decides of which transitions it is told. */
function listensTo({ enabled, events, workers }: RegistrationRow): string {
  return JSON.stringify([enabled, events, workers]);
}
