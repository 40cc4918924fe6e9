/**
 * Work that finds the file in the hands of another program, such as a shell of sqlite3 that has begun to write: it is tried again until
 * that has ended, for so long. The event loop is free meanwhile; SQLite's own wait (`busy_timeout`) would hold up everything else of the
 * process, once for each work.
 */
import type { PendingWork } from "../write/pending-work.ts";

/** As long as SQLite's wait usually is. */
export const PATIENCE_MS = 5000;
/** Between two tries, each of which takes microseconds. */
const RETRY_MS = 10;

export class LockWait {
  readonly #patienceMs: number;
  #over: Promise<void> | undefined;

  constructor(patienceMs: number = PATIENCE_MS) {
    this.#patienceMs = patienceMs;
  }

  /** While it waits: settled when it is time to try again. Never rejects. */
  get over(): Promise<void> | undefined {
    return this.#over;
  }

  /**
   * @param error of the file, told to what has waited long enough
   * @param retry called in a moment
   * @returns what is to be tried again, in its order
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
