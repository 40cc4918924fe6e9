/** A statement that takes all its rows as one JSON array: the cost is in the number of statements, not of rows. */
import type { Columns } from "../columns.ts";

export function insertAllSql(table: string, columns: Columns): string {
  const names = Object.values(columns).map(([name]) => name);
  const values = names.map((_, at) => `value ->> ${at}`);
  return `INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM json_each(?) WHERE true`;
}
