/**
 * Runs a due schedule: starts its runs, each with an idempotency key of name and time, and moves on to the next time. due-runs.ts decides
 * the times, schedules.ts when to look.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ScheduleRow, ScheduleRows, ScheduleStep } from "../../storage/contract/control.ts";
import { hasEnded } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { StartOptions } from "../definition/audit-types.ts";
import type { NewGraphs } from "../engine/runs/start-run.ts";
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
  /** Called after a schedule was saved, paused, resumed, removed or run. */
  onChange: () => void;
}

export interface DueScheduleOptions extends RunOptions {
  times: KnownTimes;
  /** Whether nothing may start any more. */
  isClosed: () => boolean;
}

export class DueSchedule {
  readonly #options: DueScheduleOptions;

  constructor(options: DueScheduleOptions) {
    this.#options = options;
  }

  /** Starts first and moves on afterwards: after a crash in between, the same start is repeated and has no effect. */
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
      // It was paused, changed or run by another process meanwhile, or this process stops. The next look continues.
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

  /** Computes the next time again after a wrong clock. Times that have run already have their idempotency key, and start nothing. */
  async setBack({ name, cron, timeZone }: ScheduleRow, fromMs: number): Promise<void> {
    const { rows, clock, log } = this.#options;
    const nextMs = afterSetBack(fromMs, await this.#options.times.of(cron, timeZone), clock.now());
    if (nextMs === undefined) return;
    log.warn({ schedule: name }, `The clock was set back. The schedule ${name} follows it.`);
    await rows.moveOn(name, fromMs, { nextMs, ran: undefined });
    this.#options.onChange();
  }

  /** @returns the started run; undefined if none is due. */
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
        `The schedule ${name} is skipped: its last run is still active`,
      );
      return undefined;
    }
    const { snapshot } = await newGraphs.start(worker, inputOf(row, ms), { ...startOf(row), idempotencyKey });
    return snapshot.graph_id;
  }

  /** Whether its last run is unfinished, unless it is this very one. */
  async #isHeldBack({ worker, overlap }: ScheduleRow, lastGraphId: string | undefined, key: string): Promise<boolean> {
    const { graphs } = this.#options;
    if (overlap === "allow" || lastGraphId === undefined || (await graphs.byIdempotencyKey(worker, key))) return false;
    const last = await graphs.graph(lastGraphId);
    return last !== undefined && !hasEnded(last);
  }
}

/** Input of a run for a time. */
export function inputOf({ name, input }: ScheduleRow, ms: number): Json {
  return input === undefined ? { schedule: name, scheduled_ms: ms } : input;
}

export function startOf({ name }: ScheduleRow): StartOptions {
  return { tags: [`schedule:${name}`], origin: { kind: "schedule", name } };
}
