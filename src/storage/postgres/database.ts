/**
 * A schema in a PostgreSQL database, used by any number of processes. Statements are prepared once for each connection, and repeated for
 * a while when the server is unavailable, so each may run twice.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import { silentLog, type Log } from "../../platform/shared/log.ts";
import type { Row } from "../contract/row.ts";
import {
  inSchema,
  openPool,
  readPostgresUrl,
  type ClientBase,
  type Pool,
  type PoolClient,
} from "./connection/driver.ts";
import { requireSessions } from "./connection/pooling.ts";
import { migrate } from "./schema.ts";
import { isUnavailable, isSerializationFailure, storeError } from "./connection/store-error.ts";

/** A restart of the server takes a second or two. Callers wait no longer than this. */
const PATIENCE_MS = 15_000;
/** Attempts to get a lock within that time. More would only put the statement at the end of the queue for the lock. */
const LOCK_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

/** Concurrent groups: while one waits for the disk, the next one is built. */
export const WRITERS = 2;

export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly string[]
  | readonly number[]
  | readonly (string | number | null | Uint8Array)[];

/** Runs a statement; `svc.` in it is replaced by the schema. */
export type Sql = (text: string, ...values: SqlValue[]) => Promise<Row[]>;

export interface Answer {
  rows: Row[];
  /** Number of changed rows. */
  count: number;
}

export class Database {
  readonly pool: Pool;
  /** For groups of transitions only: workers' transactions wait for them, and may use all other connections meanwhile. */
  readonly writers: Pool;
  /** Not quoted. */
  readonly schema: string;
  readonly #names = new Map<string, { name: string; text: string }>();
  readonly #patienceMs: number;
  #isClosed = false;

  private constructor(pool: Pool, writers: Pool, schema: string, patienceMs: number) {
    this.pool = pool;
    this.writers = writers;
    this.schema = schema;
    this.#patienceMs = patienceMs;
  }

  /**
   * Creates or migrates the tables.
   * @param log for a server that can't be reached at first.
   * @throws SvcError `SVC_CONFIG`, `SVC_STORE`
   */
  static async open(databaseUrl: string, patienceMs = PATIENCE_MS, log: Log = silentLog): Promise<Database> {
    const { url, schema, connections } = readPostgresUrl(databaseUrl);
    const lockMs = Math.ceil(patienceMs / LOCK_ATTEMPTS);
    const [pool, writers] = [await openPool(url, connections - WRITERS, lockMs), await openPool(url, WRITERS, lockMs)];
    const database = new Database(pool, writers, schema, patienceMs);
    try {
      await requireSessions(pool).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
        log.warn({ err: error }, `PostgreSQL can't be reached yet. It is tried again for ${patienceMs / 1000} s.`);
        return database.#again(() => requireSessions(pool));
      });
      await database.#again(() => database.#withClient((client) => migrate(client, schema)));
      return database;
    } catch (error) {
      await Promise.all([pool.end(), writers.end()]);
      const known = storeError(error);
      if (known instanceof SvcError) throw known;
      throw new SvcError("SVC_STORE", `The tables in PostgreSQL can't be created: ${known.message}`, { cause: error });
    }
  }

  /** Rows of a statement that reads, or may run twice. @throws SvcError `SVC_STORE` for a fault of the database */
  async rows(text: string, ...values: SqlValue[]): Promise<Row[]> {
    return (await this.run(text, ...values)).rows;
  }

  /** @throws as `rows` */
  async row(text: string, ...values: SqlValue[]): Promise<Row | undefined> {
    return (await this.run(text, ...values)).rows[0];
  }

  /** @throws as `rows` */
  async run(text: string, ...values: SqlValue[]): Promise<Answer> {
    return this.#reported(() => this.#again(() => this.query(this.pool, text, values)));
  }

  /** Rows of a statement that is not repeated: the caller can do without an answer while the server is unavailable. */
  async once(text: string, ...values: SqlValue[]): Promise<Row[]> {
    return this.#reported(async () => (await this.query(this.pool, text, values)).rows);
  }

  /** Runs a statement on a connection, without repetition. */
  async query(on: Pick<ClientBase, "query">, text: string, values: readonly SqlValue[]): Promise<Answer> {
    const { rows, rowCount } = await on.query<Row>({ ...this.#prepared(text), values: values as unknown[] });
    return { rows, count: rowCount ?? 0 };
  }

  /**
   * Runs statements in a transaction. Repeats all of them if the outcome of the commit is unknown: `work` sees its earlier writes then.
   */
  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#reported(() =>
      this.#again(() =>
        this.#withClient(async (client) => {
          await client.query("BEGIN");
          const value = await work(async (text, ...values) => (await this.query(client, text, values)).rows);
          await client.query("COMMIT");
          return value;
        }),
      ),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.pool.end(), this.writers.end()]);
  }

  /** Text for this schema, and the name of the prepared statement. */
  #prepared(text: string): { name: string; text: string } {
    let known = this.#names.get(text);
    if (!known) {
      known = { name: `svc_${this.#names.size + 1}`, text: inSchema(text, this.schema) };
      this.#names.set(text, known);
    }
    return known;
  }

  /** For retries while the server may be unavailable. */
  patience(): Patience {
    return new Patience(this.#patienceMs);
  }

  /** A connection for one caller, which must release it. A running statement reports its end. */
  async checkOut(): Promise<PoolClient> {
    const client = await this.pool.connect();
    if (client.listenerCount("error") === 0) client.on("error", () => undefined);
    return client;
  }

  /** Discards the connection after an error, which rolls back everything. */
  async #withClient<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    const client = await this.checkOut();
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(failure !== undefined);
    }
  }

  async #reported<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new SvcError("SVC_STORE", "The store is closed");
    try {
      return await work();
    } catch (error) {
      throw storeError(error);
    }
  }

  /** Repeats work while the server is unavailable. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    const patience = this.patience();
    for (;;)
      try {
        return await work();
      } catch (error) {
        if (this.#isClosed || !(isUnavailable(error) || isSerializationFailure(error)) || !(await patience.pause()))
          throw error;
      }
  }
}

/** Pauses between attempts that grow, up to a limit. */
class Patience {
  readonly #endMs: number;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(ms: number) {
    this.#endMs = performance.now() + ms;
  }

  /** @returns false at once if no attempt is left. */
  async pause(): Promise<boolean> {
    if (performance.now() + this.#pauseMs > this.#endMs) return false;
    await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    return true;
  }
}
