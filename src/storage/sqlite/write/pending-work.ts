/** Work that waits for its transaction. */

/**
 * "blind": it reads nothing, and may be done by the thread that writes; "file": it needs the file; "alone": it takes its time, and has the
 * database to itself.
 */
export type Kind = "blind" | "file" | "alone";

export interface PendingWork {
  work: (over?: AbortSignal) => unknown;
  /** Called with the value of `work` once it is durable. */
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  kind: Kind;
  /** Where the file was another program's when it was tried: until when it is tried again, by `performance.now()`. */
  patientUntilMs?: number;
}
