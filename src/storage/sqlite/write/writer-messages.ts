/** What passes between a database and the thread that writes for it. */
import type { Call } from "./statement-log.ts";
import type { FencingToken } from "../file/file-owner.ts";

/** What a thread is started with. */
export interface WriterData {
  file: string;
  tenure: FencingToken;
  /** Of an ExitGate. */
  gate: SharedArrayBuffer;
}

/** One transaction. */
export interface Group {
  /** Statements that calls name from here on: their numbers go on from those before. */
  texts: readonly string[];
  calls: readonly Call[];
  /** Calls whose count of changed rows is to be told. */
  asked: readonly number[];
}

/** "go on": all that was refused is known to be. */
export type ToWriter = Group | "go on" | "close";

/** Of each group in its turn: rows changed by the calls asked about, once it is committed; or that nothing of it is. */
export type FromWriter = "up" | readonly number[] | "refused";
