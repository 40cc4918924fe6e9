/** Schedules, paused queues and the audit trail in PostgreSQL. */
import { AUDIT_COLUMNS, insertValues, toAudit, toPausedQueue, toSchedule, type Columns } from "../columns.ts";
import type {
  AuditQuery,
  AuditRow,
  AuditRows,
  NewAudit,
  PausedQueueRow,
  QueueRows,
  ScheduleRow,
  ScheduleRows,
  ScheduleStep,
} from "../control.ts";
import { pageLimit } from "../page.ts";
import type { Page } from "../queries.ts";
import { Conditions } from "./conditions.ts";
import type { Database, Sql } from "./database.ts";
import { clean } from "./group-document.ts";

const { id: _id, ...NEW_AUDIT } = AUDIT_COLUMNS;
const NEW_AUDIT_COLUMNS: Columns = NEW_AUDIT;
const AUDIT_NAMES = Object.values(NEW_AUDIT_COLUMNS).map(([name]) => name);
const INSERT_AUDIT = `INSERT INTO svc.audit (${AUDIT_NAMES.join(", ")}) VALUES (${AUDIT_NAMES.map((_, at) => `$${at + 1}`).join(", ")})`;

async function insertAudit(sql: Sql, row: NewAudit | undefined): Promise<void> {
  if (row) await sql(INSERT_AUDIT, ...insertValues(NEW_AUDIT_COLUMNS, row).map(clean));
}

export class PostgresAudit implements AuditRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(row: NewAudit): Promise<void> {
    return this.#database.transaction((sql) => insertAudit(sql, row));
  }

  async list(query: AuditQuery): Promise<Page<AuditRow>> {
    const { operation, limit, cursor } = query;
    const conditions = new Conditions();
    conditions.add("target = ?", query.target);
    conditions.add("actor = ?", query.actor);
    // The whole of it, or all that begin with it and a dot: "/" follows the dot in ASCII.
    if (operation !== undefined)
      conditions.add(
        "(operation = ? OR (operation > ? AND operation < ?))",
        operation,
        `${operation}.`,
        `${operation}/`,
      );
    conditions.add("at_ms >= ?", query.sinceMs);
    const counted = this.#database.row(
      `SELECT count(*) AS total FROM svc.audit ${conditions.where}`,
      ...conditions.values,
    );
    const total = Number((await counted)?.["total"]);
    conditions.add("id < ?", cursor === undefined ? undefined : Number(cursor));
    const size = pageLimit(limit);
    const text = `SELECT * FROM svc.audit ${conditions.where} ORDER BY id DESC LIMIT ${size + 1}`;
    const rows = (await this.#database.rows(text, ...conditions.values)).map(toAudit);
    const items = rows.slice(0, size);
    return { items, total, nextCursor: rows.length > size ? String(items.at(-1)?.id) : undefined };
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#database.run("DELETE FROM svc.audit WHERE at_ms < $1", beforeMs);
  }
}

const SAVE_SCHEDULE =
  "INSERT INTO svc.schedule (id, next_ms, data) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET next_ms = excluded.next_ms, data = excluded.data";

export class PostgresSchedules implements ScheduleRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  save(row: ScheduleRow, audit?: NewAudit): Promise<void> {
    return this.#database.transaction(async (sql) => {
      await write(sql, row);
      await insertAudit(sql, audit);
    });
  }

  remove(name: string, audit?: NewAudit): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const gone = await sql("DELETE FROM svc.schedule WHERE id = $1 RETURNING id", clean(name));
      if (gone.length > 0) await insertAudit(sql, audit);
      return gone.length > 0;
    });
  }

  async schedule(name: string): Promise<ScheduleRow | undefined> {
    const row = await this.#database.row("SELECT * FROM svc.schedule WHERE id = $1", clean(name));
    return row && toSchedule(row);
  }

  async schedules(): Promise<ScheduleRow[]> {
    return (await this.#database.rows("SELECT * FROM svc.schedule ORDER BY id")).map(toSchedule);
  }

  moveOn(name: string, fromMs: number | undefined, step: ScheduleStep): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const [found] = await sql("SELECT * FROM svc.schedule WHERE id = $1 FOR UPDATE", name);
      const row = found && toSchedule(found);
      if (!row || row.nextMs !== fromMs) return false;
      await write(sql, { ...row, ...step });
      return true;
    });
  }
}

async function write(sql: Sql, { nextMs, ...row }: ScheduleRow): Promise<void> {
  await sql(SAVE_SCHEDULE, row.name, nextMs ?? null, JSON.stringify(row));
}

export class PostgresQueues implements QueueRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  pause(row: PausedQueueRow, audit?: NewAudit): Promise<void> {
    return this.#database.transaction(async (sql) => {
      await sql(
        "INSERT INTO svc.queue (worker, data) VALUES ($1, $2) ON CONFLICT (worker) DO NOTHING",
        row.worker,
        JSON.stringify(row),
      );
      await insertAudit(sql, audit);
    });
  }

  resume(worker: string, audit?: NewAudit): Promise<void> {
    return this.#database.transaction(async (sql) => {
      await sql("DELETE FROM svc.queue WHERE worker = $1", worker);
      await insertAudit(sql, audit);
    });
  }

  async paused(): Promise<PausedQueueRow[]> {
    return (await this.#database.rows("SELECT data FROM svc.queue ORDER BY worker")).map(toPausedQueue);
  }
}
