/** Graphs that the clock starts, as they are declared, shown and changed. */
import type { Json } from "../../platform/shared/json.ts";
import type { Steering } from "../definition/audit-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

/** Starts a graph again and again. */
export interface ScheduleDefinition {
  name: string;
  /** Five fields as in "30 2 * * *", six with seconds in front, or a name such as "@daily". */
  cron: string;
  /** Whose clock on the wall counts: "Europe/Berlin". Default "UTC". */
  timeZone?: string;
  /** Name of the graph or worker to start. */
  worker: string;
  /** Default: `{ schedule, scheduled_ms }`, its name and the time the run is for. */
  input?: Json;
  /** What becomes of times that were missed while nothing ran: none, the last, or all of them (1,000 at most). Default "last". */
  catchUp?: "none" | "last" | "all";
  /** What becomes of a time at which the last graph is still under way. Default "skip". */
  overlap?: "skip" | "allow";
}

/** A schedule as the API shows it. */
export interface ScheduleView {
  name: string;
  worker: string;
  cron: string;
  time_zone: string;
  input: Json;
  catch_up: "none" | "last" | "all";
  overlap: "skip" | "allow";
  /** Where it was defined: in the app's code, or over the API. */
  source: "app" | "api";
  paused: boolean;
  /** null while it is paused, and where no time is left. */
  next_ms: number | null;
  last_ms: number | null;
  last_graph_id: string | null;
  created_ms: number;
  updated_ms: number;
}

export interface Schedules {
  /** @throws SvcError `SVC_INVALID`; `SVC_TRANSITION` for one that the app's code defines. */
  upsert(definition: ScheduleDefinition, steering?: Steering): Promise<ScheduleView>;
  /** @throws SvcError `SVC_NOT_FOUND`; `SVC_TRANSITION` for one that the app's code defines. */
  remove(name: string, steering?: Steering): Promise<void>;
  get(name: string): Promise<ScheduleView | undefined>;
  /** By name. */
  list(): Promise<ScheduleView[]>;
  pause(name: string, steering?: Steering): Promise<ScheduleView>;
  /** Goes on with the next time to come. */
  resume(name: string, steering?: Steering): Promise<ScheduleView>;
  /** Starts its graph now, whatever the time and whatever is under way. */
  trigger(name: string, options?: Steering & { idempotencyKey?: string }): Promise<Snapshot>;
}
