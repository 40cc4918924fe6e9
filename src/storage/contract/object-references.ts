/** References to objects in a bucket, as the SQL of both databases sees them: src/storage/bucket/value-references.ts writes them. */

/** Begins a reference. The size of the value in bytes and a colon follow. */
export const REFERENCE_MARK = "svc:val:1:";
/** References in JSON of any form. */
const REFERENCES = /svc:val:1:\d+:[^:"\\]*:([^"\\]+)/g;

/** Columns that may contain a reference: table, column with the id of the run, and column. Those of events differ between the databases. */
export const VALUE_COLUMNS = [
  ["graph", "id", "input"],
  ["graph", "id", "result"],
  ["node", "graph_id", "input"],
  ["node", "graph_id", "result"],
  ["node", "graph_id", "state"],
  ["past_node", "graph_id", "data"],
  ["signal", "graph_id", "payload"],
] as const;

/** Names of all objects to which a text may refer. */
export function objectsIn(text: string): string[] {
  return [...text.matchAll(REFERENCES)].map(([, name = ""]) => name);
}
