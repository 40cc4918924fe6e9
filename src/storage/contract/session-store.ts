/** What is kept for visitors: sessions, and the answers to calls that may be sent again. */

/** Sessions of visitors: text by id. Whether one has expired is for the reader to know. */
export interface SessionRows {
  read(id: string): Promise<string | undefined>;
  write(id: string, data: string, expiresMs: number): Promise<void>;
  /** Writes over a row that is there, and none otherwise. @returns whether it was there */
  replace(id: string, data: string, expiresMs: number): Promise<boolean>;
  remove(id: string): Promise<void>;
  /** Throws away what has expired by `nowMs`. */
  purge(nowMs: number): Promise<void>;
}

/** The answer to a call that may be sent again. */
export interface AnswerRow {
  /** Hash of the key and of whose it is. */
  id: string;
  /** Hash of what the call was about. */
  bodyHash: string;
  createdMs: number;
  /** undefined until the call has ended. */
  answer: { status: number; body: string } | undefined;
}

export interface AnswerStore {
  /**
   * Takes an id for a call that is about to run. Of several at once one gets it.
   * @param sinceMs a row from before this time is taken over
   * @returns the row that is there already, or undefined: then the call may run. Resolves after the durable commit
   */
  claim(row: AnswerRow, sinceMs: number): Promise<AnswerRow | undefined>;
  find(id: string): Promise<AnswerRow | undefined>;
  /** Keeps the answer, in place of one that is there. Resolves after the durable commit. */
  settle(id: string, status: number, body: string): Promise<void>;
  /** Deletes rows from before this time. */
  purge(beforeMs: number): Promise<void>;
}
