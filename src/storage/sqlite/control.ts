/** Schedules, paused queues and the audit trail in SQLite. */
import type { Page } from "../contract/queries.ts";
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
} from "../contract/control.ts";
import { pageLimit } from "../contract/page.ts";
import { stepped } from "../contract/schedule-step.ts";
import {
  AUDIT_COLUMNS,
  insertSql,
  insertValues,
  toAudit,
  toPausedQueue,
  toSchedule,
  type Columns,
} from "../contract/columns.ts";
import type { Database } from "./database.ts";
import type { Value } from "../contract/row.ts";

const { id: _id, ...NEW_AUDIT_COLUMNS } = AUDIT_COLUMNS;
const INSERT_AUDIT = insertSql("audit", NEW_AUDIT_COLUMNS as Columns);

/** Within a transaction. */
export function insertAudit(database: Database, row: NewAudit | undefined): void {
  if (row) database.sql(INSERT_AUDIT).run(...insertValues(NEW_AUDIT_COLUMNS as Columns, row));
}

export class SqliteAudit implements AuditRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(row: NewAudit): Promise<void> {
    await this.#database.write(() => insertAudit(this.#database, row));
  }

  async list(query: AuditQuery): Promise<Page<AuditRow>> {
    const conditions: string[] = [];
    const values: Value[] = [];
    const add = (condition: string, ...given: (Value | undefined)[]): void => {
      if (given.includes(undefined)) return;
      conditions.push(condition);
      values.push(...(given as Value[]));
    };
    const { operation, limit, cursor } = query;
    add("target = ?", query.target);
    add("actor = ?", query.actor);
    // The whole operation, or all that begin with it and a dot: "/" follows the dot in ASCII.
    add(
      "(operation = ? OR (operation > ? AND operation < ?))",
      operation,
      operation && `${operation}.`,
      operation && `${operation}/`,
    );
    add("at_ms >= ?", query.sinceMs);
    const where = (all: string[]): string => (all.length > 0 ? `WHERE ${all.join(" AND ")}` : "");
    const counted = this.#database.sql(`SELECT count(*) AS total FROM audit ${where(conditions)}`).get(...values);
    const size = pageLimit(limit);
    const rows = this.#database
      .sql(`SELECT * FROM audit ${where([...conditions, "id < ?"])} ORDER BY id DESC LIMIT ?`)
      .all(...values, cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor), size + 1)
      .map(toAudit);
    const items = rows.slice(0, size);
    const nextCursor = rows.length > size ? String(items.at(-1)?.id) : undefined;
    return { items, total: Number(counted?.["total"]), nextCursor };
  }

  async purge(beforeMs: number): Promise<void> {
    await this.#database.write(() => this.#database.sql("DELETE FROM audit WHERE at_ms < ?").run(beforeMs));
  }
}

const SAVE_SCHEDULE =
  "INSERT INTO schedule (id, worker, is_enabled, next_ms, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET " +
  "worker = excluded.worker, is_enabled = excluded.is_enabled, next_ms = excluded.next_ms, data = excluded.data";

export class SqliteSchedules implements ScheduleRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  change(name: string, make: (old: ScheduleRow | undefined) => ScheduleRow, audit?: NewAudit): Promise<ScheduleRow> {
    return this.#database.write(() => {
      const row = make(this.#read(name));
      this.#write(row);
      insertAudit(this.#database, audit);
      return row;
    });
  }

  #write({ nextMs, ...row }: ScheduleRow): void {
    this.#database
      .sql(SAVE_SCHEDULE)
      .run(row.name, row.worker, row.isPaused ? 0 : 1, nextMs ?? null, JSON.stringify(row));
  }

  remove(name: string, source: ScheduleRow["source"], audit?: NewAudit): Promise<boolean> {
    return this.#database.write(() => {
      if (this.#read(name)?.source !== source) return false;
      this.#database.sql("DELETE FROM schedule WHERE id = ?").run(name);
      insertAudit(this.#database, audit);
      return true;
    });
  }

  async schedule(name: string): Promise<ScheduleRow | undefined> {
    return this.#read(name);
  }

  #read(name: string): ScheduleRow | undefined {
    const row = this.#database.sql("SELECT * FROM schedule WHERE id = ?").get(name);
    return row && toSchedule(row);
  }

  async schedules(): Promise<ScheduleRow[]> {
    return this.#database.sql("SELECT * FROM schedule ORDER BY id").all().map(toSchedule);
  }

  moveOn(name: string, fromMs: number | undefined, step: ScheduleStep): Promise<boolean> {
    return this.#database.write(() => {
      const row = this.#read(name);
      if (!row) return false;
      const next = stepped(row, fromMs, step);
      this.#write(next.row);
      return next.hasMoved;
    });
  }
}

export class SqliteQueues implements QueueRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async pause(row: PausedQueueRow, audit?: NewAudit): Promise<void> {
    await this.#database.write(() => {
      this.#database
        .sql("INSERT INTO queue (worker, is_paused, data) VALUES (?, 1, ?) ON CONFLICT (worker) DO NOTHING")
        .run(row.worker, JSON.stringify(row));
      insertAudit(this.#database, audit);
    });
  }

  async resume(worker: string, audit?: NewAudit): Promise<void> {
    await this.#database.write(() => {
      this.#database.sql("DELETE FROM queue WHERE worker = ?").run(worker);
      insertAudit(this.#database, audit);
    });
  }

  async paused(): Promise<PausedQueueRow[]> {
    return this.#database.sql("SELECT data FROM queue ORDER BY worker").all().map(toPausedQueue);
  }
}
