/** Registrations, deliveries and attempts: rows, and what a store does with them. */
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
  /** Exact text of the body that is sent and signed. */
  body: string;
  createdMs: number;
  dueMs: number;
}

export interface RegistrationRow {
  /** `wh_…` */
  id: string;
  url: string;
  events: WebhookEvent[];
  /** Names of the graphs or workers it hears of; empty: all. */
  workers: string[];
  /** Whether deliveries of one graph wait for those before them. */
  ordered: boolean;
  /** Sent along with each delivery. Values may be credentials: they never leave the process otherwise. */
  headers: Record<string, string>;
  enabled: boolean;
  description: string;
  /** Own secret; otherwise SVC_WEBHOOK_SECRET signs. Never leaves the process except in signatures. */
  secret: string | undefined;
  /** Secret before the last rotation, and until when it still signs. */
  previousSecret: string | undefined;
  previousUntilMs: number | undefined;
  state: "active" | "failing" | "disabled";
  /** Why deliveries disabled it: answered 410, or nothing but failures for too long. */
  disabledReason: "gone" | "failing" | undefined;
  consecutiveFailures: number;
  /** Breaker: no attempt before this time. */
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
  /** First 2 KB of the answer, as text. */
  response: string | undefined;
  /** Of the answer, by name in lower case; what may be a credential is hidden in them. */
  responseHeaders: Readonly<Record<string, string>> | undefined;
  error: string | undefined;
  timings: AttemptTimings | undefined;
}

/** How an attempt went, without what was said. */
export type OutcomeRow = Pick<AttemptRow, "startedMs" | "durationMs" | "statusCode" | "error">;

export type LastOutcomeRow = OutcomeRow & Pick<AttemptRow, "deliveryId">;

export type ReceiverOutcomeRow = OutcomeRow & Pick<OutboxRow, "registrationId">;

/** Where an attempt's time went, in milliseconds; the first three only of an attempt that made a connection. */
export interface AttemptTimings {
  dns?: number;
  connect?: number;
  tls?: number;
  /** From the connection to the first byte of the answer. */
  first_byte?: number;
}

/** An attempt, and what it means for its delivery. */
export interface AttemptRecord {
  attempt: AttemptRow;
  change: { status: DeliveryStatus; dueMs?: number; deliveredMs?: number };
}

/** Pending deliveries of one registration: those never tried, or those tried before. */
export interface DeliveryLane {
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

/** What tells deliveries that have failed from each other, without what they say. */
export type FailedRow = Pick<DeliveryRow, "id" | "event" | "createdMs">;

export interface FailedQuery {
  registrationId: string;
  /** Made at this time or later. */
  sinceMs: number;
  /** Where the page before ended. */
  before?: Pick<FailedRow, "id" | "createdMs"> | undefined;
  limit: number;
}

/** What became of a registration's deliveries, each counted to {@link MAX_DELIVERY_TOTAL}. */
export interface DeliveryTally {
  registrationId: string;
  /** Of those made since a time. */
  delivered: number;
  failed: number;
  /** Of all. */
  pending: number;
}

/** How far deliveries are counted. */
export const MAX_DELIVERY_TOTAL = 10_000;

/**
 * @param registrationIds that have something to deliver
 * @param added the rows of a commit, all of them new, where they may be sent without being read: they are in the store as they are
 * here, and nobody else sends them. Without any the store is to be asked.
 */
export type OutboxListener = (registrationIds: ReadonlySet<string>, added: readonly OutboxRow[]) => void;

export interface WebhookStore {
  /** Under this id deliveries are claimed for this process. Absent where no other process has the store. */
  readonly claimant?: string;
  /** Inserts or replaces a registration. The URL is unique. */
  saveRegistration(row: RegistrationRow): Promise<void>;
  /**
   * Changes a registration as it is stored, so that no change of another process is lost.
   * @param change gives the very row that it is given where there is nothing to change. May be called again.
   * @returns undefined: there is none.
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
   * Registrations by id, oldest first, as this process knows them: read at every transition and before every attempt, so at once.
   * What this process has changed is in it; what others of the same store have, moments later. Not to be changed.
   */
  known(): ReadonlyMap<string, RegistrationRow>;
  addDelivery(row: OutboxRow): Promise<void>;
  /** Deliveries of a lane due at `nowMs`, oldest due first, at most `limit`. Costs what it gives, however many wait. */
  due(lane: DeliveryLane, nowMs: number, limit: number): Promise<DeliveryRow[]>;
  /** When the first delivery of a lane that is due after `afterMs` falls due. */
  nextDueMs(lane: DeliveryLane, afterMs: number): Promise<number | undefined>;
  /** Registrations that have pending deliveries, those included that are gone. */
  pendingRegistrations(): Promise<string[]>;
  /**
   * When the earliest due of the pending deliveries falls due that tell of the same graph and come before this one: by
   * epoch, then by pause; undefined when there is none.
   */
  earlierDueMs(row: OutboxRow): Promise<number | undefined>;
  /** Makes what is pending of a graph due no later than `dueMs`. */
  release(registrationId: string, graphId: string, dueMs: number): Promise<void>;
  /**
   * Records attempts and what they mean for their deliveries, in one commit. One that is to be tried again stays as it is where its
   * delivery is not pending any more: it was given up meanwhile, or another process has had it taken.
   */
  recordAttempts(records: readonly AttemptRecord[]): Promise<void>;
  /** Makes a delivery pending again, due at once. */
  requeue(deliveryId: string, dueMs: number): Promise<boolean>;
  /** Makes a pending delivery a failed one. false: it is not pending, or there is none. */
  giveUp(deliveryId: string): Promise<boolean>;
  /** Makes those of a registration's deliveries pending again that have failed, and still have, due at once: all in one commit. */
  requeueFailed(registrationId: string, deliveryIds: readonly string[], dueMs: number): Promise<void>;
  /** A page of what has failed of a registration, newest first; no body is read for it. */
  failedOf(query: FailedQuery): Promise<FailedRow[]>;
  delivery(id: string): Promise<DeliveryRow | undefined>;
  attempts(deliveryId: string): Promise<AttemptRow[]>;
  /** How the last attempt of each of these deliveries went; none of such as were never tried. In any order. */
  lastOutcomes(deliveryIds: readonly string[]): Promise<LastOutcomeRow[]>;
  /** How attempts of the newest deliveries of each registration went, newest first; of at most `deliveries` of each. */
  latestOutcomes(registrationIds: readonly string[], deliveries: number): Promise<ReceiverOutcomeRow[]>;
  /** In the order in which they are asked for. @param sinceMs from when those count that have ended: by when they were made */
  tallies(registrationIds: readonly string[], sinceMs: number): Promise<DeliveryTally[]>;
  /** Newest first. `total` counts to {@link MAX_DELIVERY_TOTAL}: counting all would read all. */
  listDeliveries(query: DeliveryQuery): Promise<Page<DeliveryRow>>;
  /** Deletes pings that were made before a time and are not to be sent any more: no graph takes them along when it goes. */
  forgetPings(beforeMs: number): Promise<void>;
  /** Calls back after each commit that made deliveries pending, with their registrations. Returns the way to stop. */
  onOutbox(listener: OutboxListener): () => void;
  /** Has those told who wait for deliveries that another process has written. Absent where there is none. */
  announce?(registrationIds: ReadonlySet<string>): void;
}
