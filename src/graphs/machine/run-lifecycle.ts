/**
 * The row of a run: phase, status, deadline, and the events and webhooks of its start, pause, resume and end. machine.ts decides when
 * each happens.
 */
import { durationMs, type Duration } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { wireStatus, type RunStatus, type WebhookEvent } from "../../platform/shared/wire.ts";
import type { Failure, GraphPhase, GraphRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { auditJson, auditFields } from "./audit.ts";
import type { Change } from "./transition-builder.ts";
import type { StoredGraphOptions } from "../definition/definition-types.ts";
import type { LifecycleEvent, OutboxRows } from "./report-types.ts";
import type { AuditContext } from "../definition/audit-types.ts";

const STATUS: Record<GraphPhase, RunStatus> = {
  queued: "pending",
  running: "running",
  pausing: "running",
  paused: "paused",
  parked: "parked",
  cancelling: "running",
  done: "done",
  failed: "failed",
};

/** Name for messages: the status if it says as much, else the phase. */
function shown(phase: GraphPhase): string {
  return phase === "queued" ? STATUS[phase] : phase;
}

/** Enough for a few retries against a service that is briefly down. */
const COMPENSATION_TIMEOUT = "5m";

const NO_DEADLINE = { deadlineMs: undefined, timeoutMs: undefined };

export class Lifecycle {
  readonly row: GraphRow;
  readonly #options: StoredGraphOptions;
  readonly #outboxRows: OutboxRows;

  constructor(row: GraphRow, options: StoredGraphOptions, outboxRows: OutboxRows) {
    this.row = row;
    this.#options = options;
    this.#outboxRows = outboxRows;
  }

  /** @throws SvcError `SVC_TRANSITION` that names the current phase and the required ones. */
  require(action: string, phases: readonly GraphPhase[]): void {
    const { id, phase } = this.row;
    if (phases.includes(phase)) return;
    const needed = phases.map(shown).join(" or ");
    const why = phase === "parked" ? ` (${this.row.error?.message ?? ""})` : "";
    throw new SvcError(
      "SVC_TRANSITION",
      `The graph ${id} is ${shown(phase)}${why}; ${action} needs it to be ${needed}`,
    );
  }

  setPhase(change: Change, phase: GraphPhase): void {
    this.set(change, { phase, status: STATUS[phase] });
  }

  /** The first change of a transition is stored without a copy: it has most of the columns. */
  set(change: Change, columns: NonNullable<Transition["graph"]>): void {
    Object.assign(this.row, columns);
    change.transition.graph = change.transition.graph ? { ...change.transition.graph, ...columns } : columns;
  }

  /** Whether the run needs its key before it may start. */
  get needsKey(): boolean {
    return this.row.concurrencyKey !== undefined && this.row.admittedMs === undefined;
  }

  /** The run is due, and waits for its key. Its time begins with its start. */
  enqueue(change: Change, data: { [name: string]: Json } = {}): void {
    this.set(change, { phase: "queued", status: "queued", ...(this.row.deadlineMs !== undefined && NO_DEADLINE) });
    change.event("graph.queued", undefined, { key: this.row.concurrencyKey ?? "", ...data });
  }

  /** Starts the run and its time. */
  start(change: Change): void {
    this.set(change, { phase: "running", status: STATUS.running, startedMs: this.row.startedMs ?? change.nowMs });
    if (this.timeout !== undefined) this.set(change, this.#deadline(change));
    change.event("graph.started", undefined, { epoch: this.row.epoch });
  }

  /** The next epoch. A run with a key needs it again, and waits for it as long as it takes: its time to live is over. */
  restart(change: Change): void {
    if (this.row.admittedMs !== undefined) this.set(change, { admittedMs: undefined });
    if (this.row.expiresMs !== undefined) this.set(change, { expiresMs: undefined });
    this.setPhase(change, "running");
    this.set(change, {
      epoch: this.row.epoch + 1,
      result: undefined,
      error: undefined,
      finishedMs: undefined,
      startedMs: this.row.startedMs ?? change.nowMs,
      ...this.#deadline(change),
    });
  }

  /** @param isEarly whether it was paused before its start, and waits for that. */
  resume(change: Change, isEarly: boolean, auditContext: AuditContext | undefined): void {
    this.#continueTime(change);
    this.setPhase(change, isEarly ? "queued" : "running");
    change.event("graph.resumed", undefined, auditJson(auditContext));
  }

  pause(change: Change, auditContext: AuditContext | undefined): void {
    this.setPhase(change, "pausing");
    change.event("graph.pausing", undefined, auditJson(auditContext));
  }

  paused(change: Change): void {
    this.setPhase(change, "paused");
    this.#stopTime(change);
    change.event("graph.paused");
    this.#announce(change, "graph.paused");
  }

  /** This build can't execute the run. @param message the difference between the definitions. */
  park(change: Change, message: string): void {
    this.setPhase(change, "parked");
    this.set(change, { error: { message, reason: "parked" } });
    this.#stopTime(change);
    change.event("graph.paused", undefined, { reason: "parked", message });
    this.#announce(change, "graph.paused");
  }

  /** This build can execute the parked run. A run that has not started waits for its start. */
  unpark(change: Change): void {
    this.#continueTime(change);
    this.setPhase(change, this.row.startedMs === undefined || this.needsKey ? "queued" : "running");
    this.set(change, { error: undefined });
    change.event("graph.resumed", undefined, { reason: "parked" });
  }

  /** Stops the run's time, and numbers the pause. */
  #stopTime(change: Change): void {
    const { deadlineMs, pauseNo } = this.row;
    this.set(change, { pauseNo: pauseNo + 1 });
    if (deadlineMs !== undefined)
      this.set(change, { timeoutMs: Math.max(0, deadlineMs - change.nowMs), deadlineMs: undefined });
  }

  #continueTime(change: Change): void {
    const { phase, timeoutMs } = this.row;
    if ((phase === "paused" || phase === "parked") && timeoutMs !== undefined)
      this.set(change, { deadlineMs: change.nowMs + timeoutMs, timeoutMs: undefined });
  }

  /** The run has failed, and waits for running nodes or compensation. Nothing new starts. */
  unwinds(change: Change, error: Failure, auditContext: AuditContext | undefined): void {
    this.setPhase(change, "cancelling");
    this.set(change, { error, deadlineMs: change.nowMs + durationMs(this.undoTimeout) });
    change.event("graph.cancelling", error.node, { ...error, ...auditFields(auditContext) });
  }

  done(change: Change, result: Json): void {
    this.set(change, { phase: "done", status: STATUS.done, result, finishedMs: change.nowMs, progress: undefined });
    if (this.row.deadlineMs !== undefined) this.set(change, NO_DEADLINE);
    change.event("graph.done");
    this.#announce(change, "graph.done");
  }

  failed(change: Change, error: Failure, auditContext: AuditContext | undefined): void {
    const status = error.reason === "cancelled" ? "cancelled" : STATUS.failed;
    this.set(change, { phase: "failed", status, error, finishedMs: change.nowMs, ...NO_DEADLINE });
    change.event("graph.failed", error.node, { ...error, ...auditFields(auditContext) });
    this.#announce(change, "graph.failed");
  }

  get timeout(): Duration | undefined {
    return this.#options.timeout;
  }

  get undoTimeout(): Duration {
    return this.#options.undoTimeout ?? COMPENSATION_TIMEOUT;
  }

  /** Deadline of the run. */
  #deadline({ nowMs }: Change): { deadlineMs?: number } {
    const { timeout } = this.#options;
    return timeout === undefined ? {} : { deadlineMs: nowMs + durationMs(timeout) };
  }

  #announce(change: Change, event: WebhookEvent): void {
    const { row } = this;
    const reported: LifecycleEvent = {
      event,
      graphId: row.id,
      worker: row.worker,
      status: wireStatus(row.status),
      timestampMs: change.nowMs,
      durationMs: row.startedMs === undefined ? 0 : Math.max(0, change.nowMs - row.startedMs),
      result: row.result,
      error: row.error,
      epoch: row.epoch,
      pauseNo: row.pauseNo,
    };
    change.transition.outbox = this.#outboxRows(reported);
    change.transition.outboxAgain = () => this.#outboxRows(reported, true);
  }
}
