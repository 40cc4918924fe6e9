/** Sessions in the app's database. Expired rows are deleted when new ones are stored. */
import type { SessionStore } from "../../platform/http/sessions/session-keys.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { SessionRows } from "../../storage/contract/session-store.ts";

/** Expired rows are never read, so they only take space. */
const PURGE_EVERY_MS = 3_600_000;

export class DatabaseSessions implements SessionStore {
  readonly #rows: SessionRows;
  readonly #clock: Clock;
  #purgeDueMs = 0;

  constructor(rows: SessionRows, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  read(id: string): Promise<string | undefined> {
    return this.#rows.read(id);
  }

  async write(id: string, data: string, expiresMs: number): Promise<void> {
    const nowMs = this.#clock.now();
    const isDue = nowMs >= this.#purgeDueMs;
    if (isDue) this.#purgeDueMs = nowMs + PURGE_EVERY_MS;
    await Promise.all([this.#rows.write(id, data, expiresMs), isDue ? this.#rows.purge(nowMs) : undefined]);
  }

  replace(id: string, data: string, expiresMs: number): Promise<boolean> {
    return this.#rows.replace(id, data, expiresMs);
  }

  remove(id: string): Promise<void> {
    return this.#rows.remove(id);
  }
}
