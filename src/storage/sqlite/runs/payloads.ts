/**
 * Values too long for a row: beside it, in a table of their own. Each change of a row writes all of the row anew, to the log and to
 * the file; an input of a megabyte would be written with each step of its graph. The row keeps a reference.
 */
import type { Database } from "../database.ts";

/** Up to so many characters of JSON a value stands in its row. */
export const LONGEST_IN_ROW = 65_536;

/** A reference begins so, which no JSON does. */
export const REFERENCE = "@";
/** In bytes; more than the longest place has: the id of an inner node, whose name and key have 164 characters at most. */
export const LONGEST_REFERENCE = 2048;

export class Payloads {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Inside a transaction.
   * @param place of the value within its graph: one place holds one value, the last.
   * @returns what stands in the row.
   */
  put(graphId: string, place: string, text: string): string {
    if (text.length <= LONGEST_IN_ROW) return text;
    this.#database
      .sql("INSERT OR REPLACE INTO payload (graph_id, id, data) VALUES (?, ?, ?)")
      .run(graphId, place, text);
    return REFERENCE + place;
  }

  /** @param text as it stands in the row. */
  get(graphId: string, text: string): string {
    if (!text.startsWith(REFERENCE)) return text;
    const row = this.#database
      .sql("SELECT data FROM payload WHERE graph_id = ? AND id = ?")
      .get(graphId, text.slice(REFERENCE.length));
    // A reference to nothing would be a fault of ours; as JSON it is refused by whoever reads it.
    return row ? String(row["data"]) : text;
  }
}
