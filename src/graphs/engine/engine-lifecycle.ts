/** Recovers runs when the process starts, and stops the parts of an engine in their order. */
import { setImmediate as turn } from "node:timers/promises";
import { SvcError } from "../../platform/shared/errors.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { wireStatus } from "../../platform/shared/wire.ts";
import { hasEnded, type GraphRow, type NodeRow, type StoredGraph } from "../../storage/contract/graph-rows.ts";
import { isSuspended } from "../machine/suspension.ts";
import { Misfits, type History, type Misfit } from "./definition-compatibility.ts";
import type { EngineOptions } from "./engine-options.ts";
import type { EngineParts } from "./engine-parts.ts";

/** Unfinished runs to read at a time. */
const SLICE = 50;
/** Runs of other definitions that a process of a cluster checks at its start. A deploy may leave many more. */
const CHECKED = 1000;
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
    const { schedule, queues, retention, sentEvents, admission } = this.#parts;
    const isRunner = cluster?.isRunner !== false;
    // Refuse an invalid schedule before anything is recovered.
    if (isRunner) await schedule.check(schedules);
    await queues.begin();
    const count = cluster ? 0 : await this.#recoverAll();
    if (cluster && isRunner) await this.#checkOthers();
    if (isRunner) await schedule.begin(schedules);
    sentEvents.begin();
    await admission.lookAgain();
    retention?.start();
    return count;
  }

  /** All unfinished runs belong to this process, because it has the store to itself. */
  async #recoverAll(): Promise<number> {
    const { graphs } = this.#options.store;
    const { activeRuns, restingRuns, registry, children: parents } = this.#parts;
    const children: GraphRow[] = [];
    const misfits = new Misfits(registry.all());
    let count = 0;
    for (let after: string | undefined = ""; after !== undefined;) {
      const ids: string[] = await graphs.unfinished(after, SLICE);
      const left = await this.#loadReadable(ids.filter((id) => !activeRuns.get(id)));
      for (const { row, nodes } of left)
        if (registry.of(row)?.hash !== row.definition) misfits.add(historyOf(row, nodes));
      const reported = await this.#endsToReport(left);
      const active = left.filter((stored) => reported.has(stored.row.id) || !restingRuns.leave(stored));
      await Promise.all(active.map((stored) => activeRuns.recover(stored, true)));
      // A slice of resting runs needs no commit, whose answer would leave one.
      await turn();
      children.push(...left.flatMap(({ row }) => (row.parentGraph === undefined ? [] : [row])));
      count += left.length;
      after = ids.at(-1);
    }
    this.#report(misfits.all());
    for (const row of children) if (await parents.isOrphan(row)) await parents.follow("cancel", row.parentGraph ?? "");
    return count;
  }

  /** Ids of suspended runs one of whose children has ended. The process may have died before it reported that to the parent. */
  async #endsToReport(stored: readonly StoredGraph[]): Promise<Set<string>> {
    const waiting = new Set(
      stored.flatMap(({ row, nodes }) => nodes.filter(isSuspended).map(({ id }) => `${row.id}/${id}`)),
    );
    if (waiting.size === 0) return waiting;
    const children = await this.#options.store.graphs.children(stored.map(({ row }) => row.id));
    const ended = children.filter(
      (child) => hasEnded(child) && waiting.has(`${child.parentGraph}/${child.parentNode}`),
    );
    return new Set(ended.map(({ parentGraph = "" }) => parentGraph));
  }

  /** In a cluster the runs of other definitions stay where they are, but the operator must know of those that this build can't continue. */
  async #checkOthers(): Promise<void> {
    const { registry } = this.#parts;
    const own = [...registry.all().values()].flat().map(({ hash }) => hash);
    const found = new Misfits(registry.all());
    let checked = 0;
    for (let after: string | undefined = ""; after !== undefined && checked < CHECKED;) {
      const ids: string[] = await this.#options.store.graphs.unfinished(after, SLICE, own);
      for (const { row, nodes } of await this.#loadReadable(ids)) found.add(historyOf(row, nodes));
      checked += ids.length;
      after = ids.at(-1);
    }
    this.#report(found.all());
  }

  /**
   * Without runs whose payload key is missing: they stay in the store until a process with the key starts. Runs whose values can't be read
   * from the bucket are tried again until they can.
   */
  async #loadReadable(ids: readonly string[]): Promise<StoredGraph[]> {
    const { store, log = silentLog } = this.#options;
    try {
      return await store.graphs.load(ids);
    } catch (error) {
      if (!(error instanceof SvcError) || !["SVC_PAYLOAD_KEY", "SVC_BUCKET"].includes(error.code)) throw error;
      const [id] = ids;
      if (id === undefined || ids.length > 1)
        return (await Promise.all(ids.map((one) => this.#loadReadable([one])))).flat();
      if (error.code === "SVC_PAYLOAD_KEY")
        log.error({ graphId: id, err: error }, `The run ${id} can't be continued: ${error.message}`);
      // In a cluster, the process that takes the run tries again.
      else if (!this.#options.cluster) this.#parts.activeRuns.recoverLater(id, error);
      return [];
    }
  }

  /** Logs what `svc graph check` would report about unfinished runs. */
  #report(misfits: readonly Misfit[]): void {
    const { log = silentLog } = this.#options;
    for (const { kind, worker, message, count, graph_ids: graphIds } of misfits)
      log.warn(
        { kind, worker, count, graphIds },
        `${count} unfinished ${count === 1 ? "run" : "runs"} of "${worker}" ${count === 1 ? "does" : "do"} not fit this build. ${message}. Run a build with their definition, or cancel them.`,
      );
  }

  idle(): Promise<void> {
    return this.#parts.busy.idle();
  }

  async close(drainMs = DRAIN_MS): Promise<void> {
    const {
      schedule,
      sentEvents,
      admission,
      children,
      retention,
      remoteRunner,
      activeRuns,
      isolation,
      tools,
      keepAlive,
    } = this.#parts;
    schedule.close();
    sentEvents.close();
    admission.close();
    keepAlive.close();
    children.close();
    retention?.stop();
    const overdue = this.#options.clock.schedule(drainMs, () => remoteRunner.leave());
    await activeRuns.close(drainMs);
    overdue.cancel();
    isolation.close();
    await tools.close();
  }
}

function historyOf({ id, worker, version, status }: GraphRow, nodes: readonly NodeRow[]): History {
  return { graph_id: id, worker, version: version ?? null, status: wireStatus(status), nodes };
}
