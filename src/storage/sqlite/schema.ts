/** Tables as numbered migrations; `user_version` counts those that a file has had. Migrations are never edited, only added. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Driver } from "./file/driver.ts";

/** Exported for a test of older files. */
export const STEPS: readonly string[] = [
  `CREATE TABLE graph (
     id TEXT PRIMARY KEY, worker TEXT NOT NULL, status TEXT NOT NULL, phase TEXT NOT NULL,
     epoch INTEGER NOT NULL, pause_no INTEGER NOT NULL, seq INTEGER NOT NULL DEFAULT 0,
     input TEXT NOT NULL, result TEXT, error TEXT, progress TEXT, tags TEXT NOT NULL,
     idempotency_key TEXT, definition TEXT NOT NULL,
     created_ms INTEGER NOT NULL, due_ms INTEGER NOT NULL, started_ms INTEGER, finished_ms INTEGER
   ) WITHOUT ROWID;
   CREATE UNIQUE INDEX graph_key ON graph (worker, idempotency_key) WHERE idempotency_key IS NOT NULL;
   CREATE INDEX graph_unfinished ON graph (id) WHERE phase NOT IN ('done', 'failed');
   CREATE INDEX graph_status ON graph (status, id);
   CREATE INDEX graph_worker ON graph (worker, id);
   CREATE TABLE node (
     graph_id TEXT NOT NULL, id TEXT NOT NULL, worker TEXT NOT NULL, status TEXT NOT NULL,
     attempt INTEGER NOT NULL, crashes INTEGER NOT NULL, epoch INTEGER NOT NULL, after TEXT NOT NULL,
     input TEXT, result TEXT, error TEXT, started_ms INTEGER, finished_ms INTEGER, due_ms INTEGER,
     PRIMARY KEY (graph_id, id)
   ) WITHOUT ROWID;
   CREATE TABLE event (
     graph_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL, node TEXT, timestamp_ms INTEGER NOT NULL, data TEXT,
     PRIMARY KEY (graph_id, seq)
   ) WITHOUT ROWID;
   CREATE TABLE registration (id TEXT PRIMARY KEY, url TEXT NOT NULL UNIQUE, created_ms INTEGER NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE delivery (
     id TEXT PRIMARY KEY, registration_id TEXT NOT NULL, graph_id TEXT NOT NULL, event TEXT NOT NULL,
     epoch INTEGER NOT NULL, pause_no INTEGER NOT NULL, body TEXT NOT NULL, created_ms INTEGER NOT NULL,
     due_ms INTEGER NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL, delivered_ms INTEGER,
     UNIQUE (registration_id, graph_id, event, epoch, pause_no)
   ) WITHOUT ROWID;
   CREATE INDEX delivery_due ON delivery (due_ms) WHERE status = 'pending';
   CREATE INDEX delivery_age ON delivery (created_ms, id);
   CREATE INDEX delivery_registration ON delivery (registration_id, created_ms, id);
   CREATE TABLE attempt (
     delivery_id TEXT NOT NULL, number INTEGER NOT NULL, started_ms INTEGER NOT NULL, duration_ms INTEGER NOT NULL,
     status_code INTEGER, response TEXT, error TEXT, PRIMARY KEY (delivery_id, number)
   ) WITHOUT ROWID;`,
  `CREATE TABLE session (id TEXT PRIMARY KEY, data TEXT NOT NULL, expires_ms INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX session_expiry ON session (expires_ms);`,
  `CREATE TABLE answer (
     id TEXT PRIMARY KEY, body_hash TEXT NOT NULL, created_ms INTEGER NOT NULL, status INTEGER, body TEXT
   ) WITHOUT ROWID;
   CREATE INDEX answer_age ON answer (created_ms);`,
  `ALTER TABLE graph ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE graph ADD COLUMN parent_graph TEXT;
   ALTER TABLE graph ADD COLUMN parent_node TEXT;
   ALTER TABLE graph ADD COLUMN forked_from TEXT;
   ALTER TABLE graph ADD COLUMN version TEXT;
   ALTER TABLE graph ADD COLUMN timeout_ms INTEGER;
   ALTER TABLE graph ADD COLUMN deadline_ms INTEGER;
   DROP INDEX graph_worker;
   CREATE INDEX graph_worker ON graph (worker, status, id);
   CREATE TABLE graph_total (
     worker TEXT NOT NULL, status TEXT NOT NULL, total INTEGER NOT NULL, PRIMARY KEY (worker, status)
   ) WITHOUT ROWID;
   INSERT INTO graph_total SELECT worker, status, count(*) FROM graph GROUP BY worker, status;
   CREATE TABLE graph_tag (
     tag TEXT NOT NULL, status TEXT NOT NULL, graph_id TEXT NOT NULL, PRIMARY KEY (tag, status, graph_id)
   ) WITHOUT ROWID;
   INSERT OR IGNORE INTO graph_tag SELECT tag.value, status, graph.id FROM graph, json_each(graph.tags) AS tag;
   CREATE INDEX delivery_graph ON delivery (graph_id, created_ms, id);
   CREATE INDEX graph_parent ON graph (parent_graph, id) WHERE parent_graph IS NOT NULL;
   ALTER TABLE node ADD COLUMN kind TEXT NOT NULL DEFAULT 'node';
   ALTER TABLE node ADD COLUMN state TEXT;
   ALTER TABLE node ADD COLUMN done_seq INTEGER;
   CREATE TABLE signal (
     graph_id TEXT NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, payload TEXT NOT NULL, key TEXT, actor TEXT,
     created_ms INTEGER NOT NULL, node TEXT, PRIMARY KEY (graph_id, seq)
   ) WITHOUT ROWID;
   CREATE UNIQUE INDEX signal_key ON signal (graph_id, key) WHERE key IS NOT NULL;
   CREATE TABLE schedule (
     id TEXT PRIMARY KEY, worker TEXT NOT NULL, is_enabled INTEGER NOT NULL, next_ms INTEGER, data TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE INDEX schedule_due ON schedule (next_ms) WHERE is_enabled = 1;
   CREATE TABLE queue (worker TEXT PRIMARY KEY, is_paused INTEGER NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, actor TEXT NOT NULL, address TEXT, operation TEXT NOT NULL,
     target TEXT NOT NULL, note TEXT, data TEXT
   );
   CREATE INDEX audit_target ON audit (target, id);
   CREATE INDEX audit_age ON audit (at_ms);
   CREATE TABLE past_node (
     graph_id TEXT NOT NULL, epoch INTEGER NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (graph_id, epoch, id)
   ) WITHOUT ROWID;
   CREATE TABLE payload (graph_id TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (graph_id, id)) WITHOUT ROWID;
   CREATE TABLE artifact (
     graph_id TEXT NOT NULL, id TEXT NOT NULL, node TEXT NOT NULL, type TEXT NOT NULL, bytes INTEGER NOT NULL,
     sha256 TEXT NOT NULL, created_ms INTEGER NOT NULL, PRIMARY KEY (graph_id, id)
   ) WITHOUT ROWID;
   CREATE TABLE artifact_part (graph_id TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (graph_id, id, at));`,
  // First attempts and retries of each registration, each in order of time: read without a scan.
  `DROP INDEX delivery_due;
   CREATE INDEX delivery_lane ON delivery (registration_id, attempts > 0, due_ms) WHERE status = 'pending';
   ALTER TABLE attempt ADD COLUMN timings TEXT;`,
  // Rare rows among many.
  `CREATE INDEX delivery_failed ON delivery (created_ms, id) WHERE status = 'failed';
   CREATE INDEX delivery_ping ON delivery (created_ms, id) WHERE event = 'ping';`,
  // One row during and after a migration.
  "CREATE TABLE move (id INTEGER PRIMARY KEY, data TEXT NOT NULL);",
  // Counts of a day, a row for each minute of each process.
  `CREATE TABLE activity (
     at_ms INTEGER NOT NULL, process TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (at_ms, process)
   ) WITHOUT ROWID;`,
  // Events that were written together are one row (event-runs.ts), and the run's row lacks the number of the last.
  `CREATE TABLE event_run (
     graph_id TEXT NOT NULL, last_seq INTEGER NOT NULL, events TEXT NOT NULL, PRIMARY KEY (graph_id, last_seq)
   ) WITHOUT ROWID;
   INSERT INTO event_run SELECT graph_id, seq, json_array(CASE WHEN data IS NULL
     THEN json_array(type, timestamp_ms, node) ELSE json_array(type, timestamp_ms, node, data) END) FROM event;
   DROP TABLE event;
   ALTER TABLE graph DROP COLUMN seq;`,
  // Durations are computed from these two without reading rows. Times of a run change with its status.
  `DROP INDEX graph_status;
   DROP INDEX graph_worker;
   CREATE INDEX graph_status ON graph (status, id, started_ms, finished_ms);
   CREATE INDEX graph_worker ON graph (worker, status, id, started_ms, finished_ms);`,
  // Begins with the run in the index that makes an event's delivery unique, so that it also finds deliveries of a run; ids of runs begin
  // with the time, so new ones are at its end. The body is last, after all columns that are read without it.
  `CREATE TABLE delivery_by_graph (
     id TEXT PRIMARY KEY, registration_id TEXT NOT NULL, graph_id TEXT NOT NULL, event TEXT NOT NULL,
     epoch INTEGER NOT NULL, pause_no INTEGER NOT NULL, created_ms INTEGER NOT NULL, due_ms INTEGER NOT NULL,
     status TEXT NOT NULL, attempts INTEGER NOT NULL, delivered_ms INTEGER, body TEXT NOT NULL,
     UNIQUE (graph_id, registration_id, event, epoch, pause_no)
   ) WITHOUT ROWID;
   INSERT INTO delivery_by_graph SELECT id, registration_id, graph_id, event, epoch, pause_no, created_ms, due_ms, status,
     attempts, delivered_ms, body FROM delivery ORDER BY id;
   DROP TABLE delivery;
   ALTER TABLE delivery_by_graph RENAME TO delivery;
   CREATE INDEX delivery_age ON delivery (created_ms, id);
   CREATE INDEX delivery_registration ON delivery (registration_id, created_ms, id);
   CREATE INDEX delivery_lane ON delivery (registration_id, attempts > 0, due_ms) WHERE status = 'pending';
   CREATE INDEX delivery_failed ON delivery (created_ms, id) WHERE status = 'failed';
   CREATE INDEX delivery_ping ON delivery (created_ms, id) WHERE event = 'ping';`,
  "ALTER TABLE attempt ADD COLUMN response_headers TEXT;",
  // Summary and origin of a run.
  "ALTER TABLE graph ADD COLUMN summary TEXT; ALTER TABLE graph ADD COLUMN origin TEXT;",
  // Id of a file's parts, if it differs from the name; the parts' table has it in the column `id`.
  "ALTER TABLE artifact ADD COLUMN upload TEXT;",
  // One row: how often the file was opened (file-owner.ts).
  "CREATE TABLE owner (id INTEGER PRIMARY KEY, tenure INTEGER NOT NULL);",
  // Epoch in the idempotency keys of a node, if it is not the epoch of its row.
  "ALTER TABLE node ADD COLUMN key_epoch INTEGER;",
  // Cancelled runs were stored as failed.
  `UPDATE graph SET status = 'cancelled' WHERE status = 'failed' AND error ->> 'reason' = 'cancelled';
   DELETE FROM graph_total;
   INSERT INTO graph_total SELECT worker, status, count(*) FROM graph GROUP BY worker, status;
   UPDATE graph_tag SET status = 'cancelled'
     WHERE status = 'failed' AND graph_id IN (SELECT id FROM graph WHERE status = 'cancelled');`,
  // Events that were sent to the engine, and the steps that wait for one.
  `CREATE TABLE sent_event (
     name TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, is_pending INTEGER NOT NULL, data TEXT NOT NULL,
     PRIMARY KEY (name, id)
   );
   CREATE INDEX sent_event_name ON sent_event (name, position);
   CREATE INDEX sent_event_age ON sent_event (position);
   CREATE INDEX sent_event_pending ON sent_event (position) WHERE is_pending = 1;
   ALTER TABLE node ADD COLUMN awaits TEXT;
   CREATE INDEX node_awaits ON node (awaits, graph_id, id) WHERE awaits IS NOT NULL;`,
  // Events that wait to start a run together or later, and the graphs that have decided about an event.
  `CREATE TABLE start_group (
     graph TEXT NOT NULL, key TEXT NOT NULL, generation TEXT NOT NULL, is_open INTEGER NOT NULL, due_ms INTEGER NOT NULL,
     data TEXT NOT NULL, PRIMARY KEY (graph, key, generation)
   );
   CREATE UNIQUE INDEX start_group_open ON start_group (graph, key) WHERE is_open = 1;
   CREATE INDEX start_group_due ON start_group (due_ms);
   CREATE INDEX start_group_closed ON start_group (due_ms) WHERE is_open = 0;
   ALTER TABLE sent_event ADD COLUMN decided TEXT;`,
  // The key under which a run counts for the limit of its graph, and its place among those that wait for the key.
  `ALTER TABLE graph ADD COLUMN concurrency_key TEXT;
   ALTER TABLE graph ADD COLUMN queue_position INTEGER;
   ALTER TABLE graph ADD COLUMN admitted_ms INTEGER;
   ALTER TABLE graph ADD COLUMN expires_ms INTEGER;
   DROP INDEX graph_unfinished;
   CREATE INDEX graph_unfinished ON graph (id) WHERE phase NOT IN ('done', 'failed') AND NOT (status = 'queued' AND admitted_ms IS NULL);
   CREATE INDEX graph_waiting ON graph (worker, concurrency_key, queue_position, id) WHERE status = 'queued' AND admitted_ms IS NULL;
   CREATE INDEX graph_admitted ON graph (worker, concurrency_key, admitted_ms, id)
     WHERE admitted_ms IS NOT NULL AND phase NOT IN ('done', 'failed');
   CREATE INDEX graph_expiry ON graph (expires_ms) WHERE expires_ms IS NOT NULL AND status = 'queued' AND admitted_ms IS NULL;`,
  // The key by which runs share the limit of their graph fairly, and the virtual time at which a run was admitted.
  `ALTER TABLE graph ADD COLUMN fairness_key TEXT;
   ALTER TABLE graph ADD COLUMN fairness_cost REAL;
   ALTER TABLE graph ADD COLUMN fair_tag REAL;
   CREATE INDEX graph_fair_waiting ON graph (worker, concurrency_key, fairness_key, queue_position, id)
     WHERE status = 'queued' AND admitted_ms IS NULL;
   CREATE INDEX graph_fair_key ON graph (worker, concurrency_key, fairness_key, fair_tag) WHERE fair_tag IS NOT NULL;
   CREATE INDEX graph_fair_tag ON graph (worker, concurrency_key, fair_tag) WHERE fair_tag IS NOT NULL;`,
  // Attributes of runs, and one row for each with its run's status: its value is a text that sorts like the value.
  `ALTER TABLE graph ADD COLUMN attributes TEXT;
   CREATE TABLE graph_attribute (
     name TEXT NOT NULL, status TEXT NOT NULL, graph_id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (name, status, graph_id)
   ) WITHOUT ROWID;
   CREATE INDEX graph_attribute_value ON graph_attribute (name, status, value, graph_id);`,
];

/** @throws SvcError `SVC_STORE` if a newer svc wrote the file. */
export function migrate(driver: Driver, file: string): void {
  const version = Number(driver.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
  if (version > STEPS.length) {
    throw new SvcError(
      "SVC_STORE",
      `The database ${file} has version ${version}; this svc knows up to ${STEPS.length}. Use a newer svc.`,
    );
  }
  STEPS.slice(version).forEach((step, at) => {
    driver.exec(`BEGIN; ${step} PRAGMA user_version = ${version + at + 1}; COMMIT;`);
  });
}
