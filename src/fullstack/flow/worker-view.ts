/** The workers of an app, as they are set up and as they are now. */
import type { App } from "../../index.ts";
import type { Worker } from "../../graph.ts";

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

const DEFAULT_CONCURRENCY = 16;

/** By name. */
export async function workerViews(app: App): Promise<WorkerView[]> {
  const options = optionsByWorker(app);
  return (await app.engine.queues.list()).map((queue) => {
    const { concurrency = DEFAULT_CONCURRENCY, rate } = options.get(queue.worker) ?? {};
    return {
      name: queue.worker,
      running: queue.running,
      queued: queue.waiting,
      concurrency: typeof concurrency === "number" ? concurrency : (concurrency.total ?? DEFAULT_CONCURRENCY),
      rate: rate && `${rate.limit} per ${typeof rate.per === "number" ? `${rate.per} ms` : rate.per}`,
      oldestMs: queue.oldest_ms,
      paused: queue.paused ? { by: queue.paused_by, note: queue.note } : undefined,
    };
  });
}

function optionsByWorker(app: App): Map<string, Worker["options"]> {
  const all = [...app.definitions.values()].flat().flatMap(({ nodes }) => nodes);
  return new Map(all.map(({ worker }) => [worker.name, worker.options]));
}
