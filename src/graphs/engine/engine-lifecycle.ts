/** Recovers runs when the process starts, and stops the parts of an engine in their order. */
import type { GraphRow } from "../../storage/contract/graph-rows.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { EngineParts } from "./engine-parts.ts";

/** Unfinished runs to read at a time. */
const SLICE = 200;
/** Default time for running attempts to end. */
const DRAIN_MS = 10_000;

export class EngineLifecycle {
  readonly #options: EngineOptions;
  readonly #parts: EngineParts;

  constructor(options: EngineOptions, parts: EngineParts) {
    this.#options = options;
    this.#parts = parts;
  }

  async recover(): Promise<number> {
    const { cluster, schedules = [] } = this.#options;
    const { schedule, queues, retention, sentEvents } = this.#parts;
    const isRunner = cluster?.isRunner !== false;
    // Refuse an invalid schedule before anything is recovered.
    if (isRunner) await schedule.check(schedules);
    await queues.begin();
    const count = cluster ? 0 : await this.#recoverAll();
    if (isRunner) await schedule.begin(schedules);
    sentEvents.begin();
    retention?.start();
    return count;
  }

  /** All unfinished runs belong to this process, because it has the store to itself. */
  async #recoverAll(): Promise<number> {
    const { graphs } = this.#options.store;
    const { activeRuns, children: parents } = this.#parts;
    const children: GraphRow[] = [];
    let count = 0;
    for (let after: string | undefined = ""; after !== undefined;) {
      const ids: string[] = await graphs.unfinished(after, SLICE);
      const left = await graphs.load(ids.filter((id) => !activeRuns.get(id)));
      await Promise.all(left.map((stored) => activeRuns.recover(stored, true)));
      children.push(...left.flatMap(({ row }) => (row.parentGraph === undefined ? [] : [row])));
      count += left.length;
      after = ids.at(-1);
    }
    for (const row of children) if (await parents.isOrphan(row)) await parents.follow("cancel", row.parentGraph ?? "");
    return count;
  }

  idle(): Promise<void> {
    return this.#parts.busy.idle();
  }

  async close(drainMs = DRAIN_MS): Promise<void> {
    const { schedule, sentEvents, children, retention, remoteRunner, activeRuns, isolation, tools } = this.#parts;
    schedule.close();
    sentEvents.close();
    children.close();
    retention?.stop();
    const overdue = this.#options.clock.schedule(drainMs, () => remoteRunner.leave());
    await activeRuns.close(drainMs);
    overdue.cancel();
    isolation.close();
    await tools.close();
  }
}
