/** Queues of workers for operators: length, age, and whether they may start nodes. */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { QueueRows } from "../../storage/contract/control.ts";
import { auditOf } from "../machine/audit.ts";
import type { Dispatcher } from "../execution/dispatcher.ts";
import type { Queues, QueueView } from "./queue-types.ts";
import type { AuditContext } from "../definition/audit-types.ts";

export interface QueueOptions {
  rows: QueueRows;
  dispatcher: Pick<Dispatcher, "pause" | "resume" | "queueReports">;
  clock: Clock;
  /** Names of all workers, including those of graphs. */
  workers: ReadonlySet<string>;
  /** Called when a queue was paused or resumed. */
  onChange: () => void;
}

export class WorkerQueues implements Queues {
  readonly #options: QueueOptions;
  /** Counts reads when they begin and changes when they end. */
  #moment = 0;
  /** Value of the counter when the dispatcher's current state was read. */
  #goesBy = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Applies pauses of other processes. A local change meanwhile may be missing in the result, so the store is read once more then. */
  async readAgain(): Promise<void> {
    const { rows, dispatcher, workers } = this.#options;
    for (;;) {
      const moment = ++this.#moment;
      const paused = new Set((await rows.paused()).map(({ worker }) => worker));
      if (moment < this.#goesBy) continue;
      this.#goesBy = moment;
      for (const worker of workers)
        if (paused.has(worker)) dispatcher.pause(worker);
        else dispatcher.resume(worker);
      return;
    }
  }

  /** Restores queues that were paused before the start. */
  async begin(): Promise<void> {
    const { rows, dispatcher } = this.#options;
    for (const { worker } of await rows.paused()) dispatcher.pause(worker);
  }

  async list(): Promise<QueueView[]> {
    const { rows, dispatcher, clock, workers } = this.#options;
    const paused = new Map((await rows.paused()).map((row) => [row.worker, row]));
    const queueReports = new Map(dispatcher.queueReports().map((taskQueue) => [taskQueue.worker, taskQueue]));
    return [...workers].sort().map((worker) => {
      const row = paused.get(worker);
      const { running = 0, waiting = 0, sinceMs } = queueReports.get(worker) ?? {};
      return {
        worker,
        paused: row !== undefined,
        paused_ms: row?.pausedMs ?? null,
        paused_by: row?.by ?? null,
        note: row?.note ?? null,
        running,
        waiting,
        oldest_ms: sinceMs === undefined ? null : clock.now() - sinceMs,
      };
    });
  }

  async pause(worker: string, auditContext: AuditContext = {}): Promise<QueueView> {
    this.#requireKnown(worker);
    const { rows, dispatcher, clock } = this.#options;
    const pausedMs = clock.now();
    const row = { worker, pausedMs, by: auditContext.by, note: auditContext.note };
    await rows.pause(row, auditOf("queue.pause", worker, pausedMs, auditContext));
    dispatcher.pause(worker);
    return this.#changed(worker);
  }

  async resume(worker: string, auditContext: AuditContext = {}): Promise<QueueView> {
    this.#requireKnown(worker);
    const { rows, dispatcher, clock } = this.#options;
    await rows.resume(worker, auditOf("queue.resume", worker, clock.now(), auditContext));
    dispatcher.resume(worker);
    return this.#changed(worker);
  }

  async #changed(worker: string): Promise<QueueView> {
    this.#goesBy = ++this.#moment;
    this.#options.onChange();
    return (await this.list()).find((view) => view.worker === worker) as QueueView;
  }

  #requireKnown(worker: string): void {
    const { workers } = this.#options;
    if (workers.has(worker)) return;
    throw new SvcError(
      "SVC_NOT_FOUND",
      `No worker is named "${worker.slice(0, 80)}"; known: ${[...workers].sort().join(", ") || "none"}`,
    );
  }
}
