/** An author's rows in the transaction of a step (`ctx.tx`). */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Transition } from "./transition.ts";

/** A column value of the author's rows. */
export type TransactionValue = string | number | null;

export interface TransactionStatement {
  run(...values: TransactionValue[]): { changes: number | bigint };
  get(...values: TransactionValue[]): Record<string, TransactionValue> | undefined;
  all(...values: TransactionValue[]): Record<string, TransactionValue>[];
}

export interface TransactionAnswer {
  /** Rows of a statement that reads, or has `RETURNING`. */
  rows: Record<string, TransactionValue>[];
  /** Number of changed rows. */
  changes: number;
}

/** The database within a transaction. */
export interface TransactionHandle {
  /**
   * Runs a statement with `$1`, `$2`, … as placeholders, on every database. On PostgreSQL other processes and runs continue meanwhile; on
   * SQLite, whose file has one writer, they wait: await nothing else in between.
   */
  query(sql: string, values?: readonly TransactionValue[]): Promise<TransactionAnswer>;
  /**
   * Prepares a statement of SQLite, which runs synchronously. @throws SvcError `SVC_STORE` on PostgreSQL, in a thread, and for a
   * statement that would end the transaction.
   */
  prepare(sql: string): TransactionStatement;
}

export interface TransactionRun {
  /** The run whose transition `decide` returns. */
  graphId: string;
  /** Whether `statements` returns a promise. */
  isAsync: boolean;
  /** The author's statements. May run twice: the effects of the first time are rolled back then. */
  statements: (handle: TransactionHandle) => Json | Promise<Json>;
  /** Decides the transition that is written with them. @param before the transition of the first time, to be updated. */
  decide: (result: Json, before: Transition | undefined) => Transition;
}

/** The author's function has thrown: nothing was written. */
export class UserStatementError extends Error {
  constructor(cause: unknown) {
    super("The function of a transaction has thrown an error", { cause });
  }
}

/** Objects of the author's function that become unusable after the transaction, so that none reaches into the next one. */
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

  /** @throws SvcError `SVC_STORE` after the transaction. */
  requireOpen(): void {
    if (!this.#isOver) return;
    throw new SvcError(
      "SVC_STORE",
      "The transaction of this ctx.tx has ended. Await each statement inside its function, and do not use `db` afterwards",
    );
  }
}

/** Statements that would end the transaction, or leave state in the connection for its next user. */
const FOREIGN =
  /^(?:abort|attach|begin|commit|deallocate|detach|discard|end|listen|pragma|prepare|release|reset|rollback|savepoint|start|unlisten|vacuum|set(?!\s+local\b))\b/i;

/** @throws SvcError `SVC_STORE` for a statement that `ctx.tx` does not allow. */
function requireOwn(sql: string): void {
  // Comments nest in PostgreSQL, but not in SQLite.
  const foreign = [afterComments(sql, true), afterComments(sql, false)].find((text) => FOREIGN.test(text));
  if (foreign === undefined) return;
  throw new SvcError(
    "SVC_STORE",
    `ctx.tx runs in its own transaction and does not allow "${foreign.split(/[\s;]/, 1)[0]}"; use statements that read or write rows, or create tables`,
  );
}

/** Text from the first word on. An unfinished comment is dropped. */
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
