/** What a store keeps for those who operate graphs: schedules, paused queues, and who did what. */
import type { Json } from "../../platform/shared/json.ts";

/** Starts a graph again and again. */
export interface ScheduleRow {
  name: string;
  /** Name of the graph or worker that is started. */
  worker: string;
  cron: string;
  timeZone: string;
  /** undefined: the graph is told which schedule started it, and for what time. */
  input: Json | undefined;
  catchUp: "none" | "last" | "all";
  overlap: "skip" | "allow";
  /** Where it was defined: in the app's code, or over the API. */
  source: "app" | "api";
  isPaused: boolean;
  /** The time it is due next; undefined when it never is again. */
  nextMs: number | undefined;
  /** The time of its last run, and the graph that was. */
  lastMs: number | undefined;
  lastGraphId: string | undefined;
  createdMs: number;
  updatedMs: number;
}

/** What a schedule becomes when a time of it has been dealt with. */
export interface ScheduleStep {
  nextMs: number | undefined;
  /** The last run that it came to; undefined where it came to none. */
  ran: { ms: number; graphId: string } | undefined;
}

export interface ScheduleRows {
  /**
   * Inserts or replaces, with what `make` makes of the row that is there; nothing is written in between.
   * @param make may be called again. What it throws is thrown, and nothing written.
   */
  change(name: string, make: (old: ScheduleRow | undefined) => ScheduleRow, audit?: NewAudit): Promise<ScheduleRow>;
  /** Removes one that was defined there. @returns false where there was none; then nothing is written. */
  remove(name: string, source: ScheduleRow["source"], audit?: NewAudit): Promise<boolean>;
  schedule(name: string): Promise<ScheduleRow | undefined>;
  /** By name. */
  schedules(): Promise<ScheduleRow[]>;
  /** Moves on, if it still is due at `fromMs`: of two processes one does. What ran is noted in any case, unless a later run is. */
  moveOn(name: string, fromMs: number | undefined, step: ScheduleStep): Promise<boolean>;
}

/** A worker whose nodes don't start for now, in whatever graph. */
export interface PausedQueueRow {
  worker: string;
  pausedMs: number;
  by: string | undefined;
  note: string | undefined;
}

export interface QueueRows {
  /** Pauses; known ones stay as they are. */
  pause(row: PausedQueueRow, audit?: NewAudit): Promise<void>;
  resume(worker: string, audit?: NewAudit): Promise<void>;
  /** By worker. */
  paused(): Promise<PausedQueueRow[]>;
}

/** One thing that somebody did by hand. */
export interface AuditRow {
  /** Grows with each. */
  id: number;
  atMs: number;
  /** `operator`, `token`, a user's id, `app`. */
  actor: string;
  /** The client's, where it came over HTTP. */
  address: string | undefined;
  /** `graph.pause`, `schedule.save`. */
  operation: string;
  /** Id of a graph, name of a schedule or a worker. */
  target: string;
  /** Why, in the words of who did it. */
  note: string | undefined;
  data: Json | undefined;
}

export type NewAudit = Omit<AuditRow, "id">;

export interface AuditQuery {
  target?: string;
  actor?: string;
  /** Whole, or the part before the dot. */
  operation?: string;
  sinceMs?: number;
  /** 1 to 200; default 50. */
  limit?: number;
  cursor?: string;
}

/** A page as contract.ts has it, which imports this file. */
export interface AuditPage {
  items: AuditRow[];
  total: number;
  nextCursor: string | undefined;
}

export interface AuditRows {
  add(row: NewAudit): Promise<void>;
  /** Newest first. */
  list(query: AuditQuery): Promise<AuditPage>;
  /** Deletes what is older. */
  purge(beforeMs: number): Promise<void>;
}
