/** A row of a database. */
export type Value = string | number | null;
export type Row = Record<string, Value>;
