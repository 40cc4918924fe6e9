/**
 * Stores values that are too long for a row in a table of their own. Each change of a row writes the whole row to the log and the file;
 * an input of a megabyte would be written with each step of its run. The row contains a reference.
 */
import type { Database } from "../database.ts";

/** Longest value in a row, in characters of JSON. */
export const LONGEST_IN_ROW = 65_536;

/** First character of a reference, with which no JSON begins. */
export const REFERENCE = "@";
/** In bytes; longer than the longest place: the id of a step, whose name and key have at most 164 characters. */
export const LONGEST_REFERENCE = 2048;

export class Payloads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Within a transaction.
   * @param place position of the value in its run: each holds one value, the last.
   * @returns the text for the row.
   */
  put(graphId: string, place: string, text: string): string {
    if (text.length <= LONGEST_IN_ROW) return text;
    this.#database
      .sql("INSERT OR REPLACE INTO payload (graph_id, id, data) VALUES (?, ?, ?)")
      .run(graphId, place, text);
    return REFERENCE + place;
  }

  /** @param text as in the row. */
  get(graphId: string, text: string): string {
    if (!text.startsWith(REFERENCE)) return text;
    const row = this.#database
      .sql("SELECT data FROM payload WHERE graph_id = ? AND id = ?")
      .get(graphId, text.slice(REFERENCE.length));
    // A dangling reference would be a bug of svc; the reader rejects it as invalid JSON.
    return row ? String(row["data"]) : text;
  }
}
