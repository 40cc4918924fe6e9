/** The workers of an app: their limits and their current state. */
import type { App } from "../../index.ts";
import { workerViews as declaredWorkers } from "../views/workers.ts";

export interface WorkerView {
  name: string;
  running: number;
  queued: number;
  /** Maximum number of simultaneous attempts in this process. */
  concurrency: number;
  /** The rate limit as text: `10 per 1s`; undefined without a limit. */
  rate: string | undefined;
  /** Age of the oldest waiting node. */
  oldestMs: number | null;
  paused: { by: string | null; note: string | null } | undefined;
}

/** Sorted by name. */
export async function workerViews(app: App): Promise<WorkerView[]> {
  const declared = new Map(declaredWorkers(app.definitions).map((worker) => [worker.name, worker]));
  return (await app.operations.queues()).map((queue) => ({
    name: queue.worker,
    running: queue.running,
    queued: queue.waiting,
    concurrency: declared.get(queue.worker)?.concurrency ?? 0,
    rate: declared.get(queue.worker)?.rate,
    oldestMs: queue.oldest_ms,
    paused: queue.paused ? { by: queue.paused_by, note: queue.note } : undefined,
  }));
}
