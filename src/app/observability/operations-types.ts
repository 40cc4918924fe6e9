/** What those who run an app are told of it, and what they ask. Made in operations.ts. */
import type { ProcessView } from "../../graphs/cluster/membership.ts";
import type { QueueView } from "../../graphs/engine/queue-types.ts";
import type { LaneReport } from "../../graphs/machine/report-types.ts";
import type { Steering } from "../../graphs/definition/audit-types.ts";
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStatus } from "../../platform/shared/wire.ts";
import type { AuditQuery, AuditRow } from "../../storage/contract/control.ts";
import type { Page } from "../../storage/contract/queries.ts";
import type { Change } from "../lifecycle/change-feed.ts";
import type { Doing, DeferredOperation, Undone } from "../lifecycle/deferred-operations.ts";
import type { DeliveryMetrics } from "./metrics/deliveries.ts";
import type { Activity, ActivityRange, RecentActivity } from "./metrics/recent-activity.ts";
import type { RefusedCaller } from "./metrics/refused-callers.ts";
import type { OperatorProof } from "../pipeline/operator-access.ts";
import type { Setting } from "../lifecycle/settings.ts";

/** The state of this process in one look, as the status endpoint answers it. Counts of attempts and requests begin with the process. */
export interface Status {
  status: "ready" | "draining";
  version: string;
  uptime_ms: number;
  graphs: Record<GraphStatus, number>;
  queues: LaneReport[];
  node_attempts: Record<string, number>;
  /** How many are registered. */
  webhooks: number;
  deliveries: Record<string, number>;
  delivery_attempts: Record<string, number>;
  delivery: { under_way: number; oldest_waiting_ms: number } & ReturnType<DeliveryMetrics["summary"]>;
  requests: { in_flight: number; by_status: Record<string, number> };
  actions: Record<string, number>;
  refusals: Record<string, number>;
  event_streams: number;
  memory_bytes: number;
  /** Milliseconds that things wait for their turn at this process's event loop, all but one in a hundred, over the last minute; null before it is known. */
  loop_p99_ms: number | null;
  /** The processes that share the database, the longest there first; this one alone, where it has it to itself. */
  processes: ProcessView[];
  /** What this process may still write beside the SQLite file; null on other databases. */
  disk_free_bytes: number | null;
  /** What the PostgreSQL database takes, as it was within the last ten seconds; null on other databases, and where it is not told. */
  database_bytes: number | null;
  /** What graphs did in the last hour, and in the one before. */
  recent: RecentActivity;
}

export interface Operations {
  status(): Promise<Status>;
  /** The processes that share the database, the longest there first; this one alone, where it has it to itself. */
  processes(): Promise<ProcessView[]>;
  /** The app's clock, Unix milliseconds. */
  nowMs(): number;
  /**
   * Has `listener` told what may show something else from now on, in whichever process it has happened: `{ of: "graph", id }` after each
   * commit of a graph's events, which may be thousands a second. It must not throw. @returns the way to stop
   */
  onChange(listener: (change: Change) => void): () => void;
  /**
   * The requests that this process is answering, the longest first; of those that came through `app.fetch`, what has not begun to go
   * out. Told by their routes: paths and queries hold tokens.
   */
  requests(): RequestView[];
  /** Who was turned away by a rate limit of this process in the last hour, most first: by client (of IPv6 the /64) and limit. */
  refusedCallers(): { count: number; callers: RefusedCaller[] };
  /** What graphs did in the last hour, in all processes that share the database. */
  recent(): Promise<RecentActivity>;
  /** The same by the name they were started by: each minute of the last hour, or each quarter of an hour of the last day. */
  activity(range?: ActivityRange): Promise<Activity>;
  /** What waits for each worker in all processes that share the database; what others say is up to five seconds old. */
  queues(): Promise<FleetQueue[]>;
  /** Every variable, with the value in force; secrets only as set or not. */
  settings(): Setting[];
  /**
   * Whether a visitor has proved to be an operator: by `SVC_EXEC_API_KEY`, or by the token of the one-time link of `svc dev`, which is used
   * up by that. Compares in constant time; false where there is no such key or link. @param clientIp whom a wrong one counts for
   * @throws SvcError `SVC_RATE_LIMIT` after ten wrong ones in a minute, at the operator endpoints or here
   */
  isOperator(proof: OperatorProof, text: string, clientIp: string): boolean;
  /** For a sign-in, before its form is read. @throws SvcError `SVC_RATE_LIMIT` as `isOperator` */
  requireAttempt(clientIp: string): void;
  /** Purpose to `seal` an operator's session for: it changes with the key, and with each process of `svc dev`. Undefined where there is no such key or link. */
  sessionPurpose(proof: OperatorProof): string | undefined;
  /**
   * Does something in a while, unless it is undone before: in this process, and where that ends first, not at all. What has begun when the
   * app ends is told to stop and waited for. @param delay an hour at most: for what is to be done later there are schedules, and nodes that sleep.
   * @param run told when the app ends, and tells how far it has come; its faults are logged. @throws TypeError for a delay that is none, or is longer
   */
  hold(delay: Duration, run: (doing: Doing) => Promise<void>): DeferredOperation;
  /**
   * Takes back what is held, in whichever process on the database. @returns `now` where this call has done that, `before` where another
   * one had: of many at once one has `now`. false where it has begun
   */
  undo(id: string): Promise<Undone>;
  /** How far what was held has come, as it told itself, in whichever process does it; undefined where it told nothing, or a day ago. */
  progressOf(id: string): Promise<Json | undefined>;
  /** Who did what by hand, newest first. */
  audit(query?: AuditQuery): Promise<Page<AuditRow>>;
  /**
   * Keeps in the audit trail that somebody has done something that no graph's transition tells of.
   * @param operation such as `webhook.ping` @param target what it was done to: an id, a name, `*`
   */
  record(operation: string, target: string, steering?: Steering, data?: Json): Promise<void>;
}

/** A request that is being answered. */
export interface RequestView {
  /** As logs and errors have it. */
  request_id: string;
  method: string;
  /** Pattern of the route that answers; null where there is none: of public files, and of what is not there. */
  route: string | null;
  /** Unix milliseconds. */
  since_ms: number;
  /** Address; empty once the client has left. */
  client: string;
  /** Whether its answer goes out piece by piece: events, a late page, a large file. */
  is_stream: boolean;
}

/** A queue over all processes. */
export interface FleetQueue extends QueueView {
  /** Nodes that become ready in a minute, of the last one to two minutes; retries too. */
  ready_per_minute: number;
  /** Attempts that end in a minute, of the last five minutes. */
  ended_per_minute: number;
}
