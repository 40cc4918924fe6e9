/**
 * The function that writes a group of transitions: one call, one transaction, one wait for the disk. Its arguments are arrays of JSON
 * records (group-document.ts); each table is written by one statement. Runs are ordered by id, so that two groups never deadlock, and
 * each run's row is locked before anything is checked.
 * `heads` contain the conditions of each run; `at` is the position of a head, from 1, and records of a failed head are skipped.
 * Each writer has a slot: its ticket changes with each group, so that a group is written once however often it is sent, and its outcome
 * can be queried after a connection broke during the commit.
 */
import { UPLOAD_MARK } from "../../contract/artifacts.ts";
import {
  ARTIFACT_COLUMNS,
  AUDIT_COLUMNS,
  DELIVERY_COLUMNS,
  GRAPH_COLUMNS,
  NODE_COLUMNS,
  SIGNAL_COLUMNS,
  type Columns,
} from "../../contract/columns.ts";
import { assignments, bitAt, maskable } from "./change-mask.ts";

/**
 * Arrays of records, each an argument of its own: PostgreSQL parses a JSON text from its start at each access, and one text for a group
 * was parsed thirty times.
 */
export const ARRAYS = [
  "heads",
  "fences",
  "inserts",
  "deletes",
  "node_inserts",
  "nodes",
  "events",
  "graphs",
  "past_nodes",
  "audit",
  "artifacts",
  "signals",
  "taken",
  "outbox",
  "jobs",
  "loose",
] as const;

/** Types of columns other than text. */
const INT = "int";
const WIDE = "bigint";
const TYPES: Readonly<Record<string, string>> = {
  epoch: INT,
  pause_no: INT,
  priority: INT,
  attempt: INT,
  attempts: INT,
  crashes: INT,
  done_seq: INT,
  key_epoch: INT,
  seq: INT,
  lease: INT,
  bytes: WIDE,
  queue_position: WIDE,
  fairness_cost: "float8",
};

function typeOf(column: string): string {
  return TYPES[column] ?? (column.endsWith("_ms") ? WIDE : "text");
}

function namesOf(columns: Columns): string[] {
  return Object.values(columns).map(([name]) => name);
}

/** `<alias>(at int, …)`: reads the records of an array. */
function record(alias: string, names: readonly string[], ...more: readonly string[]): string {
  return `${alias}(${["at int", ...more, ...names.map((name) => `${name} ${typeOf(name)}`)].join(", ")})`;
}

function from(key: string, alias: string, names: readonly string[], ...more: readonly string[]): string {
  return `json_to_recordset(p_${key}) AS ${record(alias, names, ...more)}`;
}

/** A statement that is skipped if there is nothing for it. */
function where(key: string, ...statements: string[]): string {
  return `IF p_${key} IS NOT NULL THEN ${statements.join("; ")}; END IF;`;
}

function insert(table: string, key: string, names: readonly string[], end = ""): string {
  const list = names.join(", ");
  const values = names.map((name) => `r.${name}`).join(", ");
  return where(
    key,
    `INSERT INTO svc.${table} (${list}) SELECT ${values} FROM ${from(key, "r", names)} WHERE seqs[r.at] >= 0 ${end}`,
  );
}

/** Columns of a run that never change after its start. */
const FIXED: readonly string[] = ["id", "fairness_key", "fairness_cost"];
/** Columns that a change may contain, in the order of the bits of its mask. */
export const GRAPH_CHANGES: readonly string[] = maskable(
  namesOf(GRAPH_COLUMNS).filter((name) => !FIXED.includes(name)),
);
export const NODE_CHANGES: readonly string[] = maskable(
  namesOf(NODE_COLUMNS).filter((name) => name !== "id" && name !== "graph_id"),
);

const STATUS_BIT = bitAt(GRAPH_CHANGES.indexOf("status"));
const GRAPH_INSERT = [...namesOf(GRAPH_COLUMNS), "seq", "holder", "lease"];
const AUDIT_INSERT = namesOf(AUDIT_COLUMNS).filter((name) => name !== "id");

/** Runs whose status changes with this group; LOOK has returned their old status. */
const MOVED = `${from("graphs", "r", ["id", "status"], "mask bigint")}`;
const HAS_MOVED = `seqs[r.at] >= 0 AND r.mask & ${STATUS_BIT} <> 0 AND r.status <> statuses[r.at]`;

const COUNT = `
  INSERT INTO svc.graph_total (worker, status, slot, total)
  SELECT worker, status, p_slot, sum(step) FROM (
    SELECT r.worker, r.status, 1 AS step FROM ${from("inserts", "r", ["worker", "status"])} WHERE seqs[r.at] >= 0
    UNION ALL SELECT workers[r.at], of.status, of.step
      FROM ${MOVED}, LATERAL (VALUES (r.status, 1), (statuses[r.at], -1)) AS of(status, step) WHERE ${HAS_MOVED}
  ) AS steps GROUP BY worker, status HAVING sum(step) <> 0
  ON CONFLICT (worker, status, slot) DO UPDATE SET total = graph_total.total + excluded.total`;

const TAG_MOVED = `
  UPDATE svc.graph_tag AS tagged SET status = r.status
  FROM ${MOVED}, json_array_elements_text(tags[r.at]::json) AS tag
  WHERE ${HAS_MOVED} AND tagged.tag = tag.value AND tagged.status = statuses[r.at] AND tagged.graph_id = r.id`;

const TAG_INSERTS = `
  INSERT INTO svc.graph_tag (tag, status, graph_id)
  SELECT tag.value, r.status, r.id FROM ${from("inserts", "r", ["id", "status", "tags"])}, json_array_elements_text(r.tags::json) AS tag
  WHERE seqs[r.at] >= 0 AND r.tags <> '[]' ON CONFLICT DO NOTHING`;

const ATTRIBUTES_MOVED = `
  UPDATE svc.graph_attribute AS a SET status = r.status
  FROM ${MOVED}, json_object_keys(known_attributes[r.at]::json) AS own(name)
  WHERE ${HAS_MOVED} AND a.name = own.name AND a.status = statuses[r.at] AND a.graph_id = r.id`;

/** Attributes that were set, after the runs have their new status. */
const HEADS_WITH_KEYS = `${from("heads", "h", ["id"], "keys json")} JOIN svc.graph g ON g.id = h.id`;
const SETS_ATTRIBUTES = "h.keys IS NOT NULL AND seqs[h.at] >= 0";
const ATTRIBUTES_SET = [
  // Those that keep their value keep their row.
  `DELETE FROM svc.graph_attribute AS a USING ${HEADS_WITH_KEYS}, json_object_keys(known_attributes[h.at]::json) AS own(name)
   WHERE ${SETS_ATTRIBUTES} AND a.name = own.name AND a.status = g.status AND a.graph_id = h.id
     AND a.value IS DISTINCT FROM h.keys ->> own.name`,
  `INSERT INTO svc.graph_attribute (name, status, graph_id, value)
   SELECT own.key, g.status, h.id, own.value FROM ${HEADS_WITH_KEYS}, json_each_text(h.keys) AS own WHERE ${SETS_ATTRIBUTES}
   ON CONFLICT (name, status, graph_id) DO UPDATE SET value = excluded.value WHERE graph_attribute.value <> excluded.value`,
].join("; ");

/** SQLSTATEs of refused groups: written already; based on outdated registrations. */
export const WRITTEN_ALREADY = "SV001";
export const OTHER_REGISTRATIONS = "SV002";

/** If the group has outbox rows, they must belong to the current registrations. */
const KNOWN_REGISTRATIONS = `
  IF p_registrations IS NOT NULL AND p_registrations <> (SELECT version FROM svc.registration_version) THEN
    RAISE EXCEPTION 'Registrations have changed' USING ERRCODE = '${OTHER_REGISTRATIONS}';
  END IF;`;

/** A statement of its own: the next one sees what was committed while this one waited. */
const LOCK = "PERFORM FROM svc.graph WHERE id = ANY (p_ids) ORDER BY id FOR UPDATE";

/** Number of the last event of each run, or -1 if its conditions fail; and the old status. */
const LOOK = `
  SELECT array_agg(CASE
      WHEN h.is_new THEN 0
      WHEN g.id IS NULL OR g.epoch <> h.epoch OR NOT g.phase = ANY (h.phases) OR g.seq <> h.seq OR g.lease <> h.lease THEN -1
      ELSE g.seq END ORDER BY h.at),
    array_agg(g.worker ORDER BY h.at), array_agg(g.status ORDER BY h.at), array_agg(g.tags ORDER BY h.at), bool_or(g.tags <> '[]'),
    array_agg(g.attributes ORDER BY h.at), bool_or(g.attributes IS NOT NULL), bool_or(h.keys IS NOT NULL)
  INTO seqs, workers, statuses, tags, has_tags, known_attributes, has_attributes, sets_attributes
  FROM ${from("heads", "h", ["id", "epoch", "seq", "lease"], "is_new boolean", "phases text[]", "keys json")} LEFT JOIN svc.graph g ON g.id = h.id`;

/** For heads with a condition on a node: after the lock, so that the node is in its last committed state. */
const NODE_FENCES = `
  FOR fence IN SELECT * FROM ${from("fences", "r", ["graph_id", "id", "attempt"], "statuses text[]")} LOOP
    IF NOT EXISTS (SELECT 1 FROM svc.node n WHERE n.graph_id = fence.graph_id AND n.id = fence.id
      AND n.attempt = fence.attempt AND n.status = ANY (fence.statuses))
    THEN seqs[fence.at] := -1; END IF;
  END LOOP`;

/** Jobs by which processes find a run: only with graphile-worker. */
const ADD_JOBS = `
  PERFORM graphile_worker.add_jobs(array(
    SELECT json_populate_record(NULL::graphile_worker.job_spec, r.spec) FROM ${from("jobs", "r", [], "spec json")} WHERE seqs[r.at] >= 0))`;

/** Parts of other uploads of written files. Ids of an upload begin with the name and the separator. */
const DROP_OTHERS = `
  DELETE FROM svc.artifact_part AS p USING ${from("artifacts", "r", ["graph_id", "id", "upload"])}
  WHERE seqs[r.at] >= 0 AND p.graph_id = r.graph_id AND p.id <> coalesce(r.upload, r.id)
    AND (p.id = r.id OR starts_with(p.id, r.id || '${UPLOAD_MARK}'))`;

/** Parts that belong to no file. */
const DROP_LOOSE = `
  DELETE FROM svc.artifact_part AS p USING ${from("loose", "r", ["graph_id"])}
  WHERE seqs[r.at] >= 0 AND p.graph_id = r.graph_id AND NOT EXISTS (
    SELECT 1 FROM svc.artifact AS a WHERE a.graph_id = p.graph_id AND coalesce(a.upload, a.id) = p.id)`;

export const COMMIT_FUNCTION = `
CREATE OR REPLACE FUNCTION svc.commit_units(
  p_slot text, p_ticket bigint, p_next bigint, p_registrations bigint, p_is_moving boolean, p_ids text[], ${ARRAYS.map((key) => `p_${key} json`).join(", ")}
) RETURNS int[] LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $function$
#variable_conflict use_column
DECLARE
  seqs int[];
  workers text[];
  statuses text[];
  tags text[];
  has_tags boolean;
  known_attributes text[];
  has_attributes boolean;
  sets_attributes boolean;
  fence record;
BEGIN
  ${KNOWN_REGISTRATIONS}
  ${LOCK};
  ${LOOK};
  ${where("fences", NODE_FENCES)}
  ${insert("graph", "inserts", GRAPH_INSERT)}
  ${where("deletes", `DELETE FROM svc.node n USING ${from("deletes", "r", ["graph_id", "id"])} WHERE seqs[r.at] >= 0 AND n.graph_id = r.graph_id AND n.id = r.id`)}
  ${insert("node", "node_inserts", namesOf(NODE_COLUMNS))}
  ${where(
    "nodes",
    `UPDATE svc.node AS t SET ${assignments(NODE_CHANGES)} FROM ${from("nodes", "r", ["graph_id", "id", ...NODE_CHANGES], "mask bigint")}
     WHERE seqs[r.at] >= 0 AND t.graph_id = r.graph_id AND t.id = r.id`,
  )}
  ${where(
    "events",
    `INSERT INTO svc.event (graph_id, first, last, data)
     SELECT r.graph_id, seqs[r.at] + r.before + 1, seqs[r.at] + r.before + r.count, r.data
     FROM ${from("events", "r", ["graph_id", "data"], "before int", "count int")} WHERE seqs[r.at] >= 0`,
  )}
  IF p_is_moving THEN
    ${COUNT};
    IF has_tags THEN ${TAG_MOVED}; END IF;
    IF has_attributes THEN ${ATTRIBUTES_MOVED}; END IF;
    ${where("inserts", TAG_INSERTS)}
  END IF;
  ${where(
    "graphs",
    `UPDATE svc.graph AS t SET seq = seqs[r.at] + r.n, holder = CASE WHEN r.phase IN ('done', 'failed') THEN NULL ELSE t.holder END, ${assignments(GRAPH_CHANGES)}
     FROM ${from("graphs", "r", ["id", ...GRAPH_CHANGES], "mask bigint", "n int")} WHERE seqs[r.at] >= 0 AND t.id = r.id`,
  )}
  IF sets_attributes THEN ${ATTRIBUTES_SET}; END IF;
  ${insert("past_node", "past_nodes", ["graph_id", "epoch", "id", "data"])}
  ${insert("audit", "audit", AUDIT_INSERT)}
  ${insert(
    "artifact",
    "artifacts",
    namesOf(ARTIFACT_COLUMNS),
    "ON CONFLICT (graph_id, id) DO UPDATE SET node = excluded.node, type = excluded.type, bytes = excluded.bytes, sha256 = excluded.sha256, created_ms = excluded.created_ms, upload = excluded.upload",
  )}
  ${where("artifacts", DROP_OTHERS)}
  ${where("loose", DROP_LOOSE)}
  ${insert("signal", "signals", namesOf(SIGNAL_COLUMNS))}
  ${where(
    "taken",
    `UPDATE svc.signal AS t SET node = r.node FROM ${from("taken", "r", ["graph_id", "seq", "node"])}
     WHERE seqs[r.at] >= 0 AND t.graph_id = r.graph_id AND t.seq = r.seq`,
  )}
  ${insert("delivery", "outbox", namesOf(DELIVERY_COLUMNS), "ON CONFLICT DO NOTHING")}
  ${where("jobs", ADD_JOBS)}
  UPDATE svc.slot SET ticket = p_next, outcomes = seqs, used_at = clock_timestamp()
  WHERE id = p_slot AND ticket = p_ticket;
  IF NOT FOUND THEN RAISE EXCEPTION 'This group was written already' USING ERRCODE = '${WRITTEN_ALREADY}'; END IF;
  RETURN seqs;
END $function$`;
