/**
 * The wait for the disk: has the write-ahead log of a database written through, in a thread of Node's, while the event loop goes on.
 * SQLite writes the log with each commit and syncs it by itself before it copies it into the file (`synchronous=NORMAL`,
 * https://sqlite.org/wal.html), so a file is whole whatever happens; what makes a commit durable is the sync here. One sync is
 * under way at a time, and answers for all commits from before it began.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";

type Done = (error: Error | undefined) => void;

/** For tests: `fs.fdatasync`. */
export type Sync = (fd: number, done: (error: Error | null) => void) => void;

export interface LogSyncOptions {
  /** Path of the log. Whoever closes another descriptor of it takes no lock from SQLite, which has its locks elsewhere. */
  file: string;
  /** Copies the whole log into the file and syncs both. @throws where it can't */
  checkpoint: () => void;
  sync?: Sync | undefined;
}

export class LogSync {
  readonly #fd: number;
  readonly #sync: Sync;
  readonly #checkpoint: () => void;
  /** Commits that the next sync answers for. */
  #waiting: Done[] = [];
  #isUnderWay = false;
  #isClosed = false;
  /** A sync has failed. The system may take what it could not write for written from then on, so another says nothing. */
  #isUnsure = false;

  constructor({ file, checkpoint, sync = fdatasync }: LogSyncOptions) {
    // Windows syncs what is open for writing only.
    this.#fd = openSync(file, "r+");
    this.#sync = sync;
    this.#checkpoint = checkpoint;
  }

  /** @param done called once all that is in the log by now is on disk, or with why that is not known. */
  after(done: Done): void {
    this.#waiting.push(done);
    if (!this.#isUnderWay) this.#begin();
  }

  #begin(): void {
    const waiting = this.#waiting.splice(0);
    this.#isUnderWay = true;
    const settle = (error: Error | null): void => {
      this.#isUnderWay = false;
      // The next may begin at once.
      if (error) this.#isUnsure = true;
      if (this.#isClosed) closeSync(this.#fd);
      else if (this.#waiting.length > 0) this.#begin();
      for (const done of waiting) done(error ?? undefined);
    };
    if (this.#isUnsure) queueMicrotask(() => settle(this.#mended()));
    else this.#sync(this.#fd, settle);
  }

  /** @returns why what was written since is still not known to be on disk. */
  #mended(): Error | null {
    try {
      this.#checkpoint();
      this.#isUnsure = false;
      return null;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Answers all that wait, at once. */
  close(): void {
    const error = this.#isUnsure ? this.#mended() : this.#syncNow();
    for (const done of this.#waiting.splice(0)) done(error ?? undefined);
    this.#isClosed = true;
    // The other thread may be at it still.
    if (!this.#isUnderWay) closeSync(this.#fd);
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
