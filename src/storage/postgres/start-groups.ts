/** Groups of events that wait to start a run, in PostgreSQL. */
import {
  decidedWith,
  groupValues,
  toStartGroup,
  type GroupChange,
  type StartGroupRow,
  type StartGroupRows,
} from "../contract/start-groups.ts";
import type { Database, Sql } from "./database.ts";
import { clean } from "./write/group-document.ts";

const SAVE = `INSERT INTO svc.start_group (graph, key, generation, is_open, due_ms, data) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (graph, key, generation) DO UPDATE SET is_open = excluded.is_open, due_ms = excluded.due_ms, data = excluded.data`;
const ONE = "graph = $1 AND key = $2 AND generation = $3";
/** "svc" as a number plus one: decisions about a key take turns, also before it has a row. */
const LOCK = "SELECT pg_advisory_xact_lock(7697252, hashtext($1))";

export class PostgresStartGroups implements StartGroupRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  join(
    { name, id }: { name: string; id: string },
    graph: string,
    key: string,
    decide: (open: StartGroupRow | undefined) => GroupChange,
  ): Promise<GroupChange | undefined> {
    const [group, event] = [
      [graph, clean(key)],
      [clean(name), clean(id)],
    ];
    return this.#database.transaction(async (sql) => {
      await sql(LOCK, JSON.stringify(group));
      const [found] = await sql("SELECT decided FROM svc.sent_event WHERE name = $1 AND id = $2 FOR UPDATE", ...event);
      const decided = found && decidedWith(found["decided"], graph);
      if (decided === undefined) return undefined;
      const rows = await change(sql, group, decide);
      await sql("UPDATE svc.sent_event SET decided = $3 WHERE name = $1 AND id = $2", ...event, decided);
      return rows;
    });
  }

  async count(graph: string, key: string, decide: (open: StartGroupRow | undefined) => GroupChange): Promise<void> {
    const group = [graph, clean(key)];
    await this.#database.transaction(async (sql) => {
      await sql(LOCK, JSON.stringify(group));
      await change(sql, group, decide);
    });
  }

  async due(nowMs: number, limit: number): Promise<StartGroupRow[]> {
    const text = "SELECT * FROM svc.start_group WHERE is_open = 0 OR due_ms <= $1 ORDER BY due_ms, generation LIMIT $2";
    return (await this.#database.rows(text, nowMs, limit)).map(toStartGroup);
  }

  close({ graph, key, generation }: StartGroupRow, nowMs: number): Promise<StartGroupRow | undefined> {
    return this.#database.transaction(async (sql) => {
      const [found] = await sql(`SELECT * FROM svc.start_group WHERE ${ONE} FOR UPDATE`, graph, key, generation);
      const row = found && toStartGroup(found);
      if (!row?.isOpen) return row;
      if (row.dueMs > nowMs) return undefined;
      await sql(`UPDATE svc.start_group SET is_open = 0 WHERE ${ONE}`, graph, key, generation);
      return { ...row, isOpen: false };
    });
  }

  async remove({ graph, key, generation }: StartGroupRow): Promise<void> {
    await this.#database.run(`DELETE FROM svc.start_group WHERE ${ONE} AND is_open = 0`, graph, key, generation);
  }

  async nextDueMs(): Promise<number | undefined> {
    const row = await this.#database.row("SELECT min(due_ms) AS due FROM svc.start_group WHERE is_open = 1");
    const due = row?.["due"] ?? null;
    return due === null ? undefined : Number(due);
  }
}

/** Within a transaction that has the lock of the key. */
async function change(
  sql: Sql,
  group: readonly string[],
  decide: (open: StartGroupRow | undefined) => GroupChange,
): Promise<GroupChange> {
  const text = "SELECT * FROM svc.start_group WHERE graph = $1 AND key = $2 AND is_open = 1 FOR UPDATE";
  const [open] = await sql(text, ...group);
  const rows = decide(open && toStartGroup(open));
  for (const row of rows) await sql(SAVE, ...groupValues(row).map(clean));
  return rows;
}
