/**
 * A worker's own rows in the transaction of a unit: its statements run first, then the unit is decided and written, and
 * all of it is committed together or not at all.
 */
import { SvcError } from "../../shared/errors.ts";
import type { Json } from "../../shared/json.ts";
import type { GraphEvent } from "../graph-rows.ts";
import type { TransactionHandle, TransactionRun } from "../transaction.ts";
import type { Unit } from "../unit.ts";
import type { Database } from "./database.ts";

/** Statements that would end the transaction, or reach beyond it. */
const FOREIGN = /^\s*(?:begin|commit|end|rollback|savepoint|release|attach|detach|vacuum|pragma)\b/i;

export type Written = { result: Json; unit: Unit; events: GraphEvent[] };

export class Transaction {
  readonly #database: Database;
  readonly #run: TransactionRun;
  #unit: Unit | undefined;
  /** What the author's function threw: then nothing was decided. */
  ownError: { error: unknown } | undefined;

  constructor(database: Database, run: TransactionRun) {
    this.#database = database;
    this.#run = run;
  }

  /**
   * Inside the transaction; twice where that has to be made again.
   * @param apply writes the unit: its events, undefined where its fence did not hold, or why it can't be written.
   */
  write(apply: (unit: Unit) => GraphEvent[] | undefined | Error): Written | Error {
    const sql = (text: string) => this.#database.sql(text);
    sql("SAVEPOINT own").run();
    const written = this.#attempt(apply);
    if (written instanceof Error) sql("ROLLBACK TO own").run();
    sql("RELEASE own").run();
    return written;
  }

  #attempt(apply: (unit: Unit) => GraphEvent[] | undefined | Error): Written | Error {
    this.ownError = undefined;
    let result: Json;
    try {
      result = this.#run.statements(handleOf(this.#database));
      this.#unit = this.#run.decide(result, this.#unit);
    } catch (error) {
      this.ownError = { error };
      return error instanceof Error ? error : new Error(String(error));
    }
    const events = apply(this.#unit);
    if (events === undefined) return new Error("the store had another state than the engine");
    return events instanceof Error ? events : { result, unit: this.#unit, events };
  }
}

function handleOf(database: Database): TransactionHandle {
  return {
    prepare: (text) => {
      if (FOREIGN.test(text))
        throw new SvcError(
          "SVC_STORE",
          `ctx.tx runs inside of a transaction of its own, so it takes no "${text.trim().split(/\s/, 1)[0]}"; give statements that read or write rows, or make tables`,
        );
      return database.sql(text);
    },
  };
}
