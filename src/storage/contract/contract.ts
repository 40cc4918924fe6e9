/**
 * What a store keeps, and the promises every store makes. Graphs and webhooks share one store, so that a
 * graph's transition and the outbox rows it causes are one transaction.
 *
 * Promises (held by the conformance suite, which runs on every store):
 * - `commit` is atomic per unit; it resolves only after the durable commit; units may share one transaction.
 * - A unit whose fence does not match changes nothing and yields `false`, and so do all that follow in its line.
 * - Events of a graph get the next `seq` in commit order, from 1, without gaps.
 * - An outbox row is unique by (registration_id, graph_id, event, epoch, pause_no).
 */
import type { RateCounters } from "../../platform/shared/rate-counters.ts";
import type { ActivityRows } from "./activity.ts";
import type { AuditRows, QueueRows, ScheduleRows } from "./control.ts";
import type { GraphStore } from "./graph-store.ts";
import type { AnswerStore, SessionRows } from "./session-store.ts";
import type { WebhookStore } from "./webhook-rows.ts";

export interface Store {
  graphs: GraphStore;
  webhooks: WebhookStore;
  sessions: SessionRows;
  answers: AnswerStore;
  schedules: ScheduleRows;
  queues: QueueRows;
  audit: AuditRows;
  /** Where all processes count the calls of clients. Absent where no other process has the store. */
  rates?: RateCounters;
  activity: ActivityRows;
  /** What the database takes; undefined where it does not tell. Absent where that is a file's size. */
  sizeBytes?(): Promise<number | undefined>;
  /** Flushes and closes. Later calls reject. */
  close(): Promise<void>;
}
