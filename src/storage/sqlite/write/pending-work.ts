/** Work that waits for its transaction. */

/** "grouped" work shares a transaction with its neighbours; "alone" work may wait inside its transaction and has the database to itself. */
export type Kind = "grouped" | "alone";

export interface PendingWork {
  work: (over?: AbortSignal) => unknown;
  /** Called with the value of `work` once it is durable. */
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  kind: Kind;
  /** If another program had locked the file: how long to retry, by `performance.now()`. */
  patientUntilMs?: number;
}
