/** Counts of a process for each minute, stored so that all processes can show the activity of a day, also after restarts. */
import type { Json } from "../../platform/shared/json.ts";

export interface ActivityRow {
  /** The counting process: a different name after each start. */
  process: string;
  /** Start of the minute, Unix milliseconds. */
  atMs: number;
  /** The counts, in the format of app/observability/metrics/minute-counts.ts. */
  data: Json;
}

export interface ActivityRows {
  /** Inserts or replaces, by minute and process. */
  save(rows: readonly ActivityRow[]): Promise<void>;
  /** Rows of all processes since this minute, oldest first. */
  since(atMs: number): Promise<ActivityRow[]>;
  /** Deletes older rows. */
  purge(beforeMs: number): Promise<void>;
}
