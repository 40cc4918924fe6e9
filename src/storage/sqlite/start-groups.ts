/** Groups of events that wait to start a run, in SQLite. */
import {
  decidedWith,
  groupValues,
  toStartGroup,
  type GroupChange,
  type StartGroupRow,
  type StartGroupRows,
} from "../contract/start-groups.ts";
import type { Database } from "./database.ts";

const SAVE =
  "INSERT INTO start_group (graph, key, generation, is_open, due_ms, data) VALUES (?, ?, ?, ?, ?, ?) " +
  "ON CONFLICT (graph, key, generation) DO UPDATE SET is_open = excluded.is_open, due_ms = excluded.due_ms, data = excluded.data";
const ONE = "graph = ? AND key = ? AND generation = ?";

export class SqliteStartGroups implements StartGroupRows {
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
    const sql = (text: string) => this.#database.sql(text);
    return this.#database.write(() => {
      const event = sql("SELECT decided FROM sent_event WHERE name = ? AND id = ?").get(name, id);
      const decided = event && decidedWith(event["decided"], graph);
      if (decided === undefined) return undefined;
      const rows = this.#change(graph, key, decide);
      sql("UPDATE sent_event SET decided = ? WHERE name = ? AND id = ?").run(decided, name, id);
      return rows;
    });
  }

  count(graph: string, key: string, decide: (open: StartGroupRow | undefined) => GroupChange): Promise<void> {
    return this.#database.write(() => void this.#change(graph, key, decide));
  }

  /** Within a transaction. */
  #change(graph: string, key: string, decide: (open: StartGroupRow | undefined) => GroupChange): GroupChange {
    const sql = (text: string) => this.#database.sql(text);
    const open = sql("SELECT * FROM start_group WHERE graph = ? AND key = ? AND is_open = 1").get(graph, key);
    const rows = decide(open && toStartGroup(open));
    for (const row of rows) sql(SAVE).run(...groupValues(row));
    return rows;
  }

  async due(nowMs: number, limit: number): Promise<StartGroupRow[]> {
    const text = "SELECT * FROM start_group WHERE is_open = 0 OR due_ms <= ? ORDER BY due_ms, generation LIMIT ?";
    return this.#database.sql(text).all(nowMs, limit).map(toStartGroup);
  }

  close({ graph, key, generation }: StartGroupRow, nowMs: number): Promise<StartGroupRow | undefined> {
    return this.#database.write(() => {
      const found = this.#database.sql(`SELECT * FROM start_group WHERE ${ONE}`).get(graph, key, generation);
      const row = found && toStartGroup(found);
      if (!row?.isOpen) return row;
      if (row.dueMs > nowMs) return undefined;
      this.#database.sql(`UPDATE start_group SET is_open = 0 WHERE ${ONE}`).run(graph, key, generation);
      return { ...row, isOpen: false };
    });
  }

  async remove({ graph, key, generation }: StartGroupRow): Promise<void> {
    await this.#database.write(() =>
      this.#database.sql(`DELETE FROM start_group WHERE ${ONE} AND is_open = 0`).run(graph, key, generation),
    );
  }

  async nextDueMs(): Promise<number | undefined> {
    const row = this.#database.sql("SELECT min(due_ms) AS due FROM start_group WHERE is_open = 1").get();
    return row?.["due"] === null || row === undefined ? undefined : Number(row["due"]);
  }
}
