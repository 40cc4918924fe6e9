/**
 * Retries work while another program, such as a sqlite3 shell, has begun to write. The event loop stays free meanwhile; SQLite's own wait
 * (`busy_timeout`) would block the process once for each work.
 */
import type { PendingWork } from "../write/pending-work.ts";

/** The usual wait of SQLite. */
export const PATIENCE_MS = 5000;
/** Pause between two tries, each of which takes microseconds. */
const RETRY_MS = 10;

export class LockWait {
  readonly #patienceMs: number;
  #over: Promise<void> | undefined;

  constructor(patienceMs: number = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** During the wait: resolves when it is time to retry. Never rejects. */
  get over(): Promise<void> | undefined {
    return this.#over;
  }

  /**
   * @param error error for work that has waited long enough
   * @param retry called after the pause
   * @returns work to retry, in order
   */
  postpone(works: readonly PendingWork[], error: unknown, retry: () => void): PendingWork[] {
    const nowMs = performance.now();
    const patient = works.filter((waiting) => nowMs < (waiting.patientUntilMs ??= nowMs + this.#patienceMs));
    for (const waiting of works) if (!patient.includes(waiting)) waiting.reject(error);
    this.#over = new Promise<void>((resolve) => setTimeout(resolve, RETRY_MS)).then(() => {
      this.#over = undefined;
      retry();
    });
    return patient;
  }
}
