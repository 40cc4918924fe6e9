/**
 * Encrypts stored payloads with the first key, and counts them by key. Slices in the order of the keys; a slice is one transaction, and a
 * value that is done is recognized by its key, so a rotation that was interrupted begins again and skips what is done.
 */
import type { PayloadCipher } from "./payload-cipher.ts";
import { counting, resealing } from "./payload-transform.ts";
import type { Cells, PayloadTable } from "./payload-tables.ts";

export interface PayloadChange {
  row: Cells;
  /** The changed columns. */
  next: Cells;
}

/** The tables of a database. */
export interface PayloadDatabase {
  /** Names the database without its password. */
  readonly label: string;
  readonly tables: readonly PayloadTable[];
  /** The first rows after this one, in the order of the key. */
  read(table: PayloadTable, after: Cells | undefined): Promise<Cells[]>;
  /** Writes changes in one transaction. A row that has changed since it was read stays. @returns number of changed rows */
  write(table: PayloadTable, changes: readonly PayloadChange[]): Promise<number>;
  /** Removes earlier contents from the files, if the database keeps them. */
  clean(): Promise<void>;
  close(): Promise<void>;
}

export interface RotationProgress {
  table: string;
  /** Rows read, and rows changed, in this table. */
  rows: number;
  changed: number;
}

/** Number of values by the name of their key; `undefined` counts those that are stored as they are. */
export type PayloadCounts = ReadonlyMap<string | undefined, number>;

/** @returns number of changed rows. @throws SvcError `SVC_PAYLOAD_KEY` for a value whose key is missing, `SVC_STORE` */
export async function rotatePayloads(
  database: PayloadDatabase,
  cipher: PayloadCipher,
  onProgress: (progress: RotationProgress) => void,
): Promise<number> {
  const to = resealing(cipher);
  let total = 0;
  for (const table of database.tables) {
    const progress = { table: table.name, rows: 0, changed: 0 };
    for await (const rows of slices(database, table)) {
      const changes = rows.flatMap((row) => {
        const next = table.change(row, to);
        return Object.keys(next).length > 0 ? [{ row, next }] : [];
      });
      if (changes.length > 0) progress.changed += await database.write(table, changes);
      progress.rows += rows.length;
      onProgress({ ...progress });
    }
    total += progress.changed;
  }
  if (total > 0) await database.clean();
  return total;
}

export async function countPayloads(database: PayloadDatabase): Promise<PayloadCounts> {
  const counts = new Map<string | undefined, number>();
  const to = counting((keyId) => counts.set(keyId, (counts.get(keyId) ?? 0) + 1));
  for (const table of database.tables)
    for await (const rows of slices(database, table)) for (const row of rows) table.change(row, to);
  return counts;
}

async function* slices(database: PayloadDatabase, table: PayloadTable): AsyncGenerator<Cells[]> {
  for (let after: Cells | undefined, rows: Cells[]; ; after = rows.at(-1)) {
    rows = await database.read(table, after);
    if (rows.length > 0) yield rows;
    if (rows.length < table.batch) return;
  }
}
