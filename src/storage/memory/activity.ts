/** Activity in memory; it ends with the process. */
import type { ActivityRow, ActivityRows } from "../contract/activity.ts";

export class MemoryActivity implements ActivityRows {
  readonly #rows = new Map<string, ActivityRow>();

  async save(rows: readonly ActivityRow[]): Promise<void> {
    for (const row of rows) this.#rows.set(`${row.atMs} ${row.process}`, structuredClone(row));
  }

  async since(atMs: number): Promise<ActivityRow[]> {
    const rows = [...this.#rows.values()].filter((row) => row.atMs >= atMs);
    return structuredClone(rows.sort((a, b) => a.atMs - b.atMs || (a.process < b.process ? -1 : 1)));
  }

  async purge(beforeMs: number): Promise<void> {
    for (const [key, row] of this.#rows) if (row.atMs < beforeMs) this.#rows.delete(key);
  }
}
