/** A worker's own rows in the transaction of a unit (`ctx.tx`). */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Transition } from "./unit.ts";

/** A column's value in the author's own rows. */
export type TransactionValue = string | number | null;

export interface TransactionStatement {
  run(...values: TransactionValue[]): { changes: number | bigint };
  get(...values: TransactionValue[]): Record<string, TransactionValue> | undefined;
  all(...values: TransactionValue[]): Record<string, TransactionValue>[];
}

export interface TransactionAnswer {
  /** Of a statement that reads, or says `RETURNING`. */
  rows: Record<string, TransactionValue>[];
  /** Rows that were written. */
  changes: number;
}

/** The database inside of a transaction. */
export interface TransactionHandle {
  /**
   * A statement with `$1`, `$2`, … for its values, on every database. Other processes and graphs go on meanwhile on PostgreSQL; on
   * SQLite, whose file has one writer, they wait: await nothing else in between.
   */
  query(sql: string, values?: readonly TransactionValue[]): Promise<TransactionAnswer>;
  /** A statement of SQLite, prepared once, that answers at once. @throws SvcError `SVC_STORE` on PostgreSQL, and in a thread. @throws SvcError `SVC_STORE` for one that would end the transaction. */
  prepare(sql: string): TransactionStatement;
}

export interface TransactionRun {
  /** Whether `statements` gives a promise. */
  isAsync: boolean;
  /** The author's statements. May run twice: what they did the first time is undone then. */
  statements: (handle: TransactionHandle) => Json | Promise<Json>;
  /** The unit that is written with them. @param before the one that was decided when it ran the first time: to be mended. */
  decide: (result: Json, before: Transition | undefined) => Transition;
}

/** The author's own function has thrown: nothing was written, and no unit made. */
export class UserStatementError extends Error {
  constructor(cause: unknown) {
    super("The function of a transaction has thrown", { cause });
  }
}

/** What an author's function has of the database, which ends with the transaction: nothing may reach into the next one. */
export class Revocable {
  readonly handle: TransactionHandle;
  #isOver = false;

  constructor(handle: TransactionHandle) {
    this.handle = {
      prepare: (sql) => {
        this.requireOpen();
        requireOwn(sql);
        const statement = handle.prepare(sql);
        const open = <Result>(method: (...values: TransactionValue[]) => Result) => {
          return (...values: TransactionValue[]): Result => (this.requireOpen(), method(...values));
        };
        return {
          run: open((...values) => statement.run(...values)),
          get: open((...values) => statement.get(...values)),
          all: open((...values) => statement.all(...values)),
        };
      },
      query: async (sql, values) => {
        this.requireOpen();
        requireOwn(sql);
        return handle.query(sql, values);
      },
    };
  }

  end(): void {
    this.#isOver = true;
  }

  /** @throws SvcError `SVC_STORE` once the transaction is over. */
  requireOpen(): void {
    if (!this.#isOver) return;
    throw new SvcError(
      "SVC_STORE",
      "The transaction of this ctx.tx is over; await each of its statements inside of the function, and keep nothing of `db`",
    );
  }
}

/** Statements that would end the transaction, or leave something in its connection for whoever has it next. */
const FOREIGN =
  /^(?:abort|attach|begin|commit|deallocate|detach|discard|end|listen|pragma|prepare|release|reset|rollback|savepoint|start|unlisten|vacuum|set(?!\s+local\b))\b/i;

/** @throws SvcError `SVC_STORE` for a statement that is not for `ctx.tx`. */
function requireOwn(sql: string): void {
  // PostgreSQL's comments stand in each other, those of SQLite end at the first end.
  const foreign = [afterComments(sql, true), afterComments(sql, false)].find((text) => FOREIGN.test(text));
  if (foreign === undefined) return;
  throw new SvcError(
    "SVC_STORE",
    `ctx.tx runs inside of a transaction of its own, so it takes no "${foreign.split(/[\s;]/, 1)[0]}"; give statements that read or write rows, or make tables`,
  );
}

/** From the first word on. What is left of a comment without an end is nothing. */
function afterComments(sql: string, isNested: boolean): string {
  let text = sql;
  for (;;) {
    text = text.replace(/^(?:[\s;]|--[^\n]*)+/, "");
    if (!text.startsWith("/*")) return text;
    text = text.slice(commentLength(text, isNested));
  }
}

function commentLength(text: string, isNested: boolean): number {
  let depth = 0;
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    if (mark === "/*") depth = isNested ? depth + 1 : 1;
    else if (--depth === 0) return index + mark.length;
  }
  return text.length;
}
