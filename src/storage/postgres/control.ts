/** Schedules, paused queues and the audit trail in PostgreSQL. */
import { AUDIT_COLUMNS, insertValues, toAudit, toPausedQueue, toSchedule, type Columns } from "../contract/columns.ts";
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
import type { Page } from "../contract/queries.ts";
import { stepped } from "../contract/schedule-step.ts";
import { Conditions } from "./connection/conditions.ts";
import type { Database, Sql } from "./database.ts";
import { clean } from "./write/group-document.ts";

const COLUMNS: Columns = AUDIT_COLUMNS;
const AUDIT_NAMES = Object.values(COLUMNS).map(([name]) => name);
const NEXT_AUDIT = "SELECT nextval(pg_get_serial_sequence('svc.audit', 'id')) AS id";
const INSERT_AUDIT = `INSERT INTO svc.audit (${AUDIT_NAMES.join(", ")}) OVERRIDING SYSTEM VALUE
  VALUES (${AUDIT_NAMES.map((_, at) => `$${at + 1}`).join(", ")}) ON CONFLICT (id) DO NOTHING RETURNING id`;

/** Writes a row of the audit trail in a transaction. @returns false if it exists: an earlier try of the transaction was committed. */
type WriteRecord = (sql: Sql) => Promise<boolean>;

/** The row gets its number before the first try, so that a commit with a lost answer can be recognised. */
async function recordOf(database: Database, audit: NewAudit | undefined): Promise<WriteRecord> {
  if (!audit) return () => Promise.resolve(true);
  const id = Number((await database.row(NEXT_AUDIT))?.["id"]);
  const values = insertValues(COLUMNS, { ...audit, id }).map(clean);
  return async (sql) => (await sql(INSERT_AUDIT, ...values)).length > 0;
}

/** Runs an operation with its audit entry exactly once. */
async function onRecord<T>(
  database: Database,
  audit: NewAudit | undefined,
  step: (sql: Sql) => Promise<T>,
): Promise<T> {
  const record = await recordOf(database, audit);
  let made: { value: T } | undefined;
  return database.transaction(async (sql) => {
    const isNew = await record(sql);
    if (!isNew && made) return made.value;
    made = { value: await step(sql) };
    return made.value;
  });
}

export class PostgresAudit implements AuditRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(row: NewAudit): Promise<void> {
    return onRecord(this.#database, row, () => Promise.resolve());
  }

  async list(query: AuditQuery): Promise<Page<AuditRow>> {
    const { operation, limit, cursor } = query;
    const conditions = new Conditions();
    conditions.add("target = ?", query.target);
    conditions.add("actor = ?", query.actor);
    // The whole operation, or all that begin with it and a dot: "/" follows the dot in ASCII.
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
    return onRecord(this.#database, audit, async (sql) => {
      for (;;) {
        const [found] = await sql(LOCK_SCHEDULE, clean(name));
        const row = make(found && toSchedule(found));
        // If there was none, another process may have created it meanwhile: look again.
        if ((await write(sql, found ? WRITE_SCHEDULE : ADD_SCHEDULE, row)) > 0) return row;
      }
    });
  }

  async remove(name: string, source: ScheduleRow["source"], audit?: NewAudit): Promise<boolean> {
    const record = await recordOf(this.#database, audit);
    // Maybe by an earlier try.
    let wasRemoved = false;
    return this.#database.transaction(async (sql) => {
      const [found] = await sql(LOCK_SCHEDULE, clean(name));
      if (!found || toSchedule(found).source !== source) return wasRemoved;
      // If the entry exists, the row with this name is a newer one.
      if (await record(sql)) await sql("DELETE FROM svc.schedule WHERE id = $1", clean(name));
      wasRemoved = true;
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

/** @returns number of changed rows. */
async function write(sql: Sql, statement: string, { nextMs, ...row }: ScheduleRow): Promise<number> {
  return (await sql(statement, row.name, nextMs ?? null, JSON.stringify(row))).length;
}

export class PostgresQueues implements QueueRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  pause(row: PausedQueueRow, audit?: NewAudit): Promise<void> {
    return onRecord(this.#database, audit, async (sql) => {
      await sql(
        "INSERT INTO svc.queue (worker, data) VALUES ($1, $2) ON CONFLICT (worker) DO NOTHING",
        row.worker,
        JSON.stringify(row),
      );
    });
  }

  resume(worker: string, audit?: NewAudit): Promise<void> {
    return onRecord(this.#database, audit, async (sql) => {
      await sql("DELETE FROM svc.queue WHERE worker = $1", worker);
    });
  }

  async paused(): Promise<PausedQueueRow[]> {
    return (await this.#database.rows("SELECT data FROM svc.queue ORDER BY worker")).map(toPausedQueue);
  }
}
