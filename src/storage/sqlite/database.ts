/**
 * A database file, opened by one process only, written in groups.
 * Group commit: all work of one turn of the event loop shares a transaction and a sync to disk (log-sync.ts), and is acknowledged
 * afterwards. Each work is a function that may run twice: if one of a group fails, the group is rolled back and each runs alone, so that
 * a failure stays with its owner.
 */
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../platform/shared/errors.ts";
import { connect, isLogged, rollBack } from "./file/connection.ts";
import type { Driver, Statement } from "./file/driver.ts";
import { takeLock } from "./file/file-lock.ts";
import { LockWait, PATIENCE_MS } from "./file/lock-wait.ts";
import { LogSync, type Sync } from "./file/log-sync.ts";
import { FileOwner, takeOwnership } from "./file/file-owner.ts";
import { UserStatements } from "./write/user-statements.ts";
import { withTransactionTimeout } from "./file/transaction-timeout.ts";
import { migrate } from "./schema.ts";
import { isLocked, storeError } from "./file/store-error.ts";
import type { Kind, PendingWork } from "./write/pending-work.ts";

export interface DatabaseOptions {
  /** Time that work waits for another program that writes to the file. Default 5 s. */
  patienceMs?: number | undefined;
  /** For tests: replaces the sync of the log. */
  sync?: Sync | undefined;
}

const OWNER_ONLY = 0o600;

export class Database {
  readonly #file: string;
  readonly #driver: Driver;
  readonly #lock: Driver | undefined;
  readonly #owner: FileOwner;
  /** Absent without a log: in memory, and on file systems where SQLite can't have one. */
  readonly #log: LogSync | undefined;
  readonly #statements = new Map<string, Statement>();
  /** Authors' statements. */
  readonly own = new UserStatements((text) => this.#prepare(text));
  readonly #onStale: (() => void)[] = [];
  readonly #lockWait: LockWait;
  #queue: PendingWork[] = [];
  #isScheduled = false;
  /** Work that has the database to itself now. */
  #alone: Promise<void> | undefined;
  #isClosed = false;

  private constructor(file: string, driver: Driver, lock: Driver | undefined, options: DatabaseOptions) {
    this.#file = file;
    this.#driver = driver;
    this.#lock = lock;
    this.#owner = new FileOwner(driver, file, takeOwnership(driver));
    const hasLog = isLogged(driver);
    // Without a log, a reader may have to wait for a writer as well: SQLite does.
    this.#lockWait = new LockWait(hasLog ? options.patienceMs : 0);
    if (!hasLog) return;
    this.#waitInSqlite(0);
    this.#log = new LogSync({ file: `${file}-wal`, checkpoint: () => this.#checkpoint(), sync: options.sync });
  }

  /** @param file path, or `:memory:`. @throws SvcError `SVC_STORE` */
  static async open(file: string, options: DatabaseOptions = {}): Promise<Database> {
    const isMemory = file === ":memory:";
    let lock: Driver | undefined;
    try {
      if (!isMemory) mkdirSync(dirname(file), { recursive: true });
      if (!isMemory) lock = await takeLock(file);
      // It contains secrets of webhooks and sessions. SQLite gives its log the same mode.
      if (!isMemory && !existsSync(file)) closeSync(openSync(file, "a", OWNER_ONLY));
      const driver = await connect(file);
      migrate(driver, file);
      return new Database(file, driver, lock, options);
    } catch (error) {
      lock?.close();
      const known = storeError(file, error);
      if (known instanceof SvcError) throw known;
      throw new SvcError("SVC_STORE", `The database ${file} can't be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** One of svc's statements, prepared once. It throws SvcError `SVC_STORE` for a fault of the file. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) this.#statements.set(text, (statement = this.#prepare(text)));
    return statement;
  }

  #prepare(text: string): Statement {
    const own = this.#reported(() => this.#driver.prepare(text));
    return {
      run: (...values) => this.#reported(() => own.run(...values)),
      get: (...values) => this.#reported(() => own.get(...values)),
      all: (...values) => this.#reported(() => own.all(...values)),
    };
  }

  #reported<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(this.#file, error);
    }
  }

  /**
   * Runs `work` in the next group. Resolves with its value after the durable commit.
   * @param work reads and writes through {@link sql}; may run twice.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#enqueue<T>(work, "grouped");
  }

  /**
   * Runs `work` in a transaction of its own, in its turn; nothing else is written until it has settled.
   * @param work may await its own statements: after 10 s it is rolled back, and its signal aborts; it must not touch the database from
   * then on. Runs once.
   */
  writeAlone<T>(work: (over: AbortSignal) => Promise<T>): Promise<T> {
    return this.#enqueue<T>(work as (over?: AbortSignal) => unknown, "alone");
  }

  #enqueue<T>(work: (over?: AbortSignal) => unknown, kind: Kind): Promise<T> {
    if (this.#isClosed) return Promise.reject(new SvcError("SVC_STORE", "The store is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject, kind });
      this.#soon();
    });
  }

  /** Nothing is written until it resolves. */
  get #delayed(): Promise<void> | undefined {
    return this.#alone ?? this.#lockWait.over;
  }

  #soon(): void {
    if (this.#isScheduled || this.#delayed || this.#queue.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    while (this.#queue.length > 0 || this.#alone) {
      this.#flush();
      await this.#delayed;
    }
    this.#isClosed = true;
    this.#log?.close();
    try {
      // libsql leaves the log to be read at the next start.
      this.#checkpoint();
    } catch {
      // The log is safe: the next process that opens the file reads it.
    }
    this.#driver.close();
    // libsql closes the file once its statements are garbage, and this object may stay in use.
    this.#statements.clear();
    this.#lock?.close();
  }

  /** @throws if the log could not be copied into the file. */
  #checkpoint(): void {
    this.#waitInSqlite(PATIENCE_MS);
    try {
      const row = this.#driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      if (row?.["busy"] !== 0) throw new Error("database is locked");
    } finally {
      this.#waitInSqlite(0);
    }
  }

  /** @param ms time for which SQLite itself waits for another program, and blocks the event loop: 0 for work that can be retried */
  #waitInSqlite(ms: number): void {
    this.#driver.prepare(`PRAGMA busy_timeout=${ms}`).all();
  }

  #flush(): void {
    this.#isScheduled = false;
    const [first] = this.#queue;
    if (!first || this.#delayed) return;
    if (first.kind === "alone") return this.#beginAlone(first);
    const group = this.#takeGroup();
    this.#soon();
    this.#commitGroup(group);
  }

  /** Takes work from the front of the queue that may share a transaction. */
  #takeGroup(): PendingWork[] {
    const end = this.#queue.findIndex(({ kind }) => kind === "alone");
    return this.#queue.splice(0, end < 0 ? this.#queue.length : end);
  }

  #commitGroup(group: PendingWork[]): void {
    try {
      this.#commit(group);
    } catch (error) {
      if (isLocked(error)) this.#postpone(group, error);
      else if (group.length === 1) (group[0] as PendingWork).reject(error);
      else this.#commitEach(group);
    }
  }

  #commitEach(group: readonly PendingWork[]): void {
    for (const [at, waiting] of group.entries()) {
      try {
        this.#commit([waiting]);
      } catch (error) {
        if (isLocked(error)) return this.#postpone(group.slice(at), error);
        waiting.reject(error);
      }
    }
  }

  #postpone(works: readonly PendingWork[], error: unknown): void {
    this.#queue.unshift(...this.#lockWait.postpone(works, error, () => this.#soon()));
  }

  #beginAlone(first: PendingWork): void {
    this.#queue.shift();
    this.#alone = this.#runAlone(first).finally(() => {
      this.#alone = undefined;
      this.#soon();
    });
  }

  /** Never rejects. */
  async #runAlone(waiting: PendingWork): Promise<void> {
    const { work, resolve, reject } = waiting;
    try {
      this.#begin();
    } catch (error) {
      return isLocked(error) ? this.#postpone([waiting], error) : reject(error);
    }
    try {
      const value = await withTransactionTimeout(work);
      this.#reported(() => this.#driver.exec("COMMIT"));
      this.#onceDurable((error) => (error ? reject(error) : resolve(value as never)));
    } catch (error) {
      this.#rollBack();
      reject(error);
    }
  }

  #commit(group: PendingWork[]): void {
    this.#begin();
    let values: unknown[];
    try {
      values = group.map((waiting) => waiting.work());
      this.#reported(() => this.#driver.exec("COMMIT"));
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    this.#acknowledge(group, values);
  }

  /** Called once it is durable. */
  #acknowledge(group: readonly PendingWork[], values: readonly unknown[]): void {
    this.#onceDurable((error) => {
      for (const [at, { resolve, reject }] of group.entries())
        if (error) reject(error);
        else resolve(values[at] as never);
    });
  }

  /** @param then called once everything committed so far is on disk, or with why that is unknown. */
  #onceDurable(then: (error?: Error) => void): void {
    if (!this.#log) return then();
    this.#log.after((error) => then(error && storeError(this.#file, error)));
  }

  #begin(): void {
    const isWrittenByOthers = this.#reported(() => this.#owner.begin());
    if (isWrittenByOthers) this.#reportStale();
  }

  /** Within a transaction: rolls back to a savepoint and ends it. */
  rollBackTo(savepoint: string): void {
    this.#reportStale();
    this.sql(`ROLLBACK TO ${savepoint}`).run();
    this.sql(`RELEASE ${savepoint}`).run();
  }

  /** Calls back if the file may differ from what this process knows: after a rollback, or a commit of another process. */
  onStale(listener: () => void): void {
    this.#onStale.push(listener);
  }

  #reportStale(): void {
    for (const listener of this.#onStale) listener();
  }

  #rollBack(): void {
    this.#reportStale();
    rollBack(this.#driver);
  }
}
