/** What graphs did in a minute, as each process counts it: so that all processes, and the next life of each, can tell of a day. */
import type { Json } from "../../platform/shared/json.ts";

export interface ActivityRow {
  /** Who counted: one name for each life of a process. */
  process: string;
  /** When the minute began, Unix milliseconds. */
  atMs: number;
  /** The counts, as app/observability/metrics/minute-counts.ts reads them. */
  data: Json;
}

export interface ActivityRows {
  /** Inserts or replaces, by minute and process. */
  save(rows: readonly ActivityRow[]): Promise<void>;
  /** Of this minute and later, of all processes, oldest first. */
  since(atMs: number): Promise<ActivityRow[]>;
  /** Deletes what is older. */
  purge(beforeMs: number): Promise<void>;
}
