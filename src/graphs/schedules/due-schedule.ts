/**
 * A schedule that is due: its runs are started, each under a key of its name and its time, and it moves on. Which times those are is
 * due-runs.ts's to say; when it is looked for, schedules.ts's.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ScheduleRow, ScheduleRows, ScheduleStep } from "../../storage/contract/control.ts";
import { hasEnded } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { StartOptions } from "../definition/audit-types.ts";
import type { NewGraphs } from "../engine/start-run.ts";
import type { Registry } from "../engine/registry.ts";
import { afterSetBack, dueRuns, missedText } from "./due-runs.ts";
import type { KnownTimes } from "./known-times.ts";

export interface RunOptions {
  graphs: GraphStore;
  rows: ScheduleRows;
  clock: Clock;
  log: Log;
  registry: Registry;
  newGraphs: NewGraphs;
  /** Told after one was saved, paused, resumed or removed, and after it has run. */
  onChange: () => void;
}

export interface DueScheduleOptions extends RunOptions {
  times: KnownTimes;
  /** Whether nothing more is to be started. */
  isClosed: () => boolean;
}

export class DueSchedule {
  readonly #options: DueScheduleOptions;

  constructor(options: DueScheduleOptions) {
    this.#options = options;
  }

  /** Starts first, moves on then: after a crash in between the same start is made again, and is no second one. */
  async run(row: ScheduleRow): Promise<void> {
    const { rows, clock, log } = this.#options;
    const times = await this.#options.times.of(row.cron, row.timeZone);
    const due = dueRuns(row, times, clock.now());
    const { runs, nextMs } = due;
    const missed = missedText(row.name, due);
    if (missed !== undefined) log.warn({ schedule: row.name, skipped: due.skipped }, missed);
    let ran: ScheduleStep["ran"];
    let leftMs: number | undefined;
    for (const ms of runs) {
      const now = await rows.schedule(row.name);
      // Paused, changed, or run by another process meanwhile, or this one is stopped: the rest is for whoever looks next.
      if (this.#options.isClosed() || !now || now.isPaused || now.nextMs !== row.nextMs) {
        leftMs = ms;
        break;
      }
      const graphId = await this.#runOne(now, ms, ran?.graphId ?? now.lastGraphId);
      if (graphId !== undefined) ran = { ms, graphId };
    }
    await rows.moveOn(row.name, row.nextMs, { nextMs: leftMs ?? nextMs, ran });
    this.#options.onChange();
  }

  /** What was counted by a clock that was far ahead is counted again; times that have run by then have their graphs, and start no second one. */
  async setBack({ name, cron, timeZone }: ScheduleRow, fromMs: number): Promise<void> {
    const { rows, clock, log } = this.#options;
    const nextMs = afterSetBack(fromMs, await this.#options.times.of(cron, timeZone), clock.now());
    if (nextMs === undefined) return;
    log.warn({ schedule: name }, `The clock was set back: the schedule ${name} goes by it`);
    await rows.moveOn(name, fromMs, { nextMs, ran: undefined });
    this.#options.onChange();
  }

  /** @returns the graph that was started; undefined where none is to be. */
  async #runOne(row: ScheduleRow, ms: number, lastGraphId: string | undefined): Promise<string | undefined> {
    const { log, newGraphs, registry } = this.#options;
    const { name, worker } = row;
    const idempotencyKey = `schedule/${name}/${ms}`;
    if (!registry.get(worker)) {
      log.error({ schedule: name, worker }, `The schedule ${name} starts "${worker}", which this app does not have`);
      return undefined;
    }
    if (await this.#isHeldBack(row, lastGraphId, idempotencyKey)) {
      log.info(
        { schedule: name, graphId: lastGraphId },
        `The schedule ${name} is skipped: its last graph is still under way`,
      );
      return undefined;
    }
    const { snapshot } = await newGraphs.start(worker, inputOf(row, ms), { ...startOf(row), idempotencyKey });
    return snapshot.graph_id;
  }

  /** Whether its last graph is still under way; not where this very run is there already. */
  async #isHeldBack({ worker, overlap }: ScheduleRow, lastGraphId: string | undefined, key: string): Promise<boolean> {
    const { graphs } = this.#options;
    if (overlap === "allow" || lastGraphId === undefined || (await graphs.byIdempotencyKey(worker, key))) return false;
    const last = await graphs.graph(lastGraphId);
    return last !== undefined && !hasEnded(last);
  }
}

/** What a run of a time gets. */
export function inputOf({ name, input }: ScheduleRow, ms: number): Json {
  return input === undefined ? { schedule: name, scheduled_ms: ms } : input;
}

export function startOf({ name }: ScheduleRow): StartOptions {
  return { tags: [`schedule:${name}`], origin: { kind: "schedule", name } };
}
