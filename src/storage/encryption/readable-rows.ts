/** Reads the rows whose payloads can be read. The others stay in the database, and must not keep later ones waiting. */

export interface ReadableRows<Row> {
  readable: Row[];
  /** Why the others can't be read. */
  errors: readonly Error[];
}

/**
 * The first readable rows, at most `limit`.
 * @param read reads the first rows
 * @param open separates those that can be read
 * @param report called if some can't
 */
export async function readableRows<Row>(
  limit: number,
  read: (limit: number) => Promise<Row[]>,
  open: (rows: readonly Row[]) => ReadableRows<Row> | Promise<ReadableRows<Row>>,
  report: (errors: readonly Error[]) => void,
): Promise<Row[]> {
  for (let most = limit; ; most *= 2) {
    const rows = await read(most);
    const { readable, errors } = await open(rows);
    if (rows.length === most && readable.length < limit) continue;
    if (errors.length > 0) report(errors);
    return readable.slice(0, limit);
  }
}
