/** Nodes in lists: inputs, results and states are not read (payloads.ts). */
import { NODE_HEAD_NAMES, toNodeHead } from "../../contract/columns.ts";
import type { NodeHead, NodeSlice } from "../../contract/graph-rows.ts";
import { REFERENCE_MARK } from "../../contract/object-references.ts";
import type { Database } from "../database.ts";
import { LONGEST_REFERENCE, REFERENCE } from "./payloads.ts";

/** Begins the JSON of a reference to an object, whose size follows. */
const OBJECT = `"${REFERENCE_MARK}`;

/** The header of a row contains the length of each column, so values are not read. Only possible references and `null` are. */
const RESULT_BYTES = `CASE
  WHEN octet_length(result) > ${LONGEST_REFERENCE} THEN octet_length(result)
  WHEN result = 'null' THEN NULL
  WHEN substr(result, 1, 1) = '${REFERENCE}' THEN (
    SELECT octet_length(data) FROM payload WHERE graph_id = node.graph_id AND payload.id = substr(result, 2))
  WHEN substr(result, 1, ${OBJECT.length}) = '${OBJECT}' THEN CAST(substr(result, ${OBJECT.length + 1}) AS INTEGER)
  ELSE octet_length(result) END`;

const READ = `SELECT ${NODE_HEAD_NAMES}, ${RESULT_BYTES} AS result_bytes FROM node WHERE graph_id = ? AND id > ? ORDER BY id LIMIT ?`;

export function nodeHeads(database: Database, graphId: string, slice: NodeSlice | undefined): NodeHead[] {
  const { after = "", limit = -1 } = slice ?? {};
  return database.sql(READ).all(graphId, after, limit).map(toNodeHead);
}
