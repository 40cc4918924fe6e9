/**
 * The index of attributes: one row for each attribute of a run, with the run's status. Written in the transaction that changes the
 * attributes or the status.
 */
import type { RunStatus } from "../../../platform/shared/wire.ts";
import { attributeKeys, type Attributes } from "../../contract/attributes.ts";
import type { Database } from "../database.ts";

/** The attributes of a run, and as the index has them. */
export interface Indexed {
  id: string;
  status: RunStatus;
  attributes: Attributes | undefined;
  /** Status in the index; undefined for a new run. */
  stored: RunStatus | undefined;
  indexed: Attributes | undefined;
}

const REMOVE = `
  DELETE FROM graph_attribute WHERE (name, status, graph_id) IN
  (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`;

const ADD = `
  INSERT INTO graph_attribute (name, status, graph_id, value)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;

/** Within a transaction. Marks the attributes as indexed; the caller marks the statuses. */
export function indexAttributes(database: Database, moved: readonly Indexed[]): void {
  const removed: string[][] = [];
  const added: string[][] = [];
  for (const run of moved) {
    const { id, status, stored, attributes, indexed } = run;
    if (status === stored && attributes === indexed) continue;
    const before = stored === undefined ? [] : rowsOf(id, stored, indexed);
    const now = rowsOf(id, status, attributes);
    removed.push(...rowsWithout(before, now));
    added.push(...rowsWithout(now, before));
    run.indexed = attributes;
  }
  if (removed.length > 0) database.sql(REMOVE).run(JSON.stringify(removed));
  if (added.length > 0) database.sql(ADD).run(JSON.stringify(added));
}

/** Within a transaction: deleted runs. */
export function unindexAttributes(
  database: Database,
  gone: readonly Pick<Indexed, "id" | "status" | "attributes">[],
): void {
  const rows = gone.flatMap(({ id, status, attributes }) => rowsOf(id, status, attributes));
  if (rows.length > 0) database.sql(REMOVE).run(JSON.stringify(rows));
}

/** Most attributes stay as they are when another one is set. */
function rowsWithout(rows: readonly string[][], others: readonly string[][]): string[][] {
  const known = new Set(others.map((row) => JSON.stringify(row)));
  return known.size === 0 ? [...rows] : rows.filter((row) => !known.has(JSON.stringify(row)));
}

function rowsOf(id: string, status: RunStatus, attributes: Attributes | undefined): string[][] {
  return Object.entries(attributeKeys(attributes)).map(([name, key]) => [name, status, id, key]);
}
