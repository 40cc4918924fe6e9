/**
 * The state machine of one run: a copy of its rows in memory, and the only place that decides what a transition changes. No I/O: each
 * transition changes the rows in memory at once and is then committed. Transitions are committed in their order, so memory and store
 * agree.
 *
 * | phase (status)      | what happens             | phase after          | events, webhook                       |
 * |---------------------|--------------------------|----------------------|---------------------------------------|
 * | queued (pending)    | begin, when due          | running              | graph.started, node.ready             |
 * | queued (pending)    | begin, needs a key       | queued (queued)      | graph.queued                          |
 * | queued (queued)     | begin, once admitted     | running              | graph.started, node.ready             |
 * | running             | node done, others left   | running              | node.done, node.ready                 |
 * | running             | node's turn, `when` not  | unchanged, or done   | node.skipped                          |
 * | running, pausing    | last node done           | done                 | node.done, graph.done + webhook       |
 * | running, pausing    | node failed, tries left  | unchanged            | node.retrying                         |
 * | running, pausing    | node failed for good     | failed (error, …)    | node.failed, graph.failed + webhook   |
 * | running, pausing    | one that may fail, did   | unchanged, or done   | node.failed                           |
 * | running             | pause, nodes running     | pausing              | graph.pausing                         |
 * | queued, running     | pause, none running      | paused               | graph.pausing, graph.paused + webhook |
 * | pausing (running)   | last running node ends   | paused               | graph.paused + webhook                |
 * | pausing, paused     | resume                   | running              | graph.resumed                         |
 * | paused, not yet due | resume                   | queued               | graph.resumed                         |
 * | queued, running     | recovered, nodes differ  | parked (paused)      | graph.paused + webhook                |
 * | parked              | recovered, nodes fit     | running, or queued   | graph.resumed                         |
 * | any but done/failed | cancel                   | failed (cancelled)   | graph.failed + webhook                |
 * | any but done/failed | terminate                | failed (cancelled)   | node.uncompensated, graph.failed + webhook |
 * | running, pausing    | its time is over         | failed (timeout)     | graph.failed + webhook                |
 * | instead of failed   | nodes left to be undone  | cancelling           | graph.cancelling, node.compensating   |
 * | running, pausing    | failed, others drain     | cancelling           | node.failed, graph.cancelling         |
 * | cancelling          | last undone, or too late | failed               | graph.failed + webhook                |
 * | failed              | retry                    | running, epoch + 1   | graph.started, node.ready             |
 * | done, failed        | retry from a node        | running, epoch + 1   | graph.started, node.ready             |
 *
 * All other transitions are rejected with `SVC_TRANSITION`. Cancel beats pause; a last node that is done beats both.
 * Source: docs/reference/http.md section 4.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { waitsForKey } from "../../storage/contract/admission.ts";
import {
  hasEnded,
  withoutOrigin,
  type GraphRow,
  type NodeFailure,
  type NodeRow,
  type SignalRow,
} from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { auditFields } from "./audit.ts";
import { Change, LastEvent } from "./transition-builder.ts";
import { Ending } from "./failure.ts";
import { eventData, stepOfEventSignal } from "./event-signal.ts";
import { isInner } from "./step-id.ts";
import { InnerNodes } from "./steps.ts";
import { Lifecycle } from "./run-lifecycle.ts";
import { RunState } from "./run-state.ts";
import { lackOf, MAX_CRASHES, misfit, poisoned, recoverNodes } from "./recovery.ts";
import { Again, putBack } from "./rerun.ts";
import { ProgressEvents } from "./progress-events.ts";
import { Readiness } from "./readiness.ts";
import type { GraphDefinition, NodeDefinition } from "../definition/definition-types.ts";
import type { OutboxRows } from "./report-types.ts";
import type { AuditContext } from "../definition/audit-types.ts";
import { withChanges, type AttributeChanges } from "../definition/run-attributes.ts";
import { isSuspended } from "./suspension.ts";
import type { Wait } from "./waits.ts";

/** Columns that an attempt writes to its node's row in addition to its outcome. */
export type Kept = Pick<NodeRow, "state">;

export type NewSignal = Pick<SignalRow, "name" | "payload" | "key" | "actor">;

export class Machine {
  readonly row: GraphRow;
  readonly definition: GraphDefinition;
  readonly #state: RunState;
  readonly #readiness: Readiness;
  readonly #lifecycle: Lifecycle;
  readonly #last: LastEvent;
  /** Steps of workers. */
  readonly inner: InnerNodes;
  /** From the first permanent failure to the last event. */
  readonly ending: Ending;
  /** Reports of workers. */
  readonly progressEvents: ProgressEvents;

  /** @param lastSeq number of the last event of these rows. @param signals signals that no node has received. */
  constructor(
    row: GraphRow,
    nodes: readonly NodeRow[],
    lastSeq: number,
    definition: GraphDefinition,
    outboxRows: OutboxRows,
    signals: readonly SignalRow[] = [],
  ) {
    this.row = row;
    this.#last = new LastEvent(lastSeq);
    this.definition = definition;
    this.#lifecycle = new Lifecycle(row, definition.options, outboxRows);
    this.#state = new RunState(nodes, definition);
    this.#readiness = new Readiness(row, this.#state);
    this.inner = new InnerNodes(row, this.#state, this.#readiness, signals);
    const [lifecycle, state, { inner }] = [this.#lifecycle, this.#state, this];
    this.progressEvents = new ProgressEvents(row, lifecycle, this.#last);
    this.ending = new Ending({ lifecycle, state, inner, last: this.#last });
  }

  node(id: string): NodeRow | undefined {
    return this.#state.get(id);
  }

  nodes(): NodeRow[] {
    return this.#state.all();
  }

  /** Number of the last event, including uncommitted transitions. */
  get lastSeq(): number {
    return this.#last.seq;
  }

  get isTerminal(): boolean {
    return hasEnded(this.row);
  }

  /** Nodes that became ready since the last call; none unless the run is running. */
  takeReady(): NodeRow[] {
    return this.row.phase === "running" ? this.#readiness.takeReady() : [];
  }

  /** Nodes that wait for their next attempt. */
  retrying(): NodeRow[] {
    return this.#state.withStatus("retrying");
  }

  /** Results that a node may read: of the nodes it depends on, by name; of a fan-out as an array in item order. */
  deps(definition: NodeDefinition): Record<string, Json> {
    return this.#state.deps(definition);
  }

  /** @throws SvcError `SVC_DEFINITION` if the definition lacks the node. */
  definitionOf(nodeId: string): NodeDefinition {
    return this.inner.definitionOf(nodeId) ?? this.#state.definitionOf(nodeId);
  }

  // Transitions. Each returns the change to commit.

  /**
   * Starts a run that is due. One that needs a key waits for it.
   * @param into the transition that inserts the run; default: a new one. @returns undefined if it waits already.
   */
  begin(nowMs: number, into?: Transition): Transition | undefined {
    if (waitsForKey(this.row)) return undefined;
    const change = new Change(this.row, nowMs, this.#last, into);
    if (this.#lifecycle.needsKey) {
      this.#lifecycle.enqueue(change);
      return change.transition;
    }
    this.#lifecycle.start(change);
    this.#advance(change);
    return change.transition;
  }

  /** The store has admitted the run: its key was free. It may begin. */
  admitted(nowMs: number): void {
    this.row.admittedMs = nowMs;
  }

  /** @param into a transition to extend; default: a new one. */
  nodeStarted(node: NodeRow, nowMs: number, into?: Transition): Transition {
    const change = new Change(this.row, nowMs, this.#last, into);
    this.#state.running++;
    const { id } = node;
    const columns: Partial<NodeRow> = { id, status: "running", attempt: node.attempt + 1, startedMs: nowMs };
    // For most nodes this is the first attempt, and each column costs time.
    if (node.epoch !== this.row.epoch) columns.epoch = this.row.epoch;
    if (node.dueMs !== undefined) columns.dueMs = undefined;
    if (node.error !== undefined) columns.error = undefined;
    change.node(node, columns);
    change.event("node.started", node.id, { attempt: node.attempt });
    return change.transition;
  }

  /** @param kept columns that the attempt writes. */
  nodeDone(node: NodeRow, result: Json, nowMs: number, kept?: Kept): Transition {
    const change = new Change(this.row, nowMs, this.#last);
    this.#attemptEnded(change, node, true);
    const columns = { id: node.id, status: "done", result, finishedMs: nowMs } as const;
    change.node(node, kept ? { ...kept, ...columns } : columns);
    change.event("node.done", node.id);
    // A called node has an order among the steps of its caller.
    if (isInner(node.id) || this.definitionOf(node.id).worker.options.compensate)
      change.node(node, { doneSeq: this.#last.seq });
    if (this.ending.isActive) this.ending.settle(change);
    else this.#ended(change, node);
    this.#settlePause(change);
    return change.transition;
  }

  /** @param retryAtMs time of the next attempt; undefined fails the run. */
  nodeFailed(node: NodeRow, error: NodeFailure, retryAtMs: number | undefined, nowMs: number, kept?: Kept): Transition {
    const change = new Change(this.row, nowMs, this.#last);
    const isLast = retryAtMs === undefined || this.ending.isActive;
    this.#attemptEnded(change, node, isLast);
    if (kept) change.node(node, kept);
    if (isLast) {
      this.#failNode(change, node, error);
    } else {
      this.inner.retrySteps(change, node);
      // The attempt has ended, so it has not crashed the process.
      this.inner.progressed(change, node);
      change.node(node, { status: "retrying", error, dueMs: retryAtMs });
      change.event("node.retrying", node.id, {
        ...withoutOrigin(error),
        attempt: node.attempt,
        due_ms: retryAtMs,
      });
    }
    this.#settlePause(change);
    return change.transition;
  }

  /** A retry is due. */
  nodeReady(node: NodeRow, nowMs: number): Transition | undefined {
    if (this.ending.isActive) return undefined;
    const change = new Change(this.row, nowMs, this.#last);
    this.#readiness.makeReady(change, node);
    return change.transition;
  }

  /** The process stops, or the run pauses: the attempt does not count, and the node runs again. */
  nodeInterrupted(node: NodeRow, nowMs: number): Transition {
    const change = new Change(this.row, nowMs, this.#last);
    this.#attemptEnded(change, node, false);
    // A node of a failed run does not run again: it was running, and its onCancel is called.
    if (!this.ending.isActive) change.node(node, { attempt: node.attempt - 1 });
    this.#readiness.makeReady(change, node);
    if (this.ending.isActive) this.ending.settle(change);
    this.#settlePause(change);
    return change.transition;
  }

  /** The process that ran the node for this one has died. */
  nodeCrashed(node: NodeRow, nowMs: number): Transition {
    const change = new Change(this.row, nowMs, this.#last);
    const crashes = node.crashes + 1;
    const isPoison = crashes >= MAX_CRASHES;
    this.#attemptEnded(change, node, isPoison);
    change.node(node, { crashes });
    if (isPoison) this.#failNode(change, node, poisoned(node));
    else this.#readiness.makeReady(change, node);
    this.#settlePause(change);
    return change.transition;
  }

  /**
   * Records that all attempts only wait: without them the run goes on when a wait is over.
   * @param fromMs earliest end of a wait. @returns undefined if it may not, or has done so.
   */
  suspend(nowMs: number, fromMs: number): Transition | undefined {
    const waiting = this.#state.withStatus("waiting").filter((node) => node.kind === "node" && !isSuspended(node));
    if (this.row.phase !== "running" || !waiting.every((node) => this.inner.maySuspend(node, fromMs))) return undefined;
    const change = new Change(this.row, nowMs, this.#last);
    for (const node of waiting) this.inner.suspend(change, node);
    return change.isEmpty ? undefined : change.transition;
  }

  /** Steps of nodes (steps.ts). */
  inside(nowMs: number, decide: (change: Change, inner: InnerNodes) => void): Transition {
    const change = new Change(this.row, nowMs, this.#last);
    decide(change, this.inner);
    // The last running node may wait by now.
    if (this.ending.isActive) this.ending.settle(change);
    this.#settlePause(change);
    return change.transition;
  }

  /** @throws FinalError if the run would have too many attributes, which the attempt has checked before. */
  setAttributes(change: Change, node: NodeRow, changes: AttributeChanges): void {
    this.#lifecycle.set(change, { attributes: withChanges(this.row.attributes, changes, node.id) });
    change.event("attributes", node.id, { set: changes });
  }

  /** @param signal as it was sent. @param wait the wait that receives it. @param value value for the worker. */
  signalled(signal: NewSignal, wait: Wait | undefined, value: Json, nowMs: number): Transition {
    this.#lifecycle.require("signal", ["queued", "running", "pausing", "paused", "parked"]);
    return this.inside(nowMs, (change, inner) => {
      const { name, actor, payload } = signal;
      const isEvent = stepOfEventSignal(name) !== undefined;
      const sent = isEvent ? eventData(payload) : { name };
      change.event("graph.signal", undefined, { ...sent, ...(actor === undefined ? {} : { by: actor }) });
      inner.signalled(
        change,
        { ...signal, graphId: this.row.id, seq: this.lastSeq, createdMs: nowMs, node: undefined },
        wait,
        value,
      );
    });
  }

  pause(nowMs: number, auditContext?: AuditContext): Transition {
    this.#lifecycle.require("pause", ["queued", "running"]);
    const change = new Change(this.row, nowMs, this.#last);
    this.#lifecycle.pause(change, auditContext);
    this.#settlePause(change);
    return change.transition;
  }

  resume(nowMs: number, auditContext?: AuditContext): Transition {
    this.#lifecycle.require("resume", ["pausing", "paused"]);
    const problem = misfit(this.row, this.#state);
    if (problem !== undefined)
      throw new SvcError("SVC_TRANSITION", `The graph ${this.row.id} can't be resumed by this build: ${problem}`);
    const change = new Change(this.row, nowMs, this.#last);
    const isEarly = this.#lifecycle.needsKey || (this.row.startedMs === undefined && this.row.dueMs > nowMs);
    this.#lifecycle.resume(change, isEarly, auditContext);
    if (isEarly) return change.transition;
    this.#readiness.readAgain();
    // Paused before it started.
    if (this.row.startedMs === undefined) this.#lifecycle.start(change);
    this.#advance(change);
    this.inner.settleAll(change);
    return change.transition;
  }

  /** @param message message of its error. */
  cancel(nowMs: number, auditContext?: AuditContext, message = "Cancelled by an operator"): Transition {
    this.#lifecycle.require("cancel", ["queued", "running", "pausing", "paused", "parked"]);
    const change = new Change(this.row, nowMs, this.#last);
    this.ending.fail(change, { message, reason: "cancelled" }, auditContext);
    return change.transition;
  }

  /** Ends the run at once, also while it is being compensated. */
  terminate(nowMs: number, auditContext?: AuditContext): Transition {
    this.#lifecycle.require("terminate", ["queued", "running", "pausing", "paused", "parked", "cancelling"]);
    const change = new Change(this.row, nowMs, this.#last);
    this.ending.terminate(change, { message: "Terminated by an operator", reason: "cancelled" }, auditContext);
    return change.transition;
  }

  /** @param from the node to run again with all that follow it; undefined: all unfinished nodes. */
  retry(nowMs: number, auditContext?: AuditContext, from?: string): Transition {
    this.#lifecycle.require("retry", from === undefined ? ["failed"] : ["done", "failed"]);
    const again = from === undefined ? undefined : new Again(this.definition, this.nodes(), from);
    const change = new Change(this.row, nowMs, this.#last);
    this.#lifecycle.restart(change);
    this.inner.clear();
    putBack(change, this.#state, again);
    // Nodes that were ready when the run ended may be gone. Their worker asks for them again.
    this.#readiness.readAgain();
    const data = { epoch: this.row.epoch, ...(from && { from }), ...auditFields(auditContext) };
    // It starts again once its key is free.
    if (this.#lifecycle.needsKey) this.#lifecycle.enqueue(change, data);
    else {
      change.event("graph.started", undefined, data);
      this.#advance(change);
    }
    return change.transition;
  }

  /**
   * Running nodes are ready again, or poison. A run is parked if this build can't execute it, and continues once a build can.
   * @param hasCrashed whether the process died with it; a fault of the store is not the node's fault.
   * @param ranBeside whether a node ran in another process, so that it did not crash this one. Undefined if there is no other.
   * @returns undefined if nothing needs a change.
   */
  recover(nowMs: number, hasCrashed: boolean, ranBeside?: (node: NodeRow) => boolean): Transition | undefined {
    if (this.ending.isActive) {
      if (lackOf(this.#state) === undefined) return this.ending.recover(nowMs, hasCrashed);
      this.ending.hold();
      return undefined;
    }
    const problem = misfit(this.row, this.#state);
    const change = new Change(this.row, nowMs, this.#last);
    const hasDied = (node: NodeRow): boolean => hasCrashed && ranBeside?.(node) !== true;
    if (problem !== undefined && !this.#mayPark(problem)) return undefined;
    const poison = recoverNodes(change, this.#state, hasDied, ranBeside === undefined);
    if (problem !== undefined) return this.#park(change, problem);
    if (this.row.phase === "parked") this.#lifecycle.unpark(change);
    this.#readiness.readAgain();
    for (const node of poison) {
      this.#readiness.drop(node);
      this.#recordFailure(change, node, poisoned(node));
    }
    // Record each before the first of them ends the run, because nothing follows the run's last event.
    for (const node of poison) if (!this.isTerminal && !this.ending.isActive) this.#hasFailed(change, node);
    if (this.row.phase === "pausing") this.#settlePause(change);
    else if (this.row.phase === "running") this.#advance(change);
    return change.isEmpty ? undefined : change.transition;
  }

  // Decisions shared by the transitions.

  /** A paused run stays paused: it does nothing, and `resume` checks it again. */
  #mayPark(problem: string): boolean {
    const { phase, error } = this.row;
    return phase !== "paused" && !(phase === "parked" && error?.message === problem);
  }

  #park(change: Change, problem: string): Transition {
    if (this.row.phase === "pausing") this.#settlePause(change);
    else this.#lifecycle.park(change, problem);
    return change.transition;
  }

  #attemptEnded(change: Change, node: NodeRow, isOver: boolean): void {
    if (node.status === "running") this.#state.running--;
    this.inner.release(change, node, isOver);
  }

  /** A node is done, or has failed and may. */
  #ended(change: Change, node: NodeRow): void {
    if (isInner(node.id)) return this.inner.ended(change, node);
    if (this.#state.noteEnd(node)) return this.#advance(change);
    this.#readiness.feed(change, this.definitionOf(node.id));
  }

  #failNode(change: Change, node: NodeRow, error: NodeFailure): void {
    this.#recordFailure(change, node, error);
    if (this.ending.isActive) this.ending.settle(change);
    else this.#hasFailed(change, node);
  }

  #recordFailure(change: Change, node: NodeRow, error: NodeFailure): void {
    change.node(node, { status: "failed", error, finishedMs: change.nowMs });
    change.event("node.failed", node.id, { ...withoutOrigin(error) });
    if (isInner(node.id)) change.node(node, { doneSeq: this.#last.seq });
  }

  #hasFailed(change: Change, node: NodeRow): void {
    if (this.definitionOf(node.id).mayFail) return this.#ended(change, node);
    const reported = withoutOrigin(node.error as NodeFailure);
    this.ending.nodeFailed(change, reported, this.definition.options.onError === "drain");
  }

  /** Starts nodes that are ready, and ends the run if none is left or the readiness of one can't be computed. */
  #advance(change: Change): void {
    const left = this.#readiness.advance(change);
    if (left === "none") this.#lifecycle.done(change, this.#state.result());
    else if (left !== "some") this.ending.fail(change, left);
  }

  #settlePause(change: Change): void {
    if (this.row.phase === "pausing" && this.#state.running === 0) this.#lifecycle.paused(change);
  }
}
