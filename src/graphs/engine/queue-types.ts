/** Queues of workers, as operators see and pause them. */
import type { AuditContext } from "../definition/audit-types.ts";

/** Queued and running nodes of a worker in this process. */
export interface QueueView {
  worker: string;
  paused: boolean;
  paused_ms: number | null;
  paused_by: string | null;
  note: string | null;
  running: number;
  waiting: number;
  /** Waiting time of the oldest node that may start next. */
  oldest_ms: number | null;
}

export interface Queues {
  /** By worker name, including workers of graphs. */
  list(): Promise<QueueView[]>;
  /** Starts no node of this worker in any run until it is resumed. Running nodes continue. Survives a restart. */
  pause(worker: string, auditContext?: AuditContext): Promise<QueueView>;
  resume(worker: string, auditContext?: AuditContext): Promise<QueueView>;
}
