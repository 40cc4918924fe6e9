/** What waits for which worker, as it is shown and paused. */
import type { Steering } from "../definition/audit-types.ts";

/** What waits for a worker, and runs, in this process. */
export interface QueueView {
  worker: string;
  paused: boolean;
  paused_ms: number | null;
  paused_by: string | null;
  note: string | null;
  running: number;
  waiting: number;
  /** How long the one that has waited longest of those that are next has. */
  oldest_ms: number | null;
}

export interface Queues {
  /** By worker; those of graphs are among them. */
  list(): Promise<QueueView[]>;
  /** No node of this worker starts, in whatever graph, until it is resumed; what runs goes on. Holds over a restart. */
  pause(worker: string, steering?: Steering): Promise<QueueView>;
  resume(worker: string, steering?: Steering): Promise<QueueView>;
}
