/**
 * `ctx.tx` of workers in threads: the transaction is open here, with the database, while the author's function runs in the thread and
 * sends its statements (docs/decisions/044). Owns the open transactions; the store begins, ends and commits them.
 */
import type { TransactionHandle } from "../../../storage/contract/transaction.ts";
import { errorMessage, errorOf, type FromThread, type Settlement, type ToThread } from "./thread-messages.ts";

interface Open {
  handle: TransactionHandle;
  settle: (settlement: Settlement) => void;
  reject: (error: Error) => void;
}

/** The thread or process of a `ctx.tx` is gone. This is not an outcome of the author's function. */
export class TransactionLost extends Error {
  constructor() {
    super("The thread ended within its ctx.tx");
    this.name = "TransactionLost";
  }
}

export class ThreadTransactions {
  readonly #post: (message: ToThread) => void;
  readonly #open = new Map<number, Open>();

  constructor(post: (message: ToThread) => void) {
    this.#post = post;
  }

  /** Replaces the author's function: runs it in the thread each time it is called. */
  begin(id: number, handle: TransactionHandle): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (settlement: Settlement): void => {
        this.#open.delete(id);
        if ("error" in settlement) reject(errorOf(settlement.error));
        else resolve(settlement.value);
      };
      this.#open.set(id, { handle, settle, reject });
      this.#post({ type: "begun", id });
    });
  }

  /** Runs a statement and sends its result. */
  async query({ id, query, sql, values }: Extract<FromThread, { type: "query" }>): Promise<void> {
    let settlement: Settlement;
    try {
      const open = this.#open.get(id);
      if (!open) throw new Error("The transaction of this ctx.tx has ended. Await each statement inside its function.");
      settlement = { value: await open.handle.query(sql, values) };
    } catch (error) {
      settlement = { error: errorMessage(error) };
    }
    this.#post({ type: "answered", query, settlement });
  }

  /** The author's function has ended. @returns whether it belonged to a transaction. */
  ended(id: number, settlement: Settlement): boolean {
    const open = this.#open.get(id);
    open?.settle(settlement);
    return open !== undefined;
  }

  /** The thread has ended: open transactions write nothing, and nobody waits for them. */
  close(): void {
    for (const { reject } of this.#open.values()) reject(new TransactionLost());
    this.#open.clear();
  }
}
