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
import { stepped } from "../schedule-step.ts";
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

const LOCK_SCHEDULE = "SELECT * FROM svc.schedule WHERE id = $1 FOR UPDATE";
const ADD_SCHEDULE =
  "INSERT INTO svc.schedule (id, next_ms, data) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING RETURNING id";
const WRITE_SCHEDULE = "UPDATE svc.schedule SET next_ms = $2, data = $3 WHERE id = $1 RETURNING id";

export class PostgresSchedules implements ScheduleRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  change(name: string, make: (old: ScheduleRow | undefined) => ScheduleRow, audit?: NewAudit): Promise<ScheduleRow> {
    return this.#database.transaction(async (sql) => {
      for (;;) {
        const [found] = await sql(LOCK_SCHEDULE, clean(name));
        const row = make(found && toSchedule(found));
        // Where there was none, another process may have made it meanwhile: then it is to be looked at.
        if ((await write(sql, found ? WRITE_SCHEDULE : ADD_SCHEDULE, row)) === 0) continue;
        await insertAudit(sql, audit);
        return row;
      }
    });
  }

  remove(name: string, source: ScheduleRow["source"], audit?: NewAudit): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const [found] = await sql(LOCK_SCHEDULE, clean(name));
      if (!found || toSchedule(found).source !== source) return false;
      await sql("DELETE FROM svc.schedule WHERE id = $1", clean(name));
      await insertAudit(sql, audit);
      return true;
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
      const [found] = await sql(LOCK_SCHEDULE, name);
      if (!found) return false;
      const { row, hasMoved } = stepped(toSchedule(found), fromMs, step);
      await write(sql, WRITE_SCHEDULE, row);
      return hasMoved;
    });
  }
}

/** @returns how many rows were written. */
async function write(sql: Sql, statement: string, { nextMs, ...row }: ScheduleRow): Promise<number> {
  return (await sql(statement, row.name, nextMs ?? null, JSON.stringify(row))).length;
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
