/**
 * A worker's own rows in the transaction of a unit: its statements run first, then the unit is decided and written, and
 * all of it is committed together or not at all.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphEvent } from "../../contract/graph-rows.ts";
import { Revocable, type TransactionHandle, type TransactionRun } from "../../contract/transaction.ts";
import type { Transition } from "../../contract/unit.ts";
import type { Database } from "../database.ts";
import { numbered } from "./user-statements.ts";

export type Written = { result: Json; unit: Transition; events: GraphEvent[] };

export class UserTransaction {
  readonly #database: Database;
  readonly #run: TransactionRun;
  #unit: Transition | undefined;
  /** What the author's function threw, or that it took too long: then nothing was decided. */
  ownError: { error: unknown } | undefined;

  constructor(database: Database, run: TransactionRun) {
    this.#database = database;
    this.#run = run;
  }

  /**
   * Inside the transaction; twice where that has to be made again.
   * @param apply writes the unit: its events, undefined where its fence did not hold, or why it can't be written.
   */
  write(apply: (unit: Transition) => GraphEvent[] | undefined | Error): Written | Error {
    const sql = (text: string) => this.#database.sql(text);
    sql("SAVEPOINT own").run();
    const written = this.#attempt(apply);
    if (written instanceof Error) this.#database.rollBackTo("own");
    else sql("RELEASE own").run();
    return written;
  }

  /**
   * As `write`, where the author's function waits for its statements: with the database to itself, and once.
   * @param over aborted when the transaction was rolled back before the function has ended: then nothing of it counts.
   */
  async writeAlone(
    apply: (unit: Transition) => GraphEvent[] | undefined | Error,
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

  #attempt(apply: (unit: Transition) => GraphEvent[] | undefined | Error): Written | Error {
    return this.#decided(() => {
      const own = new Revocable(handleOf(this.#database));
      const result = this.#run.statements(own.handle);
      own.end();
      if (!(result instanceof Promise)) return result;
      result.catch(() => undefined);
      throw new TypeError(
        "ctx.tx was given a function that gives a promise and is not async; write ctx.tx(async (db) => …)",
      );
    }, apply);
  }

  #decided(result: () => Json, apply: (unit: Transition) => GraphEvent[] | undefined | Error): Written | Error {
    this.ownError = undefined;
    let value: Json;
    try {
      value = result();
      this.#unit = this.#run.decide(value, this.#unit);
    } catch (error) {
      return this.#failed(error);
    }
    const events = apply(this.#unit);
    if (events === undefined) return new Error("the store had another state than the engine");
    return events instanceof Error ? events : { result: value, unit: this.#unit, events };
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
      // Of a statement that only reads it tells what the one before has written.
      const changes = (): number => Number(database.sql("SELECT changes() AS changes").get()?.["changes"]);
      return { rows, changes: total() === before ? 0 : changes() };
    },
  };
}
