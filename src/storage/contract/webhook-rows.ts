/** Rows of registrations, deliveries and attempts, and the operations of a store on them. */
import type { WebhookEvent } from "../../platform/shared/wire.ts";
import type { Page } from "./queries.ts";

export interface OutboxRow {
  /** `msg_…`: the delivery id, stable over retries and replays. */
  id: string;
  registrationId: string;
  graphId: string;
  event: WebhookEvent | "ping";
  epoch: number;
  pauseNo: number;
  /** The exact body that is sent and signed. */
  body: string;
  createdMs: number;
  dueMs: number;
}

export interface RegistrationRow {
  /** `wh_…` */
  id: string;
  url: string;
  events: WebhookEvent[];
  /** Names of its graphs or workers; empty: all. */
  workers: string[];
  /** Whether deliveries of a run wait for earlier ones. */
  ordered: boolean;
  /** Added to each delivery. Values may be credentials, and leave the process only there. */
  headers: Record<string, string>;
  enabled: boolean;
  description: string;
  /** Its own secret; otherwise SVC_WEBHOOK_SECRET signs. Leaves the process only as signatures. */
  secret: string | undefined;
  /** Previous secret, and how long it still signs. */
  previousSecret: string | undefined;
  previousUntilMs: number | undefined;
  state: "active" | "failing" | "disabled";
  /** Why deliveries disabled it: a 410 response, or only failures for too long. */
  disabledReason: "gone" | "failing" | undefined;
  consecutiveFailures: number;
  /** Circuit breaker: no attempt before this time. */
  openUntilMs: number | undefined;
  /** First failure since the last success. */
  failingSinceMs: number | undefined;
  createdMs: number;
  updatedMs: number;
}

export interface ChangedRegistration {
  before: RegistrationRow;
  after: RegistrationRow;
}

export type DeliveryStatus = "pending" | "delivered" | "failed";

export interface DeliveryRow extends OutboxRow {
  status: DeliveryStatus;
  attempts: number;
  deliveredMs: number | undefined;
}

export interface AttemptRow {
  deliveryId: string;
  number: number;
  startedMs: number;
  durationMs: number;
  statusCode: number | undefined;
  /** First 2 KB of the response, as text. */
  response: string | undefined;
  /** Headers of the response by lower-case name, without possible credentials. */
  responseHeaders: Readonly<Record<string, string>> | undefined;
  error: string | undefined;
  timings: AttemptTimings | undefined;
}

/** Outcome of an attempt, without the response. */
export type OutcomeRow = Pick<AttemptRow, "startedMs" | "durationMs" | "statusCode" | "error">;

export type LastOutcomeRow = OutcomeRow & Pick<AttemptRow, "deliveryId">;

export type ReceiverOutcomeRow = OutcomeRow & Pick<OutboxRow, "registrationId">;

/** Durations within an attempt in milliseconds; the first three only for a new connection. */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  /** From the connection to the first byte of the response. */
  first_byte?: number;
}

/** An attempt and its effect on the delivery. */
export interface AttemptRecord {
  attempt: AttemptRow;
  change: { status: DeliveryStatus; dueMs?: number; deliveredMs?: number };
}

/** Pending deliveries of a registration: first attempts, or retries. */
export interface DeliveryQueueKey {
  registrationId: string;
  isRetry: boolean;
}

export interface DeliveryQuery {
  registrationId?: string;
  status?: DeliveryStatus;
  event?: string;
  graphId?: string;
  sinceMs?: number;
  limit?: number;
  cursor?: string;
}

/** A failed delivery without its body. */
export type FailedRow = Pick<DeliveryRow, "id" | "event" | "createdMs">;

export interface FailedQuery {
  registrationId: string;
  /** Created since this time. */
  sinceMs: number;
  /** End of the previous page. */
  before?: Pick<FailedRow, "id" | "createdMs"> | undefined;
  limit: number;
}

/** Outcomes of a registration's deliveries, each counted to {@link MAX_DELIVERY_TOTAL}. */
export interface DeliveryTally {
  registrationId: string;
  /** Created since a time. */
  delivered: number;
  failed: number;
  /** All of them. */
  pending: number;
}

/** Limit of counting deliveries. */
export const MAX_DELIVERY_TOTAL = 10_000;

/**
 * @param registrationIds registrations with something to deliver
 * @param added the rows of a commit, if they may be sent without being read: they are stored unchanged, and no other process sends them.
 * Without any, the store must be asked.
 */
export type OutboxListener = (registrationIds: ReadonlySet<string>, added: readonly OutboxRow[]) => void;

export interface WebhookStore {
  /** Id under which this process claims deliveries. Absent if no other process uses the store. */
  readonly claimant?: string;
  /** Inserts or replaces a registration. URLs are unique. */
  saveRegistration(row: RegistrationRow): Promise<void>;
  /**
   * Changes a registration based on its stored state, so that no change of another process is lost.
   * @param change returns the given row itself if nothing changes. May be called again.
   * @returns undefined: it does not exist.
   */
  changeRegistration(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined>;
  deleteRegistration(id: string): Promise<boolean>;
  registration(id: string): Promise<RegistrationRow | undefined>;
  registrationByUrl(url: string): Promise<RegistrationRow | undefined>;
  /** Oldest first. */
  registrations(): Promise<RegistrationRow[]>;
  /**
   * Registrations by id, oldest first, as this process knows them: read synchronously at every transition and before every attempt.
   * Includes changes of this process at once, and those of others moments later. Must not be modified.
   */
  known(): ReadonlyMap<string, RegistrationRow>;
  addDelivery(row: OutboxRow): Promise<void>;
  /** Due deliveries of a queue at `nowMs`, oldest first, at most `limit`. The cost depends on the result, not on the backlog. */
  due(deliveryQueue: DeliveryQueueKey, nowMs: number, limit: number): Promise<DeliveryRow[]>;
  /** Due time of the first delivery of a queue after `afterMs`. */
  nextDueMs(deliveryQueue: DeliveryQueueKey, afterMs: number): Promise<number | undefined>;
  /** Registrations with pending deliveries, including deleted ones. */
  pendingRegistrations(): Promise<string[]>;
  /**
   * Earliest due time of pending deliveries that belong to the same run and come before this one, by epoch and pause; undefined if there
   * is none.
   */
  earlierDueMs(row: OutboxRow): Promise<number | undefined>;
  /** Makes pending deliveries of a run due by `dueMs`. */
  release(registrationId: string, graphId: string, dueMs: number): Promise<void>;
  /**
   * Records attempts and their effects in one commit. A retry is not scheduled if the delivery is no longer pending: it was given up,
   * or another process has its outcome.
   */
  recordAttempts(records: readonly AttemptRecord[]): Promise<void>;
  /** Makes a delivery pending and due at once. */
  requeue(deliveryId: string, dueMs: number): Promise<boolean>;
  /** Fails a pending delivery. false: it is not pending, or does not exist. */
  giveUp(deliveryId: string): Promise<boolean>;
  /** Makes failed deliveries of a registration pending and due at once, in one commit, if they are still failed. */
  requeueFailed(registrationId: string, deliveryIds: readonly string[], dueMs: number): Promise<void>;
  /** A page of failed deliveries of a registration, newest first, without bodies. */
  failedOf(query: FailedQuery): Promise<FailedRow[]>;
  delivery(id: string): Promise<DeliveryRow | undefined>;
  attempts(deliveryId: string): Promise<AttemptRow[]>;
  /** Outcome of the last attempt of each delivery; none for those without an attempt. In any order. */
  lastOutcomes(deliveryIds: readonly string[]): Promise<LastOutcomeRow[]>;
  /** Outcomes of the attempts of each registration's newest deliveries, newest first; at most `deliveries` of each. */
  latestOutcomes(registrationIds: readonly string[], deliveries: number): Promise<ReceiverOutcomeRow[]>;
  /** In the given order. @param sinceMs creation time from which ended deliveries count */
  tallies(registrationIds: readonly string[], sinceMs: number): Promise<DeliveryTally[]>;
  /** Newest first. `total` counts to {@link MAX_DELIVERY_TOTAL}: an exact count would read all rows. */
  listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRow>>;
  /** Deletes old pings that are not pending. They belong to no run that would delete them. */
  forgetPings(beforeMs: number): Promise<void>;
  /** Calls back with registrations after each commit that made deliveries pending. Returns a function that stops it. */
  onOutbox(listener: OutboxListener): () => void;
  /** Notifies senders of deliveries that another process has written. Absent if there is no other process. */
  announce?(registrationIds: ReadonlySet<string>): void;
}
