/** A row as a database gives it. */
export type Value = string | number | null;
export type Row = Record<string, Value>;
