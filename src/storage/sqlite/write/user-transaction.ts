/**
 * User statements of a worker in the database transaction of a step: the statements run first, then the step's transition is decided and
 * written. Both are committed together or not at all.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphEvent } from "../../contract/graph-rows.ts";
import { Revocable, type TransactionHandle, type TransactionRun } from "../../contract/transaction.ts";
import type { Transition } from "../../contract/transition.ts";
import type { Database } from "../database.ts";
import { numbered } from "./user-statements.ts";

export type Written = { result: Json; transition: Transition; events: GraphEvent[] };

export class UserTransaction {
  readonly #database: Database;
  readonly #run: TransactionRun;
  #transition: Transition | undefined;
  /** Error of the author's function, or its timeout. No transition was decided then. */
  ownError: { error: unknown } | undefined;

  constructor(database: Database, run: TransactionRun) {
    this.#database = database;
    this.#run = run;
  }

  /**
   * Within a transaction. Called again if that is repeated.
   * @param apply writes the transition. Returns its events, undefined if its fence does not match, or an error.
   */
  write(apply: (transition: Transition) => GraphEvent[] | undefined | Error): Written | Error {
    const sql = (text: string) => this.#database.sql(text);
    sql("SAVEPOINT own").run();
    const written = this.#attempt(apply);
    if (written instanceof Error) this.#database.rollBackTo("own");
    else sql("RELEASE own").run();
    return written;
  }

  /**
   * Like `write`, for an asynchronous function of the author: runs once, and nothing else uses the database meanwhile.
   * @param over aborts if the transaction is rolled back before the function has ended. Its later work has no effect.
   */
  async writeAlone(
    apply: (transition: Transition) => GraphEvent[] | undefined | Error,
    over: AbortSignal,
  ): Promise<Written | Error> {
    const sql = (text: string) => this.#database.sql(text);
    const own = new Revocable(handleOf(this.#database));
    const giveUp = (): void => {
      own.end();
      this.ownError = { error: over.reason };
    };
    over.addEventListener("abort", giveUp, { once: true });
    sql("SAVEPOINT own").run();
    let written: Written | Error;
    try {
      const result = await this.#run.statements(own.handle);
      own.requireOpen();
      written = this.#decided(() => result, apply);
    } catch (error) {
      written = this.#failed(error);
    }
    own.end();
    if (over.aborted) return this.#failed(over.reason);
    if (written instanceof Error) this.#database.rollBackTo("own");
    else sql("RELEASE own").run();
    return written;
  }

  #attempt(apply: (transition: Transition) => GraphEvent[] | undefined | Error): Written | Error {
    return this.#decided(() => {
      const own = new Revocable(handleOf(this.#database));
      const result = this.#run.statements(own.handle);
      own.end();
      if (!(result instanceof Promise)) return result;
      result.catch(() => undefined);
      throw new TypeError("The function of ctx.tx returns a promise but is not async. Write ctx.tx(async (db) => …)");
    }, apply);
  }

  #decided(result: () => Json, apply: (transition: Transition) => GraphEvent[] | undefined | Error): Written | Error {
    this.ownError = undefined;
    let value: Json;
    try {
      value = result();
      this.#transition = this.#run.decide(value, this.#transition);
    } catch (error) {
      return this.#failed(error);
    }
    const events = apply(this.#transition);
    if (events === undefined) return new Error("the store had another state than the engine");
    return events instanceof Error ? events : { result: value, transition: this.#transition, events };
  }

  #failed(error: unknown): Error {
    this.ownError = { error };
    return error instanceof Error ? error : new Error(String(error));
  }
}

function handleOf(database: Database): TransactionHandle {
  const total = (): number => Number(database.sql("SELECT total_changes() AS total").get()?.["total"]);
  return {
    prepare: (text) => database.own.get(text),
    query: async (text, values = []) => {
      const before = total();
      const rows = database.own.get(numbered(text)).all(...values);
      // After a statement that only reads, changes() still has the count of the previous one.
      const changes = (): number => Number(database.sql("SELECT changes() AS changes").get()?.["changes"]);
      return { rows, changes: total() === before ? 0 : changes() };
    },
  };
}
