/**
 * Tables in PostgreSQL as numbered migrations; `svc.meta` counts those that a schema has had. Released migrations are never edited.
 * Processes that boot at the same time take turns. Compared texts sort by bytes (`COLLATE "C"`), as in every store; structured values are
 * JSON text; times are milliseconds.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import { CLAIM_FUNCTION } from "./webhooks/claim-function.ts";
import { COMMIT_FUNCTION } from "./write/commit-function.ts";
import { inSchema, type ClientBase } from "./connection/driver.ts";

/** "svc" as a number, and 1 for this. */
const LOCK = "SELECT pg_advisory_xact_lock(7697251, 1)";

export const STEPS: readonly string[] = [
  `CREATE TABLE svc.graph (
     id text COLLATE "C" PRIMARY KEY, worker text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL, phase text COLLATE "C" NOT NULL,
     epoch int NOT NULL, pause_no int NOT NULL, seq int NOT NULL DEFAULT 0, priority int NOT NULL DEFAULT 0,
     lease int NOT NULL DEFAULT 0, holder text COLLATE "C",
     created_ms bigint NOT NULL, due_ms bigint NOT NULL, started_ms bigint, finished_ms bigint, timeout_ms bigint, deadline_ms bigint,
     idempotency_key text COLLATE "C", definition text NOT NULL, version text,
     parent_graph text COLLATE "C", parent_node text COLLATE "C", forked_from text COLLATE "C",
     tags text NOT NULL, error text, progress text, input text NOT NULL, result text
   ) WITH (fillfactor = 80);
   CREATE UNIQUE INDEX graph_key ON svc.graph (worker, idempotency_key) WHERE idempotency_key IS NOT NULL;
   CREATE INDEX graph_unfinished ON svc.graph (id) WHERE phase NOT IN ('done', 'failed');
   CREATE INDEX graph_status ON svc.graph (status, id);
   CREATE INDEX graph_worker ON svc.graph (worker, status, id);
   CREATE INDEX graph_parent ON svc.graph (parent_graph, id) WHERE parent_graph IS NOT NULL;
   CREATE INDEX graph_holder ON svc.graph (holder) WHERE holder IS NOT NULL;
   CREATE TABLE svc.graph_total (
     worker text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL, slot text COLLATE "C" NOT NULL, total bigint NOT NULL,
     PRIMARY KEY (worker, status, slot)
   ) WITH (fillfactor = 50);
   CREATE TABLE svc.graph_tag (
     tag text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL, graph_id text COLLATE "C" NOT NULL, PRIMARY KEY (tag, status, graph_id)
   );
   CREATE TABLE svc.node (
     graph_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, worker text COLLATE "C" NOT NULL, kind text NOT NULL,
     status text NOT NULL, attempt int NOT NULL, crashes int NOT NULL, epoch int NOT NULL, done_seq int,
     started_ms bigint, finished_ms bigint, due_ms bigint,
     after text NOT NULL, input text, result text, error text, state text, PRIMARY KEY (graph_id, id)
   ) WITH (fillfactor = 50);
   CREATE TABLE svc.past_node (
     graph_id text COLLATE "C" NOT NULL, epoch int NOT NULL, id text COLLATE "C" NOT NULL, data text NOT NULL, PRIMARY KEY (graph_id, epoch, id)
   );
   CREATE TABLE svc.event (
     graph_id text COLLATE "C" NOT NULL, first int NOT NULL, last int NOT NULL, data text NOT NULL, PRIMARY KEY (graph_id, last)
   );
   CREATE TABLE svc.signal (
     graph_id text COLLATE "C" NOT NULL, seq int NOT NULL, name text NOT NULL, payload text NOT NULL, key text COLLATE "C", actor text,
     created_ms bigint NOT NULL, node text, PRIMARY KEY (graph_id, seq)
   );
   CREATE UNIQUE INDEX signal_key ON svc.signal (graph_id, key) WHERE key IS NOT NULL;
   CREATE TABLE svc.artifact (
     graph_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, node text NOT NULL, type text NOT NULL, bytes bigint NOT NULL,
     sha256 text NOT NULL, created_ms bigint NOT NULL, PRIMARY KEY (graph_id, id)
   );
   CREATE TABLE svc.artifact_part (
     graph_id text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, at int NOT NULL, data bytea NOT NULL, PRIMARY KEY (graph_id, id, at)
   );
   ALTER TABLE svc.artifact_part ALTER COLUMN data SET STORAGE EXTERNAL;
   CREATE TABLE svc.registration (
     id text COLLATE "C" PRIMARY KEY, url text COLLATE "C" NOT NULL CONSTRAINT registration_url UNIQUE, created_ms bigint NOT NULL, data text NOT NULL
   );
   CREATE TABLE svc.registration_version (version bigint NOT NULL);
   INSERT INTO svc.registration_version VALUES (0);
   ANALYZE svc.registration_version;
   CREATE TABLE svc.delivery (
     id text COLLATE "C" PRIMARY KEY, registration_id text COLLATE "C" NOT NULL, graph_id text COLLATE "C" NOT NULL, event text COLLATE "C" NOT NULL,
     epoch int NOT NULL, pause_no int NOT NULL, attempts int NOT NULL, created_ms bigint NOT NULL, due_ms bigint NOT NULL,
     delivered_ms bigint, claimed_until timestamptz, claimed_by text COLLATE "C", status text COLLATE "C" NOT NULL, body text NOT NULL,
     UNIQUE (registration_id, graph_id, event, epoch, pause_no)
   ) WITH (fillfactor = 80);
   CREATE INDEX delivery_lane ON svc.delivery (registration_id, (attempts > 0), due_ms) WHERE status = 'pending';
   CREATE INDEX delivery_age ON svc.delivery (created_ms, id);
   CREATE INDEX delivery_registration ON svc.delivery (registration_id, created_ms, id);
   CREATE INDEX delivery_graph ON svc.delivery (graph_id, created_ms, id);
   CREATE INDEX delivery_status ON svc.delivery (status, created_ms, id);
   CREATE INDEX delivery_ping ON svc.delivery (created_ms) WHERE event = 'ping';
   CREATE TABLE svc.attempt (
     delivery_id text COLLATE "C" NOT NULL, number int NOT NULL, started_ms bigint NOT NULL, duration_ms double precision NOT NULL,
     status_code int, response text, error text, timings text, PRIMARY KEY (delivery_id, number)
   );
   CREATE TABLE svc.session (id text COLLATE "C" PRIMARY KEY, data text NOT NULL, expires_ms bigint NOT NULL);
   CREATE INDEX session_expiry ON svc.session (expires_ms);
   CREATE TABLE svc.answer (
     id text COLLATE "C" PRIMARY KEY, body_hash text NOT NULL, created_ms bigint NOT NULL, claim text NOT NULL, status int, body text
   );
   CREATE INDEX answer_age ON svc.answer (created_ms);
   CREATE TABLE svc.schedule (id text COLLATE "C" PRIMARY KEY, next_ms bigint, data text NOT NULL);
   CREATE TABLE svc.queue (worker text COLLATE "C" PRIMARY KEY, data text NOT NULL);
   CREATE TABLE svc.audit (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at_ms bigint NOT NULL, actor text COLLATE "C" NOT NULL, address text,
     operation text COLLATE "C" NOT NULL, target text COLLATE "C" NOT NULL, note text, data text
   );
   CREATE INDEX audit_target ON svc.audit (target, id);
   CREATE INDEX audit_age ON svc.audit (at_ms);
   CREATE TABLE svc.slot (id text COLLATE "C" PRIMARY KEY, ticket bigint NOT NULL, outcomes int[] NOT NULL, used_at timestamptz NOT NULL)
     WITH (fillfactor = 20);
   ${COMMIT_FUNCTION}`,
  `CREATE UNLOGGED TABLE svc.rate (key text COLLATE "C" PRIMARY KEY, consumed int NOT NULL, end_ms bigint NOT NULL) WITH (fillfactor = 50);
   ${CLAIM_FUNCTION}`,
  // One row during and after a migration.
  "CREATE TABLE svc.move (id int PRIMARY KEY, data text NOT NULL)",
  // Counts of a day, a row for each minute of each process.
  `CREATE TABLE svc.activity (
     at_ms bigint NOT NULL, process text COLLATE "C" NOT NULL, data text NOT NULL, PRIMARY KEY (at_ms, process)
   );`,
  "ALTER TABLE svc.attempt ADD COLUMN response_headers text",
  // Summary and origin of a run, which the writing function knows by now.
  `ALTER TABLE svc.graph ADD COLUMN summary text, ADD COLUMN origin text;
   ${COMMIT_FUNCTION}`,
  // Id of a file's parts, if it differs from the name; the parts' table has it in the column id. The function takes one more array, so
  // older processes keep theirs.
  `ALTER TABLE svc.artifact ADD COLUMN upload text COLLATE "C";
   ${COMMIT_FUNCTION}`,
  // Epoch in the idempotency keys of a node. Older processes never name the column.
  `ALTER TABLE svc.node ADD COLUMN key_epoch int;
   ${COMMIT_FUNCTION}`,
  // Cancelled runs were stored as failed. The totals change by differences, because older processes may write meanwhile.
  `WITH moved AS (
     UPDATE svc.graph SET status = 'cancelled' WHERE status = 'failed' AND error::json ->> 'reason' = 'cancelled' RETURNING id, worker
   ), tagged AS (
     UPDATE svc.graph_tag SET status = 'cancelled' FROM moved WHERE graph_tag.status = 'failed' AND graph_tag.graph_id = moved.id
   )
   INSERT INTO svc.graph_total (worker, status, slot, total)
   SELECT worker, status, 'migration', CASE status WHEN 'failed' THEN -count(*) ELSE count(*) END
   FROM moved, (VALUES ('failed'), ('cancelled')) AS of (status) GROUP BY worker, status`,
  // Events that were sent to the engine, and the steps that wait for one. Older processes never name the new column.
  `CREATE TABLE svc.sent_event (
     name text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, position bigint NOT NULL, is_pending int NOT NULL, data text NOT NULL,
     PRIMARY KEY (name, id)
   );
   CREATE INDEX sent_event_name ON svc.sent_event (name, position);
   CREATE INDEX sent_event_age ON svc.sent_event (position);
   CREATE INDEX sent_event_pending ON svc.sent_event (position) WHERE is_pending = 1;
   ALTER TABLE svc.node ADD COLUMN awaits text COLLATE "C";
   CREATE INDEX node_awaits ON svc.node (awaits, graph_id, id) WHERE awaits IS NOT NULL;
   ${COMMIT_FUNCTION}`,
  // Events that wait to start a run together or later, and the graphs that have decided about an event.
  `CREATE TABLE svc.start_group (
     graph text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, generation text COLLATE "C" NOT NULL, is_open int NOT NULL,
     due_ms bigint NOT NULL, data text NOT NULL, PRIMARY KEY (graph, key, generation)
   );
   CREATE UNIQUE INDEX start_group_open ON svc.start_group (graph, key) WHERE is_open = 1;
   CREATE INDEX start_group_due ON svc.start_group (due_ms);
   CREATE INDEX start_group_closed ON svc.start_group (due_ms) WHERE is_open = 0;
   ALTER TABLE svc.sent_event ADD COLUMN decided text`,
  // The key under which a run counts for the limit of its graph, and its place among those that wait for the key. Older processes never
  // name the columns.
  `ALTER TABLE svc.graph ADD COLUMN concurrency_key text COLLATE "C", ADD COLUMN queue_position bigint, ADD COLUMN admitted_ms bigint,
     ADD COLUMN expires_ms bigint;
   CREATE INDEX graph_waiting ON svc.graph (worker, concurrency_key, queue_position, id) WHERE status = 'queued' AND admitted_ms IS NULL;
   CREATE INDEX graph_admitted ON svc.graph (worker, concurrency_key, admitted_ms, id)
     WHERE admitted_ms IS NOT NULL AND phase NOT IN ('done', 'failed');
   CREATE INDEX graph_expiry ON svc.graph (expires_ms) WHERE expires_ms IS NOT NULL AND status = 'queued' AND admitted_ms IS NULL;
   ${COMMIT_FUNCTION}`,
  // The key by which runs share the limit of their graph fairly, and the virtual time at which a run was admitted. Older processes never
  // name the columns.
  `ALTER TABLE svc.graph ADD COLUMN fairness_key text COLLATE "C", ADD COLUMN fairness_cost float8, ADD COLUMN fair_tag float8;
   CREATE INDEX graph_fair_waiting ON svc.graph (worker, concurrency_key, fairness_key, queue_position, id)
     WHERE status = 'queued' AND admitted_ms IS NULL;
   CREATE INDEX graph_fair_key ON svc.graph (worker, concurrency_key, fairness_key, fair_tag) WHERE fair_tag IS NOT NULL;
   CREATE INDEX graph_fair_tag ON svc.graph (worker, concurrency_key, fair_tag) WHERE fair_tag IS NOT NULL;
   ${COMMIT_FUNCTION}`,
  // Attributes of runs, and one row for each with its run's status: its value is a text that sorts like the value. The writing function
  // moves the rows with the status, also for older processes, which never name the column.
  `ALTER TABLE svc.graph ADD COLUMN attributes text;
   CREATE TABLE svc.graph_attribute (
     name text COLLATE "C" NOT NULL, status text COLLATE "C" NOT NULL, graph_id text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
     PRIMARY KEY (name, status, graph_id)
   );
   CREATE INDEX graph_attribute_value ON svc.graph_attribute (name, status, value, graph_id);
   ${COMMIT_FUNCTION}`,
  // The masks of changed columns have 53 bits and no longer 31. Those of older processes fit.
  COMMIT_FUNCTION,
  // Attributes that keep their value keep their row in the index.
  COMMIT_FUNCTION,
  // A number in place of the server's, if the user may not read that one. Dumps contain it, `svc migrate` does not copy it.
  `CREATE TABLE svc.server_id (one int PRIMARY KEY CHECK (one = 1), id text NOT NULL)`,
];

/** @throws SvcError `SVC_STORE` if a newer svc has used the schema. */
export async function migrate(client: ClientBase, schema: string): Promise<void> {
  const sql = (text: string) => client.query<{ version: number }>(inSchema(text, schema));
  // One transaction for all: its lock is a transaction's, which poolers that share sessions keep as well.
  await client.query("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0");
  await client.query(LOCK);
  const known = await client.query<{ meta: string | null }>("SELECT to_regclass($1) AS meta", [`${schema}.meta`]);
  // Checked first: a user of the schema may lack the right to create one.
  if (known.rows[0]?.meta === null) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await sql("CREATE TABLE svc.meta (version int NOT NULL)");
  }
  const version = Number((await sql("SELECT version FROM svc.meta")).rows[0]?.version ?? 0);
  if (version > STEPS.length)
    throw new SvcError(
      "SVC_STORE",
      `The schema ${schema} has version ${version}; this svc knows up to ${STEPS.length}. Use a newer svc.`,
    );
  for (const step of STEPS.slice(version)) await sql(step);
  if (version < STEPS.length) await sql(`DELETE FROM svc.meta; INSERT INTO svc.meta VALUES (${STEPS.length})`);
  await client.query("COMMIT");
}
