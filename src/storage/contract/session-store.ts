/** Stored data of visitors: sessions, and answers of idempotent calls. */

/** Sessions as text by id. The reader checks whether one has expired. */
export interface SessionRows {
  read(id: string): Promise<string | undefined>;
  write(id: string, data: string, expiresMs: number): Promise<void>;
  /** Replaces an existing row. @returns whether it existed */
  replace(id: string, data: string, expiresMs: number): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Deletes rows that have expired by `nowMs`. */
  purge(nowMs: number): Promise<void>;
}

/** Answer of an idempotent call. */
export interface AnswerRow {
  /** Hash of the key and its owner. */
  id: string;
  /** Hash of the call's content. */
  bodyHash: string;
  createdMs: number;
  /** undefined until the call has ended. */
  answer: { status: number; body: string } | undefined;
}

export interface AnswerStore {
  /**
   * Claims an id for a call that is about to run. One of several concurrent claims succeeds.
   * @param sinceMs a row from before this time is replaced
   * @returns the existing row, or undefined: the call may run. Resolves after the durable commit
   */
  claim(row: AnswerRow, sinceMs: number): Promise<AnswerRow | undefined>;
  find(id: string): Promise<AnswerRow | undefined>;
  /** Stores the answer, replacing an existing one. Resolves after the durable commit. */
  settle(id: string, status: number, body: string): Promise<void>;
  /** Deletes older rows. */
  purge(beforeMs: number): Promise<void>;
}
