/**
 * Syncs the write-ahead log to disk in one of Node's threads while the event loop continues. SQLite writes the log with each commit, and
 * syncs it before it copies it into the file (`synchronous=NORMAL`, https://sqlite.org/wal.html), so the file is consistent at all times;
 * the sync here makes a commit durable. One sync runs at a time, for all commits from before its start.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

type Done = (error: Error | undefined) => void;

/** For tests: `fs.fdatasync`. */
export type Sync = (fd: number, done: (error: Error | null) => void) => void;

export interface LogSyncOptions {
  /** Path of the log. Closing another descriptor of it releases no lock of SQLite, whose locks are elsewhere. */
  file: string;
  /** Copies the whole log into the file and syncs both. @throws if it can't */
  checkpoint: () => void;
  sync?: Sync | undefined;
}

export class LogSync {
  readonly #fd: number;
  readonly #sync: Sync;
  readonly #checkpoint: () => void;
  /** Commits that the next sync covers. */
  #waiting: Done[] = [];
  #isActive = false;
  #isClosed = false;
  /** A sync has failed. The system may treat unwritten data as written from then on, so another sync proves nothing. */
  #isUnsure = false;

  constructor({ file, checkpoint, sync = fdatasync }: LogSyncOptions) {
    // Windows syncs only files that are open for writing.
    this.#fd = openSync(file, "r+");
    this.#sync = sync;
    this.#checkpoint = checkpoint;
  }

  /** @param done called once everything in the log so far is on disk, or with why that is unknown. */
  after(done: Done): void {
    this.#waiting.push(done);
    if (!this.#isActive) this.#begin();
  }

  #begin(): void {
    const waiting = this.#waiting.splice(0);
    this.#isActive = true;
    const settle = (error: Error | null): void => {
      this.#isActive = false;
      // The next one may start at once.
      if (error) this.#isUnsure = true;
      if (this.#isClosed) closeSync(this.#fd);
      else if (this.#waiting.length > 0) this.#begin();
      for (const done of waiting) done(error ?? undefined);
    };
    if (this.#isUnsure) queueMicrotask(() => settle(this.#repaired()));
    else this.#start(settle);
  }

  /** A sync that throws at once has failed like one that reports it: the commits that wait for it must hear of it. */
  #start(settle: (error: Error | null) => void): void {
    try {
      this.#sync(this.#fd, settle);
    } catch (error) {
      queueMicrotask(() => settle(error instanceof Error ? error : new Error(String(error))));
    }
  }

  /** @returns why earlier writes are still not known to be on disk. */
  #repaired(): Error | null {
    try {
      this.#checkpoint();
      this.#isUnsure = false;
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Answers all waiting commits at once. */
  close(): void {
    const error = this.#isUnsure ? this.#repaired() : this.#syncNow();
    for (const done of this.#waiting.splice(0)) done(error ?? undefined);
    this.#isClosed = true;
    // The other thread may still be syncing.
    if (!this.#isActive) closeSync(this.#fd);
  }

  #syncNow(): Error | null {
    try {
      fdatasyncSync(this.#fd);
      return null;
    } catch (error) {
      return error as Error;
    }
  }
}
