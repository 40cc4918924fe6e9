/** `svckit/ops`: types of operational data, for custom screens and tools on top of `app.operations`. */
export type { Change } from "./app/lifecycle/change-feed.ts";
export type { DeferredOperation, Doing } from "./app/lifecycle/deferred-operations.ts";
export type { Setting } from "./app/lifecycle/settings.ts";
export type {
  Activity,
  ActivityRange,
  HourMinute,
  RecentActivity,
  RecentHour,
  RecentMinute,
} from "./app/observability/metrics/recent-activity.ts";
export type { RefusedCaller } from "./app/observability/metrics/refused-callers.ts";
export type { ClusterQueue, Operations, RequestView, Status } from "./app/observability/operations-types.ts";
export type { ProcessView } from "./graphs/cluster/membership.ts";
export type { AuditQuery, AuditRow } from "./storage/contract/control.ts";
export type { Page } from "./storage/contract/queries.ts";
