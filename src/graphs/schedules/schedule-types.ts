/** Schedules: declaration, view and operations. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { ScheduleOverlap } from "../../storage/contract/control.ts";
import type { AuditContext } from "../definition/audit-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

/** Starts a run at the times of a cron expression. */
export interface ScheduleDefinition {
  name: string;
  /** Five fields such as "30 2 * * *", six with seconds first, or a name such as "@daily". */
  cron: string;
  /** Time zone: "Europe/Berlin". Default "UTC". */
  timeZone?: string;
  /** Name of the graph or worker to start. */
  worker: string;
  /** Default: `{ schedule, scheduled_ms }`, its name and the time the run is for. */
  input?: Json;
  /** Missed times: none runs, the last one runs, or all run (at most 1,000). Default "last". */
  catchUp?: "none" | "last" | "all";
  /**
   * A time at which the last run is unfinished. `skip` (default) starts nothing; `allow` starts another run; `buffer` starts one as soon as
   * the last run has ended (with `catchUp: "all"` one for each time that has passed); `cancel` cancels the last run and starts one.
   */
  overlap?: ScheduleOverlap;
  /** Longest random delay of a start, so that many schedules of one time do not start together. Default: none. */
  jitter?: Duration;
}

/** A schedule as the API shows it. */
export interface ScheduleView {
  name: string;
  worker: string;
  cron: string;
  time_zone: string;
  input: Json;
  catch_up: "none" | "last" | "all";
  overlap: ScheduleOverlap;
  /** Longest random delay of a start; 0: none. */
  jitter_ms: number;
  /** Where it is defined: in the app's code, or over the API. */
  source: "app" | "api";
  paused: boolean;
  /** null while it is paused, and if no time is left. */
  next_ms: number | null;
  last_ms: number | null;
  last_graph_id: string | null;
  created_ms: number;
  updated_ms: number;
}

/** Unix milliseconds; both times count. */
export interface BackfillPeriod {
  fromMs: number;
  untilMs: number;
}

export interface BackfillReport {
  /** Started runs, in the order of their times. */
  started: string[];
  /** Times that had their run. */
  known: number;
}

export interface Schedules {
  /** @throws SvcError `SVC_INVALID`; `SVC_TRANSITION` for a schedule of the app's code. */
  upsert(definition: ScheduleDefinition, auditContext?: AuditContext): Promise<ScheduleView>;
  /** @throws SvcError `SVC_NOT_FOUND`; `SVC_TRANSITION` for a schedule of the app's code. */
  remove(name: string, auditContext?: AuditContext): Promise<void>;
  get(name: string): Promise<ScheduleView | undefined>;
  /** By name. */
  list(): Promise<ScheduleView[]>;
  pause(name: string, auditContext?: AuditContext): Promise<ScheduleView>;
  /** Continues with the next time. */
  resume(name: string, auditContext?: AuditContext): Promise<ScheduleView>;
  /**
   * Starts a run for each time of a period, such as one before the schedule existed. A time that has its run starts none. `overlap`, `jitter`
   * and a pause do not apply.
   * @throws SvcError `SVC_INVALID` for a period that ends before it begins, or with more than 1,000 times; `SVC_NOT_FOUND`.
   */
  backfill(name: string, period: BackfillPeriod, auditContext?: AuditContext): Promise<BackfillReport>;
  /** Starts a run now, whatever the time and even if another one is unfinished. */
  trigger(name: string, options?: AuditContext & { idempotencyKey?: string }): Promise<Snapshot>;
}
