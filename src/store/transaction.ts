/** A worker's own rows in the transaction of a unit (`ctx.tx`). */
import type { Json } from "../shared/json.ts";
import type { Unit } from "./unit.ts";

/** A column's value in the author's own rows. */
export type TransactionValue = string | number | null;

export interface TransactionStatement {
  run(...values: TransactionValue[]): { changes: number | bigint };
  get(...values: TransactionValue[]): Record<string, TransactionValue> | undefined;
  all(...values: TransactionValue[]): Record<string, TransactionValue>[];
}

/** The database inside of a transaction. */
export interface TransactionHandle {
  /** A statement, prepared once. @throws SvcError `SVC_STORE` for one that would end the transaction. */
  prepare(sql: string): TransactionStatement;
}

export interface TransactionRun {
  /** The author's statements. May run twice: what they did the first time is undone then. */
  statements: (handle: TransactionHandle) => Json;
  /** The unit that is written with them. @param before the one that was decided when it ran the first time: to be mended. */
  decide: (result: Json, before: Unit | undefined) => Unit;
}

/** The author's own function has thrown: nothing was written, and no unit made. */
export class OwnError extends Error {
  constructor(cause: unknown) {
    super("The function of a transaction has thrown", { cause });
  }
}
