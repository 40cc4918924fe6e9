/**
 * The contract of a store. Runs and webhooks share one store, so that a transition and its outbox rows are one transaction.
 * Promises, tested by the conformance suite on every store:
 * - `commit` is atomic for each transition; it resolves only after the durable commit; transitions may share a transaction.
 * - A transition whose fence does not match changes nothing and returns `false`, and so do all that follow in its chain.
 * - Events of a run get the next `seq` in commit order, from 1, without gaps.
 * - An outbox row is unique by (registration_id, graph_id, event, epoch, pause_no).
 */
import type { RateCounters } from "../../platform/shared/rate-counters.ts";
import type { AdmissionRows } from "./admission.ts";
import type { ActivityRows } from "./activity.ts";
import type { AuditRows, QueueRows, ScheduleRows } from "./control.ts";
import type { GraphStore } from "./graph-store.ts";
import type { SentEventRows } from "./sent-events.ts";
import type { StartGroupRows } from "./start-groups.ts";
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
  sentEvents: SentEventRows;
  startGroups: StartGroupRows;
  admission: AdmissionRows;
  /** Shared counters of clients. Absent if no other process uses the store. */
  rates?: RateCounters;
  activity: ActivityRows;
  /** Size of the database; undefined if unknown. Absent if it is the size of a file. */
  sizeBytes?(): Promise<number | undefined>;
  /**
   * Deletes objects in the bucket of payloads that no row knows, and that are older than a day. Returns their number. Absent without a
   * bucket, or if svc may not write to it.
   */
  sweepObjects?(): Promise<number>;
  /** Flushes and closes. Later calls reject. */
  close(): Promise<void>;
}
