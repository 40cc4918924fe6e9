/** Stored data of operators: schedules, paused queues, and the audit trail. */
import type { Json } from "../../platform/shared/json.ts";

/** What happens at a time at which the last run is unfinished. */
export type ScheduleOverlap = "skip" | "allow" | "buffer" | "cancel";

/** A schedule. */
export interface ScheduleRow {
  name: string;
  /** Name of the graph or worker to start. */
  worker: string;
  cron: string;
  timeZone: string;
  /** undefined: the input is the schedule's name and time. */
  input: Json | undefined;
  catchUp: "none" | "last" | "all";
  overlap: ScheduleOverlap;
  /** Longest random delay of a start. Absent: none, also in rows of older versions. */
  jitterMs?: number;
  /** Where it is defined: in the app's code, or over the API. */
  source: "app" | "api";
  isPaused: boolean;
  /** Next due time; undefined if there is none. */
  nextMs: number | undefined;
  /** Time and run of its last execution. */
  lastMs: number | undefined;
  lastGraphId: string | undefined;
  createdMs: number;
  updatedMs: number;
}

/** Change of a schedule after one of its times was handled. */
export interface ScheduleStep {
  nextMs: number | undefined;
  /** The last started run; undefined if none was started. */
  ran: { ms: number; graphId: string } | undefined;
}

export interface ScheduleRows {
  /**
   * Inserts or replaces a row by a function of the existing one, atomically.
   * @param make may be called again. Its errors are thrown, and nothing is written.
   */
  change(name: string, make: (old: ScheduleRow | undefined) => ScheduleRow, audit?: NewAudit): Promise<ScheduleRow>;
  /** Deletes a schedule of this source. @returns false if there is none; nothing is written then. */
  remove(name: string, source: ScheduleRow["source"], audit?: NewAudit): Promise<boolean>;
  schedule(name: string): Promise<ScheduleRow | undefined>;
  /** By name. */
  schedules(): Promise<ScheduleRow[]>;
  /**
   * Moves on if it is still due at `fromMs`: only one of two processes succeeds. Records the run in any case, unless a later one is
   * recorded.
   */
  moveOn(name: string, fromMs: number | undefined, step: ScheduleStep): Promise<boolean>;
}

/** A worker whose nodes may not start in any run. */
export interface PausedQueueRow {
  worker: string;
  pausedMs: number;
  by: string | undefined;
  note: string | undefined;
}

export interface QueueRows {
  /** Pauses a queue. A paused one stays unchanged. */
  pause(row: PausedQueueRow, audit?: NewAudit): Promise<void>;
  resume(worker: string, audit?: NewAudit): Promise<void>;
  /** By worker. */
  paused(): Promise<PausedQueueRow[]>;
}

/** An entry of the audit trail. */
export interface AuditRow {
  /** Increasing. */
  id: number;
  atMs: number;
  /** `operator`, `token`, a user's id, `app`. */
  actor: string;
  /** The client's address, if the command came over HTTP. */
  address: string | undefined;
  /** `graph.pause`, `schedule.save`. */
  operation: string;
  /** Id of a run, name of a schedule or a worker. */
  target: string;
  /** Reason, as the caller gave it. */
  note: string | undefined;
  data: Json | undefined;
}

export type NewAudit = Omit<AuditRow, "id">;

export interface AuditQuery {
  target?: string;
  actor?: string;
  /** An operation, or the part before the dot. */
  operation?: string;
  sinceMs?: number;
  /** 1 to 200; default 50. */
  limit?: number;
  cursor?: string;
}

/** Like `Page` of contract.ts, which imports this file. */
export interface AuditPage {
  items: AuditRow[];
  total: number;
  nextCursor: string | undefined;
}

export interface AuditRows {
  add(row: NewAudit): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<AuditPage>;
  /** Deletes older entries. */
  purge(beforeMs: number): Promise<void>;
}
