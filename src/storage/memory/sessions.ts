/** Sessions in memory; they end with the process. */
import type { SessionRows } from "../contract/session-store.ts";

export class MemorySessions implements SessionRows {
  readonly #rows = new Map<string, { data: string; expiresMs: number }>();

  async read(id: string): Promise<string | undefined> {
    return this.#rows.get(id)?.data;
  }

  async write(id: string, data: string, expiresMs: number): Promise<void> {
    this.#rows.set(id, { data, expiresMs });
  }

  async replace(id: string, data: string, expiresMs: number): Promise<boolean> {
    if (!this.#rows.has(id)) return false;
    this.#rows.set(id, { data, expiresMs });
    return true;
  }

  async remove(id: string): Promise<void> {
    this.#rows.delete(id);
  }

  async purge(nowMs: number): Promise<void> {
    for (const [id, { expiresMs }] of this.#rows) if (expiresMs <= nowMs) this.#rows.delete(id);
  }
}
