/** An author's statements on PostgreSQL (`ctx.tx`), on a connection of their own, before the transition. */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import {
  UserStatementError,
  Revocable,
  type TransactionAnswer,
  type TransactionHandle,
  type TransactionRun,
} from "../../contract/transaction.ts";
import type { Transition } from "../../contract/transition.ts";
import type { Database } from "../database.ts";
import type { PoolClient } from "../connection/driver.ts";
import { isUnavailable, isSerializationFailure } from "../connection/store-error.ts";

/** The effects of the author's function in a transaction that is still open. */
export class UserTransaction {
  readonly #database: Database;
  readonly #run: TransactionRun;
  #client: PoolClient | undefined;
  #result: Json = null;
  #transition: Transition | undefined;

  constructor(database: Database, run: TransactionRun) {
    this.#database = database;
    this.#run = run;
  }

  get result(): Json {
    return this.#result;
  }

  /** The transition that was decided with it. */
  get transition(): Transition {
    return this.#transition as Transition;
  }

  /** Its connection. */
  get client(): PoolClient {
    if (!this.#client) throw new Error("The transaction has ended");
    return this.#client;
  }

  /**
   * Runs the author's statements and decides the transition.
   * @param onDecided called in the same turn: later decisions come after it. @throws UserStatementError
   */
  async begin(onDecided: () => void): Promise<void> {
    const patience = this.#database.patience();
    for (;;)
      try {
        this.#client = await this.#database.checkOut();
        await this.#client.query("BEGIN");
        const own = new Revocable(handleOf(this.#client));
        await this.#own(async () => {
          try {
            this.#result = await this.#run.statements(own.handle);
          } finally {
            own.end();
          }
          this.#transition = this.#run.decide(this.#result, this.#transition);
          onDecided();
        });
        return;
      } catch (error) {
        this.abandon();
        const cause = error instanceof UserStatementError ? error.cause : error;
        if (!(isUnavailable(cause) || isSerializationFailure(cause)) || !(await patience.pause())) throw error;
      }
  }

  async #own(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw new UserStatementError(error);
    }
  }

  async commit(): Promise<void> {
    await this.client.query("COMMIT");
    this.#client?.release();
    this.#client = undefined;
  }

  /** Ends its connection, which rolls back everything. */
  abandon(): void {
    this.#client?.release(true);
    this.#client = undefined;
  }
}

/** For other statements the server counts returned rows. */
const WRITES: ReadonlySet<string> = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

function handleOf(client: PoolClient): TransactionHandle {
  return {
    prepare: () => {
      throw new SvcError(
        "SVC_STORE",
        "prepare is synchronous and not available on PostgreSQL. Use `await db.query(sql, [values])`, which works on every database.",
      );
    },
    query: async (sql, values = []) => {
      // Extended protocol: refuses several statements in one text, of which the second may be a COMMIT.
      const statement = { text: sql, values: [...values], queryMode: "extended" };
      const { rows, rowCount, command } = await client.query<TransactionAnswer["rows"][number]>(statement);
      return { rows, changes: WRITES.has(command) ? (rowCount ?? 0) : 0 };
    },
  };
}
