/**
 * Schedules: runs that start at the times of a cron expression. Durable: each stores its next time, and each start has an idempotency key
 * of name and time, so neither a crash nor a second process starts it twice. This module changes schedules and decides when to look;
 * due-schedule.ts starts the runs.
 */
import { durationMs, type Timer } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { AuditRows, NewAudit, ScheduleRow } from "../../storage/contract/control.ts";
import { hasEnded } from "../../storage/contract/graph-rows.ts";
import { runState } from "../../storage/contract/run-state.ts";
import type { Busy } from "../engine/runs/idle-tracker.ts";
import { auditOf } from "../machine/audit.ts";
import type { CronTimes } from "./cron.ts";
import { DueSchedule, inputOf, startOf, type RunOptions } from "./due-schedule.ts";
import { KnownTimes } from "./known-times.ts";
import { invalid, requireFields } from "./schedule-checks.ts";
import type { BackfillPeriod, BackfillReport, ScheduleDefinition, Schedules, ScheduleView } from "./schedule-types.ts";
import type { AuditContext } from "../definition/audit-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

const NAME = /^[a-zA-Z][\w.-]{0,63}$/;
/** Time before a due schedule is retried after a fault of the store. */
const AGAIN_MS = 1000;
/** Interval for checking the clock: it may be set, and timers stop while a machine is suspended. */
const LOOK_MS = 60_000;
/** A larger deviation within an interval means that the clock was set. */
const SET_MS = 1000;

export interface SchedulerOptions extends RunOptions {
  audit: AuditRows;
  /** Busy while a run is being started. */
  busy: Busy;
}

type Source = ScheduleRow["source"];

export class Scheduler implements Schedules {
  readonly #options: SchedulerOptions;
  readonly #times: KnownTimes;
  readonly #due: DueSchedule;
  #timer: Timer | undefined;
  #looks = 0;
  #hasBegun = false;
  /** How far the clock was ahead of elapsed time at the last check; undefined: no check yet. */
  #lookedAheadMs: number | undefined;
  #isClosed = false;
  /** Schedules whose due time waits for a run, with the function that stops listening to it. */
  readonly #buffered = new Map<string, () => void>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#times = new KnownTimes(options.clock);
    const isClosed = (): boolean => this.#isClosed;
    this.#due = new DueSchedule({ ...options, times: this.#times, isClosed });
  }

  /** For schedules of the app's code. @throws SvcError `SVC_DEFINITION` for those that `begin` could not start */
  async check(definitions: readonly ScheduleDefinition[]): Promise<void> {
    const names = new Set<string>();
    for (const definition of definitions) {
      const { name } = definition;
      if (names.has(name)) throw refused(`Two schedules are named "${name}"; names must differ`);
      names.add(name);
      await this.#timesOf(definition).catch((error: unknown) => {
        throw refused(`The schedule "${name}": ${(error as Error).message}`, error);
      });
    }
  }

  /** Replaces the stored schedules of the app's code by these, which are checked, and starts. */
  async begin(definitions: readonly ScheduleDefinition[]): Promise<void> {
    const names = new Set(definitions.map(({ name }) => name));
    for (const definition of definitions) await this.#save(definition, "app");
    for (const { name, source } of await this.#options.rows.schedules())
      if (source === "app" && !names.has(name)) await this.#options.rows.remove(name, "app");
    this.#hasBegun = true;
    await this.#arm();
  }

  /** Another process may have changed schedules. Those of a dead process are run by the others. */
  async lookAgain(): Promise<void> {
    if (this.#hasBegun) await this.#arm();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const stop of this.#buffered.values()) stop();
    this.#buffered.clear();
  }

  async list(): Promise<ScheduleView[]> {
    return (await this.#options.rows.schedules()).map(viewOf);
  }

  async get(name: string): Promise<ScheduleView | undefined> {
    const row = await this.#options.rows.schedule(name);
    return row && viewOf(row);
  }

  async upsert(definition: ScheduleDefinition, auditContext?: AuditContext): Promise<ScheduleView> {
    const row = await this.#save(definition, "api", auditContext ?? {});
    await this.#changed();
    return viewOf(row);
  }

  async remove(name: string, auditContext?: AuditContext): Promise<void> {
    const { rows } = this.#options;
    requireOurs(name, await rows.schedule(name));
    const isGone = await rows.remove(name, "api", this.#audit("remove", name, auditContext));
    if (!isGone) missing(name);
    await this.#changed();
  }

  async pause(name: string, auditContext?: AuditContext): Promise<ScheduleView> {
    return this.#change(name, "pause", auditContext, () => ({ isPaused: true }));
  }

  /** Times during the pause are not made up for, because the pause was intended. */
  async resume(name: string, auditContext?: AuditContext): Promise<ScheduleView> {
    const times = await this.#times.reader();
    const nowMs = this.#options.clock.now();
    return this.#change(name, "resume", auditContext, ({ isPaused, cron, timeZone }) => {
      return isPaused ? { isPaused: false, nextMs: times(cron, timeZone).next(nowMs) } : {};
    });
  }

  async backfill(
    name: string,
    { fromMs, untilMs }: BackfillPeriod,
    auditContext: AuditContext = {},
  ): Promise<BackfillReport> {
    const { rows, newGraphs, audit } = this.#options;
    const row = (await rows.schedule(name)) ?? missing(name);
    const times = await this.#times.of(row.cron, row.timeZone);
    const period = { from_ms: fromMs, until_ms: untilMs };
    await audit.add(this.#audit("backfill", name, auditContext, period));
    const report: BackfillReport = { started: [], known: 0 };
    for (const ms of timesIn(times, { fromMs, untilMs })) {
      const options = { ...startOf(row), idempotencyKey: `schedule/${name}/${ms}` };
      const { snapshot, created } = await newGraphs.start(row.worker, inputOf(row, ms), options);
      if (created) report.started.push(snapshot.graph_id);
      else report.known++;
    }
    return report;
  }

  async trigger(
    name: string,
    { idempotencyKey, ...auditContext }: AuditContext & { idempotencyKey?: string } = {},
  ): Promise<Snapshot> {
    const { rows, clock, newGraphs, audit } = this.#options;
    const row = (await rows.schedule(name)) ?? missing(name);
    const key = idempotencyKey === undefined ? {} : { idempotencyKey: `schedule/${name}/by-hand/${idempotencyKey}` };
    const auditOfStart = (id: string): NewAudit => this.#audit("trigger", name, auditContext, { graph_id: id });
    const options = { ...startOf(row), ...key };
    const { snapshot, created } = await newGraphs.start(row.worker, inputOf(row, clock.now()), options, {
      audit: auditOfStart,
    });
    if (!created) await audit.add(auditOfStart(snapshot.graph_id));
    return snapshot;
  }

  // Changes.

  async #save(definition: ScheduleDefinition, source: Source, auditContext?: AuditContext): Promise<ScheduleRow> {
    const { name, cron, worker, timeZone = "UTC", input, catchUp = "last", overlap = "skip", jitter } = definition;
    const times = await this.#timesOf(definition);
    const nowMs = this.#options.clock.now();
    const make = (old: ScheduleRow | undefined): ScheduleRow => {
      if (source === "api") requireOurs(name, old);
      // A missed time stays due as long as the expression is the same.
      const isSame = old?.cron === cron && old.timeZone === timeZone;
      return {
        name,
        worker,
        cron,
        timeZone,
        input,
        catchUp,
        overlap,
        ...(jitter !== undefined && { jitterMs: durationMs(jitter) }),
        source,
        isPaused: old?.isPaused ?? false,
        nextMs: isSame ? old.nextMs : times.next(nowMs),
        lastMs: old?.lastMs,
        lastGraphId: old?.lastGraphId,
        createdMs: old?.createdMs ?? nowMs,
        updatedMs: nowMs,
      };
    };
    const audit = auditContext && this.#audit("save", name, auditContext, { worker, cron, time_zone: timeZone });
    return this.#options.rows.change(name, make, audit);
  }

  async #change(
    name: string,
    step: string,
    auditContext: AuditContext | undefined,
    change: (row: ScheduleRow) => Partial<ScheduleRow>,
  ): Promise<ScheduleView> {
    const updatedMs = this.#options.clock.now();
    const row = await this.#options.rows.change(
      name,
      (old = missing(name)) => ({ ...old, ...change(old), updatedMs }),
      this.#audit(step, name, auditContext),
    );
    await this.#changed();
    return viewOf(row);
  }

  async #changed(): Promise<void> {
    this.#options.onChange();
    await this.#arm();
  }

  #audit(step: string, name: string, auditContext?: AuditContext, data?: Json) {
    return auditOf(`schedule.${step}`, name, this.#options.clock.now(), auditContext, data);
  }

  /** @throws SvcError `SVC_INVALID` for an invalid schedule */
  async #timesOf(definition: ScheduleDefinition): Promise<CronTimes> {
    const { name, cron, worker, timeZone = "UTC" } = definition;
    if (!NAME.test(name))
      throw invalid(
        "name",
        `"${String(name).slice(0, 80)}" is not a valid name; use a letter, then letters, digits, ".", "_" or "-", at most 64 characters`,
      );
    if (!this.#options.registry.get(worker)) throw invalid("worker", `No worker or graph is named "${worker}"`);
    requireFields(definition);
    return this.#times.of(cron, timeZone);
  }

  // Running.

  /** Waits for the next due schedule. Never rejects: the caller's change is done, and due schedules are looked for again. */
  async #arm(leastMs = 0): Promise<void> {
    const look = ++this.#looks;
    const { rows, clock } = this.#options;
    try {
      const all = await rows.schedules();
      // A later look has seen at least as much.
      if (look !== this.#looks) return;
      const due = all.flatMap(({ name, isPaused, nextMs }) => {
        if (isPaused || nextMs === undefined) return [];
        return [this.#buffered.has(name) ? Math.max(nextMs, clock.now() + LOOK_MS) : nextMs];
      });
      const dueMs = this.#isSet() ? clock.now() : Math.min(...due);
      this.#waitFor(due.length === 0 ? undefined : Math.max(dueMs, clock.now() + leastMs));
    } catch (error) {
      if (look === this.#looks) this.#tryAgain(error);
    }
  }

  /** @param dueMs undefined: nothing is due. */
  #waitFor(dueMs: number | undefined): void {
    this.#timer?.cancel();
    if (dueMs === undefined || this.#isClosed) return;
    const { clock } = this.#options;
    const waitMs = Math.min(Math.max(0, dueMs - clock.now()), LOOK_MS);
    this.#timer = clock.schedule(waitMs, () => {
      if (this.#isSet() || dueMs <= clock.now()) void this.#runDue();
      else this.#waitFor(dueMs);
    });
  }

  /** A buffered time is looked at again when the run before it ends. @param graphId that run; undefined: nothing is buffered. */
  async #wait(name: string, graphId: string | undefined): Promise<void> {
    this.#buffered.get(name)?.();
    this.#buffered.delete(name);
    if (graphId === undefined || this.#isClosed) return;
    const { graphs } = this.#options;
    const stop = graphs.onEvents(graphId, (events) => {
      // Another process announces changes without their events.
      if (events.length === 0 || events.some(({ type }) => type === "graph.done" || type === "graph.failed"))
        this.#release(name);
    });
    this.#buffered.set(name, stop);
    const row = await runState(graphs, graphId);
    if (!row || hasEnded(row)) this.#release(name);
  }

  #release(name: string): void {
    const stop = this.#buffered.get(name);
    if (!stop || !this.#buffered.delete(name)) return;
    stop();
    void this.#arm();
  }

  #aheadMs(): number {
    const { clock } = this.#options;
    return clock.now() - clock.elapsed();
  }

  /** Whether the clock was set, or may have been, since the last check. */
  #isSet(): boolean {
    return this.#lookedAheadMs === undefined || Math.abs(this.#aheadMs() - this.#lookedAheadMs) > SET_MS;
  }

  #tryAgain(error: unknown): void {
    if (this.#isClosed) return;
    this.#options.log.error({ err: error }, "Schedules could not be read. It is tried again.");
    this.#waitFor(this.#options.clock.now() + AGAIN_MS);
  }

  async #runDue(): Promise<void> {
    const { busy } = this.#options;
    busy.begin();
    try {
      const aheadMs = this.#aheadMs();
      const isWhole = await this.#runAll(this.#isSet());
      if (isWhole) this.#lookedAheadMs = aheadMs;
      await this.#arm(isWhole ? 0 : AGAIN_MS);
    } catch (error) {
      this.#tryAgain(error);
    }
    busy.end();
  }

  /** @returns whether all due schedules could be run. */
  async #runAll(isSet: boolean): Promise<boolean> {
    const { rows, clock, log } = this.#options;
    let isWhole = true;
    for (const row of await rows.schedules()) {
      if (this.#isClosed || row.isPaused || row.nextMs === undefined) continue;
      try {
        if (row.nextMs <= clock.now()) await this.#wait(row.name, await this.#due.run(row));
        else if (isSet) await this.#due.setBack(row, row.nextMs);
      } catch (error) {
        isWhole = false;
        log.error({ schedule: row.name, err: error }, `The schedule ${row.name} could not be run. It is tried again.`);
      }
    }
    return isWhole;
  }
}

/** Most runs of a backfill. More would be a flood. */
const MOST_BACKFILLED = 1000;

/** @throws SvcError `SVC_INVALID` */
function timesIn(times: CronTimes, { fromMs, untilMs }: BackfillPeriod): number[] {
  if (![fromMs, untilMs].every((ms) => Number.isFinite(ms) && ms >= 0) || fromMs > untilMs)
    throw invalid(
      "period",
      `The period from ${fromMs} to ${untilMs} is not valid; use Unix milliseconds, the earlier time first`,
    );
  const found: number[] = [];
  for (let ms = times.next(fromMs - 1); ms !== undefined && ms <= untilMs; ms = times.next(ms)) {
    if (found.length === MOST_BACKFILLED)
      throw invalid("period", `The period has more than ${MOST_BACKFILLED} times; use several shorter periods`);
    found.push(ms);
  }
  return found;
}

function viewOf(row: ScheduleRow): ScheduleView {
  return {
    name: row.name,
    worker: row.worker,
    cron: row.cron,
    time_zone: row.timeZone,
    input: row.input ?? null,
    catch_up: row.catchUp,
    overlap: row.overlap,
    jitter_ms: row.jitterMs ?? 0,
    source: row.source,
    paused: row.isPaused,
    next_ms: row.isPaused ? null : (row.nextMs ?? null),
    last_ms: row.lastMs ?? null,
    last_graph_id: row.lastGraphId ?? null,
    created_ms: row.createdMs,
    updated_ms: row.updatedMs,
  };
}

/** @throws SvcError `SVC_TRANSITION` */
function requireOurs(name: string, row: ScheduleRow | undefined): void {
  if (row?.source !== "app") return;
  throw new SvcError(
    "SVC_TRANSITION",
    `The schedule "${name}" is defined in the app's code: change it there, or pause it here`,
  );
}

function missing(name: string): never {
  throw new SvcError("SVC_NOT_FOUND", `There is no schedule "${name.slice(0, 80)}"`);
}

function refused(message: string, cause?: unknown): SvcError {
  return new SvcError("SVC_DEFINITION", message, { cause });
}
