/**
 * One database file: opened by one process only, written in groups.
 *
 * Group commit: all work that arrives within a turn of the event loop shares one transaction and one sync to disk
 * (`synchronous=FULL`), and is acknowledged after it. Each work is a function that may run twice: when one of a group
 * fails, the group is rolled back and each is run again alone, so that a failure stays with its owner.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../shared/errors.ts";
import { loadDriver, type Driver, type Statement } from "./driver.ts";
import { migrate } from "./schema.ts";
import { storeError } from "./store-error.ts";

const PRAGMAS = [
  // Has an effect on a new file only, and there only before anything is in it.
  "auto_vacuum=INCREMENTAL",
  "journal_mode=WAL",
  "synchronous=FULL",
  "busy_timeout=5000",
  "foreign_keys=OFF",
  // 16 MB: a page that many commits change is then copied into the file once for them all.
  "wal_autocheckpoint=4000",
  // 16 MB: with the usual 2, a group that inserts into many indexes writes pages out in its middle and reads them again.
  "cache_size=-16384",
];

interface Waiting {
  work: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

export class Database {
  readonly #file: string;
  readonly #driver: Driver;
  readonly #lock: Driver | undefined;
  readonly #statements = new Map<string, Statement>();
  #queue: Waiting[] = [];
  #isScheduled = false;
  #isClosed = false;

  private constructor(file: string, driver: Driver, lock: Driver | undefined) {
    this.#file = file;
    this.#driver = driver;
    this.#lock = lock;
  }

  /** @param file path, or `:memory:`. @throws SvcError `SVC_STORE` */
  static async open(file: string): Promise<Database> {
    const DriverClass = await loadDriver();
    const isMemory = file === ":memory:";
    if (!isMemory) mkdirSync(dirname(file), { recursive: true });
    const lock = isMemory ? undefined : takeLock(DriverClass, file);
    try {
      const driver = new DriverClass(file);
      for (const pragma of PRAGMAS) {
        driver.prepare(`PRAGMA ${pragma}`).all();
      }
      migrate(driver, file);
      return new Database(file, driver, lock);
    } catch (error) {
      lock?.close();
      const known = storeError(file, error);
      if (known instanceof SvcError) throw known;
      throw new SvcError("SVC_STORE", `The database ${file} can't be opened: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /** A statement, prepared once. It throws SvcError `SVC_STORE` where the file is to blame. */
  sql(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      const own = this.#told(() => this.#driver.prepare(text));
      statement = {
        run: (...values) => this.#told(() => own.run(...values)),
        get: (...values) => this.#told(() => own.get(...values)),
        all: (...values) => this.#told(() => own.all(...values)),
      };
      this.#statements.set(text, statement);
    }
    return statement;
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
    if (this.#isClosed) return Promise.reject(new SvcError("SVC_STORE", "The store is closed"));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: never) => void, reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#isClosed = true;
    try {
      // libsql leaves the log as it is, to be read again at the next start.
      this.#driver.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all();
    } catch {
      // What is in the log is safe there: whoever opens the file next reads it.
    }
    this.#driver.close();
    this.#lock?.close();
  }

  #flush(): void {
    this.#isScheduled = false;
    const group = this.#queue;
    this.#queue = [];
    if (group.length === 0) return;
    try {
      this.#commit(group);
    } catch (error) {
      if (group.length === 1) return (group[0] as Waiting).reject(error);
      for (const waiting of group) this.#commitAlone(waiting);
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
    this.#told(() => this.#driver.exec("BEGIN IMMEDIATE"));
    let values: unknown[];
    try {
      values = group.map((waiting) => waiting.work());
      this.#told(() => this.#driver.exec("COMMIT"));
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    group.forEach((waiting, at) => waiting.resolve(values[at] as never));
  }

  #rollBack(): void {
    try {
      this.#driver.exec("ROLLBACK");
    } catch {
      // A full disk or a fault of it has SQLite roll back by itself; why, is told by the error before.
    }
  }
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
      `The database ${file} is in use by another process${ownerOf(ownerFile)}. End it, or set another SVC data directory.`,
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
