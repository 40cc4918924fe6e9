/** Data and operations for operators; operations.ts implements them. */
import type { ProcessView } from "../../graphs/cluster/membership.ts";
import type { QueueView } from "../../graphs/engine/queue-types.ts";
import type { QueueReport } from "../../graphs/machine/report-types.ts";
import type { AuditContext } from "../../graphs/definition/audit-types.ts";
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { RunStatus } from "../../platform/shared/wire.ts";
import type { AuditQuery, AuditRow } from "../../storage/contract/control.ts";
import type { Page } from "../../storage/contract/queries.ts";
import type { Change } from "../lifecycle/change-feed.ts";
import type { Doing, DeferredOperation, Undone } from "../lifecycle/deferred-operations.ts";
import type { DeliveryMetrics } from "./metrics/deliveries.ts";
import type { Activity, ActivityRange, RecentActivity } from "./metrics/recent-activity.ts";
import type { RefusedCaller } from "./metrics/refused-callers.ts";
import type { OperatorProof } from "../pipeline/operator-access.ts";
import type { OpenedOperatorSession, OperatorRole, OperatorSession } from "../pipeline/operator-sessions.ts";
import type { Setting } from "../lifecycle/settings.ts";

/** The state of this process, as the status endpoint returns it. Counts of attempts and requests start with the process. */
export interface Status {
  status: "ready" | "draining";
  version: string;
  uptime_ms: number;
  graphs: Record<RunStatus, number>;
  queues: QueueReport[];
  node_attempts: Record<string, number>;
  /** Number of registrations. */
  webhooks: number;
  deliveries: Record<string, number>;
  delivery_attempts: Record<string, number>;
  delivery: { under_way: number; oldest_waiting_ms: number } & ReturnType<DeliveryMetrics["summary"]>;
  requests: { in_flight: number; by_status: Record<string, number> };
  actions: Record<string, number>;
  refusals: Record<string, number>;
  event_streams: number;
  memory_bytes: number;
  /** Event-loop lag p99 of this process over the last minute, in milliseconds; null if unknown. */
  loop_p99_ms: number | null;
  /** Processes that share the database, oldest first; this one alone without others. */
  processes: ProcessView[];
  /** Bytes that this process may still write beside the SQLite file; null for other databases. */
  disk_free_bytes: number | null;
  /** Size of the PostgreSQL database, at most ten seconds old; null for other databases, or if unknown. */
  database_bytes: number | null;
  /** Activity of runs in the last hour and the one before. */
  recent: RecentActivity;
}

export interface Operations {
  status(): Promise<Status>;
  /** Processes that share the database, oldest first; this one alone without others. */
  processes(): Promise<ProcessView[]>;
  /** The app's clock, Unix milliseconds. */
  nowMs(): number;
  /**
   * Calls `listener` with changes in any process: `{ of: "graph", id }` after each commit of a run's events, which may be thousands a
   * second. It must not throw. @returns a function that stops it
   */
  onChange(listener: (change: Change) => void): () => void;
  /**
   * Running requests of this process, longest first; for `app.fetch`, those whose response has not begun. By route, because paths and
   * queries contain tokens.
   */
  requests(): RequestView[];
  /** Clients that rate limits of this process refused in the last hour, most refused first: by client (the /64 for IPv6) and limit. */
  refusedCallers(): { count: number; callers: RefusedCaller[] };
  /** Activity of runs in the last hour, over all processes that share the database. */
  recent(): Promise<RecentActivity>;
  /** Activity by name: each minute of the last hour, or each quarter of an hour of the last day. */
  activity(range?: ActivityRange): Promise<Activity>;
  /** Queues of all workers over all processes that share the database; data of others is at most five seconds old. */
  queues(): Promise<ClusterQueue[]>;
  /** All variables with their effective values; secrets only as set or not. */
  settings(): Setting[];
  /**
   * Whether a visitor is an operator: by `SVC_EXEC_API_KEY`, or by the token of the one-time link of `svc dev`, which this call uses up.
   * Compares in constant time; false if there is no such key or link. @param clientIp client of the attempt
   * @throws SvcError `SVC_RATE_LIMIT` after ten wrong ones in a minute, over the operator endpoints and this
   */
  isOperator(proof: OperatorProof, text: string, clientIp: string): boolean;
  /** For a sign-in, before its form is read. @throws SvcError `SVC_RATE_LIMIT` as `isOperator` */
  requireAttempt(clientIp: string): void;
  /** Whether the app has an operator key, or `svc dev` has printed a one-time link. */
  hasProof(proof: OperatorProof): boolean;
  /**
   * Begins an operator's session of eight hours, if the key or token is correct. A new key, or a new process of `svc dev`, ends it.
   * @returns the session and the value of its cookie; undefined for a wrong key or token. Resolves after the durable commit
   * @throws SvcError `SVC_RATE_LIMIT` as `isOperator`
   */
  signIn(
    proof: OperatorProof,
    text: string,
    role: OperatorRole,
    clientIp: string,
  ): Promise<OpenedOperatorSession | undefined>;
  /** The session of a cookie's value; undefined if it is invalid, has expired, or was ended. */
  operatorSession(rawCookie: string | undefined): Promise<OperatorSession | undefined>;
  /** Ends the session of a cookie's value in all processes, for copies of the cookie too. Resolves after the durable commit. */
  signOut(rawCookie: string | undefined): Promise<void>;
  /**
   * Runs an operation after a delay, unless it is undone before. It runs in this process; if the process ends during the delay, it does not
   * run. When the app closes, a running operation's signal aborts and the app waits for it.
   * @param delay at most 1 hour; use schedules or sleeping nodes for later times
   * @param run gets the abort signal and reports its progress; its errors are logged
   * @throws TypeError for an invalid delay, or one above an hour
   */
  hold(delay: Duration, run: (doing: Doing) => Promise<void>): DeferredOperation;
  /**
   * Undoes a deferred operation of any process on the database. @returns `now` if this call has undone it, `before` if another one had: of
   * several concurrent calls, one gets `now`. `false` if the operation has started
   */
  undo(id: string): Promise<Undone>;
  /** The last progress that a deferred operation reported, in any process; undefined if it reported none, or after a day. */
  progressOf(id: string): Promise<Json | undefined>;
  /** Manual changes with their authors, newest first. */
  audit(query?: AuditQuery): Promise<Page<AuditRow>>;
  /**
   * Records a manual change in the audit trail that no transition of a run contains.
   * @param operation such as `webhook.ping` @param target its subject: an id, a name, `*`
   */
  record(operation: string, target: string, auditContext?: AuditContext, data?: Json): Promise<void>;
}

/** A running request. */
export interface RequestView {
  /** Id of the request, as in logs and errors. */
  request_id: string;
  method: string;
  /** Pattern of the route; null without a route: public files and unknown paths. */
  route: string | null;
  /** Unix milliseconds. */
  since_ms: number;
  /** Address of the client; empty once it has disconnected. */
  client: string;
  /** Whether the response is streamed: events, deferred content, a large file. */
  is_stream: boolean;
}

/** A queue over all processes. */
export interface ClusterQueue extends QueueView {
  /** Nodes that become ready per minute, over the last one to two minutes; includes retries. */
  ready_per_minute: number;
  /** Attempts that end per minute, over the last five minutes. */
  ended_per_minute: number;
}
