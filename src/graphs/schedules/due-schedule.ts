/**
 * Runs a due schedule: starts its runs, each with an idempotency key of name and time, and moves on to the next time. due-runs.ts decides
 * the times, schedules.ts when to look.
 */
import { hash } from "node:crypto";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ScheduleRow, ScheduleRows, ScheduleStep } from "../../storage/contract/control.ts";
import { hasEnded } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import { runState } from "../../storage/contract/run-state.ts";
import type { StartOptions } from "../definition/audit-types.ts";
import { refusalOf } from "../machine/rejected-command.ts";
import type { Steps } from "../engine/runs/run-controls.ts";
import type { NewGraphs } from "../engine/runs/start-run.ts";
import type { Registry } from "../engine/registry.ts";
import { afterSetBack, dueRuns, missedText } from "./due-runs.ts";
import type { KnownTimes } from "./known-times.ts";

/** Hexadecimal digits of a fraction: finer than a millisecond of a year. */
const JITTER_DIGITS = 12;

export interface RunOptions {
  graphs: GraphStore;
  rows: ScheduleRows;
  clock: Clock;
  log: Log;
  registry: Registry;
  newGraphs: NewGraphs;
  steps: Pick<Steps, "cancel">;
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

  /**
   * Starts first and moves on afterwards: after a crash in between, the same start is repeated and has no effect.
   * @returns the run for whose end a buffered time waits.
   */
  async run(row: ScheduleRow): Promise<string | undefined> {
    const { rows, clock, log } = this.#options;
    const times = await this.#options.times.of(row.cron, row.timeZone);
    const due = dueRuns(row, times, clock.now());
    const { runs, nextMs } = due;
    const missed = missedText(row.name, due);
    if (missed !== undefined) log.warn({ schedule: row.name, skipped: due.skipped }, missed);
    let ran: ScheduleStep["ran"];
    let leftMs: number | undefined;
    let heldBy: string | undefined;
    for (const ms of runs) {
      const now = await rows.schedule(row.name);
      // It was paused, changed or run by another process meanwhile, or this process stops. The next look continues.
      if (this.#options.isClosed() || !now || now.isPaused || now.nextMs !== row.nextMs) {
        leftMs = ms;
        break;
      }
      const outcome = await this.#runOne(now, ms, ran?.graphId ?? now.lastGraphId);
      if ("heldBy" in outcome) {
        [leftMs, heldBy] = [ms, outcome.heldBy];
        break;
      }
      if (outcome.graphId !== undefined) ran = { ms, graphId: outcome.graphId };
    }
    // A buffered time is due until its run has started. Others may have passed since, so it is the first of them.
    const isSame = ran === undefined && heldBy !== undefined && leftMs === row.nextMs;
    if (!isSame) {
      await rows.moveOn(row.name, row.nextMs, { nextMs: leftMs ?? nextMs, ran });
      this.#options.onChange();
    }
    return heldBy;
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

  /** @returns the started run, if one is due; or the run for whose end this time waits. */
  async #runOne(row: ScheduleRow, ms: number, lastGraphId: string | undefined): Promise<Outcome> {
    const { log, newGraphs, registry } = this.#options;
    const { name, worker } = row;
    const idempotencyKey = `schedule/${name}/${ms}`;
    if (!registry.get(worker)) {
      log.error({ schedule: name, worker }, `The schedule ${name} starts "${worker}", which this app does not have`);
      return { graphId: undefined };
    }
    const active = await this.#activeRun(row, lastGraphId, idempotencyKey);
    if (active !== undefined && row.overlap === "buffer") return { heldBy: active };
    if (active !== undefined && row.overlap === "skip") {
      log.info({ schedule: name, graphId: active }, `The schedule ${name} is skipped: its last run is still active`);
      return { graphId: undefined };
    }
    if (active !== undefined) await this.#cancel(name, active);
    const at = ms + jitterOf(row, ms);
    const options = { ...startOf(row), idempotencyKey, ...(at > ms && { at }) };
    const { snapshot } = await newGraphs.start(worker, inputOf(row, ms), options);
    return { graphId: snapshot.graph_id };
  }

  /** A run that has ended meanwhile, or is being compensated, needs no cancel. */
  async #cancel(name: string, graphId: string): Promise<void> {
    const { log, steps } = this.#options;
    log.info({ schedule: name, graphId }, `The schedule ${name} cancels its last run, which is still active`);
    await refusalOf(steps.cancel(graphId, { by: "schedule", note: `The next run of the schedule ${name} is due` }));
  }

  /** Its last run if that is unfinished, unless it is this very one or does not matter. */
  async #activeRun(
    { worker, overlap }: ScheduleRow,
    lastGraphId: string | undefined,
    key: string,
  ): Promise<string | undefined> {
    const { graphs } = this.#options;
    if (overlap === "allow" || lastGraphId === undefined) return undefined;
    if (await graphs.byIdempotencyKey(worker, key)) return undefined;
    const last = await runState(graphs, lastGraphId);
    return last !== undefined && !hasEnded(last) ? lastGraphId : undefined;
  }
}

type Outcome = { graphId: string | undefined } | { heldBy: string };

/** The delay of one time: the same after a crash and in every process. */
function jitterOf({ name, jitterMs = 0 }: ScheduleRow, ms: number): number {
  const digits = hash("sha256", `${name}/${ms}`).slice(0, JITTER_DIGITS);
  return Math.floor((Number.parseInt(digits, 16) / 16 ** JITTER_DIGITS) * jitterMs);
}

/** Input of a run for a time. */
export function inputOf({ name, input }: ScheduleRow, ms: number): Json {
  return input === undefined ? { schedule: name, scheduled_ms: ms } : input;
}

export function startOf({ name }: ScheduleRow): StartOptions {
  return { tags: [`schedule:${name}`], origin: { kind: "schedule", name } };
}
