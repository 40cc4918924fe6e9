/** A checksum of rows, independent of their order, and their number. */
import { createHash } from "node:crypto";
import type { Dump, DumpRow, DumpTable } from "../contract/dump.ts";
import { keyOf } from "../contract/dump.ts";

export interface Checksum {
  rows: number;
  /** Sum of the rows' SHA-256, hexadecimal. */
  sha256: string;
}

const MODULUS = 1n << 256n;

/** @param change converts a row before it counts. @param onRows called with the number so far. */
export async function checksumOf(
  dump: Dump,
  table: DumpTable,
  {
    change = (row) => row,
    onRows = () => undefined,
  }: { change?: (row: DumpRow) => DumpRow; onRows?: (rows: number) => void },
): Promise<Checksum> {
  let [rows, total] = [0, 0n];
  for await (const batch of batchesOf(dump, table)) {
    for (const row of batch) total = (total + hashOf(change(row))) % MODULUS;
    rows += batch.length;
    onRows(rows);
  }
  return { rows, sha256: total.toString(16).padStart(64, "0") };
}

/** All rows after a key. */
export async function* batchesOf(dump: Dump, table: DumpTable, from?: (string | number)[]): AsyncGenerator<DumpRow[]> {
  for (let after = from ? [...from] : undefined; ;) {
    const rows = await dump.read(table, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = [...keyOf(table, last)];
    yield rows;
  }
}

/** Encodes values unambiguously; bytes are represented by their hash. */
function hashOf(row: DumpRow): bigint {
  const values = row.map((value) => (value instanceof Uint8Array ? { bytes: sha256(value) } : value));
  return BigInt(`0x${sha256(JSON.stringify(values))}`);
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
