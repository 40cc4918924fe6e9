/**
 * One database file: opened by one process only, written in groups.
 *
 * Group commit: all work that arrives within a turn of the event loop shares one transaction and one sync to disk
 * (log-sync.ts), and is acknowledged after it. Each work is a function that may run twice: when one of a group
 * fails, the group is rolled back and each is run again alone, so that a failure stays with its owner.
 */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../shared/errors.ts";
import { VARIABLES } from "../../shared/wire.ts";
import { loadDriver, type Driver, type Statement } from "./driver.ts";
import { LogSync, type Sync } from "./log-sync.ts";
import { OwnStatements } from "./own-statements.ts";
import { migrate } from "./schema.ts";
import { storeError } from "./store-error.ts";

const PRAGMAS = [
  // Has an effect on a new file only, and there only before anything is in it.
  "auto_vacuum=INCREMENTAL",
  "journal_mode=WAL",
  // The log is synced after each commit nevertheless, beside the event loop (log-sync.ts).
  "synchronous=NORMAL",
  "busy_timeout=5000",
  "foreign_keys=OFF",
  // 16 MB: a page that many commits change is then copied into the file once for them all.
  "wal_autocheckpoint=4000",
  // 16 MB: with the usual 2, a group that inserts into many indexes writes pages out in its middle and reads them again.
  "cache_size=-16384",
];

interface Waiting {
  work: (over?: AbortSignal) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  /** Takes its time, and has the database to itself. */
  isAlone?: boolean;
}

/** Nobody else writes meanwhile: a transaction that waits for something else is ended. */
const LONGEST_ALONE_MS = 10_000;

const OWNER_ONLY = 0o600;

export class Database {
  readonly #file: string;
  readonly #driver: Driver;
  readonly #lock: Driver | undefined;
  /** Absent where there is no log: in memory, and on file systems where SQLite can't have one. */
  readonly #log: LogSync | undefined;
  readonly #statements = new Map<string, Statement>();
  /** Statements of authors. */
  readonly own = new OwnStatements((text) => this.#prepare(text));
  readonly #onStale: (() => void)[] = [];
  #version: unknown;
  #queue: Waiting[] = [];
  #isScheduled = false;
  /** Work that has the database to itself now. */
  #alone: Promise<void> | undefined;
  #isClosed = false;

  private constructor(file: string, driver: Driver, lock?: Driver, sync?: Sync) {
    this.#file = file;
    this.#driver = driver;
    this.#lock = lock;
    if (isLogged(driver)) this.#log = new LogSync({ file: `${file}-wal`, checkpoint: () => this.#checkpoint(), sync });
  }

  /** @param file path, or `:memory:`. @param sync for tests: how the log is synced. @throws SvcError `SVC_STORE` */
  static async open(file: string, sync?: Sync): Promise<Database> {
    const DriverClass = await loadDriver();
    const isMemory = file === ":memory:";
    if (!isMemory) mkdirSync(dirname(file), { recursive: true });
    const lock = isMemory ? undefined : takeLock(DriverClass, file);
    try {
      // Secrets of webhooks and sessions are in it; SQLite gives its log the same mode.
      if (!isMemory && !existsSync(file)) closeSync(openSync(file, "a", OWNER_ONLY));
      const driver = new DriverClass(file);
      for (const pragma of PRAGMAS) {
        driver.prepare(`PRAGMA ${pragma}`).all();
      }
      migrate(driver, file);
      return new Database(file, driver, lock, sync);
    } catch (error) {
      lock?.close();
      const known = storeError(file, error);
      if (known instanceof SvcError) throw known;
      throw new SvcError("SVC_STORE", `The database ${file} can't be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** A statement of ours, prepared once. It throws SvcError `SVC_STORE` where the file is to blame. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) this.#statements.set(text, (statement = this.#prepare(text)));
    return statement;
  }

  #prepare(text: string): Statement {
    const own = this.#told(() => this.#driver.prepare(text));
    return {
      run: (...values) => this.#told(() => own.run(...values)),
      get: (...values) => this.#told(() => own.get(...values)),
      all: (...values) => this.#told(() => own.all(...values)),
    };
  }

  #told<T>(work: () => T): T {
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
    return this.#enqueue<T>(work, false);
  }

  /**
   * Runs `work` in a transaction of its own, in its turn; nothing else is written until it has settled.
   * @param work may wait, for its own statements: after 10 s it is rolled back, and its signal aborts: it must not touch the database
   * from then on. Runs once.
   */
  writeAlone<T>(work: (over: AbortSignal) => Promise<T>): Promise<T> {
    return this.#enqueue<T>(work as (over?: AbortSignal) => unknown, true);
  }

  #enqueue<T>(work: (over?: AbortSignal) => unknown, isAlone: boolean): Promise<T> {
    if (this.#isClosed) return Promise.reject(new SvcError("SVC_STORE", "The store is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject, isAlone });
      this.#soon();
    });
  }

  #soon(): void {
    if (this.#isScheduled || this.#alone) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    while (this.#queue.length > 0 || this.#alone) {
      this.#flush();
      if (this.#alone) await this.#alone;
    }
    this.#isClosed = true;
    this.#log?.close();
    try {
      // libsql leaves the log as it is, to be read again at the next start.
      this.#checkpoint();
    } catch {
      // What is in the log is safe there: whoever opens the file next reads it.
    }
    this.#driver.close();
    this.#lock?.close();
  }

  /** @throws where the log could not be copied into the file. */
  #checkpoint(): void {
    const row = this.#driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (row?.["busy"] !== 0) throw new Error("database is locked");
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#alone || this.#queue.length === 0) return;
    const [first] = this.#queue;
    if (first?.isAlone) {
      this.#queue.shift();
      this.#alone = this.#runAlone(first).finally(() => {
        this.#alone = undefined;
        if (this.#queue.length > 0) this.#soon();
      });
      return;
    }
    const next = this.#queue.findIndex(({ isAlone }) => isAlone);
    const group = this.#queue.splice(0, next < 0 ? this.#queue.length : next);
    if (next > 0) this.#soon();
    try {
      this.#commit(group);
    } catch (error) {
      if (group.length === 1) return (group[0] as Waiting).reject(error);
      for (const waiting of group) this.#commitAlone(waiting);
    }
  }

  /** Never rejects. */
  async #runAlone({ work, resolve, reject }: Waiting): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new AbortController();
    try {
      this.#begin();
      const late = new Promise<never>((_, fail) => {
        const message = `A transaction was open for ${LONGEST_ALONE_MS} ms, and was rolled back: nobody else can write meanwhile. Await nothing but its statements in it`;
        timer = setTimeout(() => {
          over.abort(new SvcError("SVC_STORE", message));
          fail(over.signal.reason);
        }, LONGEST_ALONE_MS);
      });
      const value = await Promise.race([work(over.signal), late]);
      this.#told(() => this.#driver.exec("COMMIT"));
      this.#onceDurable((error) => (error ? reject(error) : resolve(value as never)));
    } catch (error) {
      this.#rollBack();
      reject(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #commitAlone(waiting: Waiting): void {
    try {
      this.#commit([waiting]);
    } catch (error) {
      waiting.reject(error);
    }
  }

  #commit(group: Waiting[]): void {
    this.#begin();
    let values: unknown[];
    try {
      values = group.map((waiting) => waiting.work());
      this.#told(() => this.#driver.exec("COMMIT"));
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    this.#onceDurable((error) => {
      for (const [at, { resolve, reject }] of group.entries())
        if (error) reject(error);
        else resolve(values[at] as never);
    });
  }

  /** @param then called when all that is committed by now is on disk, or with why that is not known. */
  #onceDurable(then: (error?: Error) => void): void {
    if (!this.#log) return then();
    this.#log.after((error) => then(error && storeError(this.#file, error)));
  }

  #begin(): void {
    this.#told(() => this.#driver.exec("BEGIN IMMEDIATE"));
    // Changes with each commit that is another's: of who was frozen, and whose database somebody else has taken over meanwhile.
    const version = this.sql("PRAGMA data_version").get()?.["data_version"];
    if (version !== this.#version) for (const listener of this.#onStale) listener();
    this.#version = version;
  }

  /** Inside a transaction: takes back what was written since a savepoint, and ends that. */
  rollBackTo(savepoint: string): void {
    for (const listener of this.#onStale) listener();
    this.sql(`ROLLBACK TO ${savepoint}`).run();
    this.sql(`RELEASE ${savepoint}`).run();
  }

  /** Calls back whenever the file may have something else than this process last knew: after a rollback, or a commit of another. */
  onStale(listener: () => void): void {
    this.#onStale.push(listener);
  }

  #rollBack(): void {
    for (const listener of this.#onStale) listener();
    try {
      this.#driver.exec("ROLLBACK");
    } catch {
      // A full disk or a fault of it has SQLite roll back by itself; why, is told by the error before.
    }
  }
}

/** Whether commits go into a log that we sync; where not, SQLite is to sync each commit itself. */
function isLogged(driver: Driver): boolean {
  if (driver.prepare("PRAGMA journal_mode").get()?.["journal_mode"] === "wal") return true;
  driver.prepare("PRAGMA synchronous=FULL").all();
  return false;
}

/**
 * Keeps a second process out: two engines on one file would run every node twice. An SQLite lock on a side file, since
 * the system gives it back when the process dies, however it dies.
 */
function takeLock(DriverClass: new (file: string) => Driver, file: string): Driver {
  const ownerFile = `${file}.owner`;
  const lock = new DriverClass(`${file}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new SvcError(
      "SVC_STORE",
      `The database ${file} is in use by another process${ownerOf(ownerFile)}. End it, or set ${VARIABLES.dataDir} to another folder.`,
      { cause },
    );
  }
  writeFileSync(ownerFile, String(process.pid));
  return lock;
}

function ownerOf(ownerFile: string): string {
  try {
    return ` (pid ${readFileSync(ownerFile, "utf8").trim()})`;
  } catch {
    return ""; // The owner has not written it yet; the message does without.
  }
}
