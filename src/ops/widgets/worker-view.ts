/** The workers of an app, as they are set up and as they are now. */
import type { App } from "../../index.ts";
import { workerViews as declaredWorkers } from "../views/workers.ts";

export interface WorkerView {
  name: string;
  running: number;
  queued: number;
  /** How many may run at once in this process. */
  concurrency: number;
  /** Starts in a time, as text: `10 per 1s`; undefined without a limit. */
  rate: string | undefined;
  /** How long the one that has waited longest has. */
  oldestMs: number | null;
  paused: { by: string | null; note: string | null } | undefined;
}

/** By name. */
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
