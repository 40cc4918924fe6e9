/**
 * The state machine of one graph: a mirror of its rows in memory, and the only place that decides what a transition
 * changes. No I/O: each transition changes the mirror at once and returns the unit to commit; units are committed in the
 * order they are made, so mirror and store agree.
 *
 * | phase (status)      | what happens             | phase after          | events, webhook                       |
 * |---------------------|--------------------------|----------------------|---------------------------------------|
 * | queued (pending)    | begin, when due          | running              | graph.started, node.ready             |
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
 * | any but done/failed | cancel                   | failed (cancelled)   | graph.failed + webhook                |
 * | failed              | retry                    | running, epoch + 1   | graph.started, node.ready             |
 * | done, failed        | retry from a node        | running, epoch + 1   | graph.started, node.ready             |
 *
 * Everything else is refused with `SVC_TRANSITION`. Cancel beats pause; a last node that is done beats both.
 * Source: contract section 4.
 */
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import type { GraphStatus, WebhookEvent } from "../shared/wire.ts";
import type { Failure, GraphPhase, GraphRow, NodeRow, Unit } from "../store/contract.ts";
import { toldOf } from "./audit.ts";
import { Change, type LastEvent } from "./change.ts";
import { Mirror } from "./mirror.ts";
import { Again, putBack } from "./rerun.ts";
import { firstNodes } from "./node-rows.ts";
import { Turns } from "./turns.ts";
import type { GraphDefinition, LifecycleEvent, NodeDefinition, OutboxRows, Steering } from "./types.ts";

export const TERMINAL: readonly GraphPhase[] = ["done", "failed"];

const STATUS: Record<GraphPhase, GraphStatus> = {
  queued: "pending",
  running: "running",
  pausing: "running",
  paused: "paused",
  cancelling: "running",
  done: "done",
  failed: "failed",
};

/** A node that brought its process down this often is not tried again: it would take every other graph with it. */
const MAX_CRASHES = 3;

export class Machine {
  readonly row: GraphRow;
  readonly definition: GraphDefinition;
  readonly #mirror: Mirror;
  readonly #turns: Turns;
  readonly #outboxRows: OutboxRows;
  #running = 0;
  readonly #last: LastEvent;

  /** @param lastSeq number of the last event of the rows given. */
  constructor(
    row: GraphRow,
    nodes: readonly NodeRow[],
    lastSeq: number,
    definition: GraphDefinition,
    outboxRows: OutboxRows,
  ) {
    this.row = row;
    this.#last = { seq: lastSeq };
    this.definition = definition;
    this.#outboxRows = outboxRows;
    this.#mirror = new Mirror(nodes, definition);
    this.#turns = new Turns(row, this.#mirror);
    this.#running = this.#mirror.withStatus("running").length;
  }

  node(id: string): NodeRow | undefined {
    return this.#mirror.get(id);
  }

  nodes(): NodeRow[] {
    return this.#mirror.all();
  }

  /** Number of the last event, counting those of units that are still to be committed. */
  get lastSeq(): number {
    return this.#last.seq;
  }

  get isTerminal(): boolean {
    return TERMINAL.includes(this.row.phase);
  }

  /** Nodes that became ready since this was last asked; none unless the graph is running. */
  takeReady(): NodeRow[] {
    return this.row.phase === "running" ? this.#turns.takeReady() : [];
  }

  /** Nodes that wait for their next attempt. */
  retrying(): NodeRow[] {
    return this.#mirror.withStatus("retrying");
  }

  /** Results a node may read: of the nodes it waits for, by name; a fan-out as an array in item order. */
  deps(definition: NodeDefinition): Record<string, Json> {
    return this.#mirror.deps(definition);
  }

  /** @throws SvcError `SVC_DEFINITION` when the definition no longer has the node. */
  definitionOf(nodeId: string): NodeDefinition {
    return this.#mirror.definitionOf(nodeId);
  }

  // Transitions. Each returns the unit to commit.

  /** @param into the unit that inserts the graph; default: a unit of its own. */
  begin(nowMs: number, into?: Unit): Unit {
    const change = new Change(this.row, nowMs, this.#last, into);
    this.#setPhase(change, "running");
    this.#setGraph(change, { startedMs: this.row.startedMs ?? nowMs });
    change.event("graph.started", undefined, { epoch: this.row.epoch });
    this.#advance(change);
    return change.unit;
  }

  /** @param into a unit just made, to which this is added; default: a unit of its own. */
  nodeStarted(node: NodeRow, nowMs: number, into?: Unit): Unit {
    const change = new Change(this.row, nowMs, this.#last, into);
    this.#running++;
    change.node(node, {
      status: "running",
      attempt: node.attempt + 1,
      epoch: this.row.epoch,
      startedMs: nowMs,
      dueMs: undefined,
      error: undefined,
    });
    change.event("node.started", node.id, { attempt: node.attempt });
    return change.unit;
  }

  nodeDone(node: NodeRow, result: Json, nowMs: number): Unit {
    const change = new Change(this.row, nowMs, this.#last);
    this.#running--;
    change.node(node, { status: "done", result, finishedMs: nowMs });
    change.event("node.done", node.id);
    this.#ended(change, node);
    this.#settlePause(change);
    return change.unit;
  }

  /** @param retryAtMs when to try again; undefined fails the graph. */
  nodeFailed(node: NodeRow, error: Failure, retryAtMs: number | undefined, nowMs: number): Unit {
    const change = new Change(this.row, nowMs, this.#last);
    this.#running--;
    if (retryAtMs === undefined) {
      this.#failNode(change, node, error);
    } else {
      change.node(node, { status: "retrying", error, dueMs: retryAtMs });
      change.event("node.retrying", node.id, { ...error, attempt: node.attempt, due_ms: retryAtMs });
    }
    this.#settlePause(change);
    return change.unit;
  }

  /** A retry fell due. */
  nodeReady(node: NodeRow, nowMs: number): Unit {
    const change = new Change(this.row, nowMs, this.#last);
    this.#turns.makeReady(change, node);
    return change.unit;
  }

  /** The process stops: the attempt does not count as a crash, and the node runs again after the start. */
  nodeInterrupted(node: NodeRow, nowMs: number): Unit {
    const change = new Change(this.row, nowMs, this.#last);
    this.#running--;
    change.node(node, { status: "ready", attempt: node.attempt - 1 });
    change.event("node.ready", node.id);
    return change.unit;
  }

  /** What a worker tells along the way. @returns undefined once the graph has ended: nothing follows its last event. */
  told(
    type: "log" | "custom" | "node.discarded",
    node: string,
    data: Json | undefined,
    nowMs: number,
  ): Unit | undefined {
    if (this.isTerminal) return undefined;
    const change = new Change(this.row, nowMs, this.#last);
    change.event(type, node, data);
    return change.unit;
  }

  /** @returns undefined once the graph has ended. */
  progressed(progress: NonNullable<GraphRow["progress"]>, nowMs: number): Unit | undefined {
    if (this.isTerminal) return undefined;
    const change = new Change(this.row, nowMs, this.#last);
    this.#setGraph(change, { progress });
    change.event("progress", undefined, { ...progress });
    return change.unit;
  }

  pause(nowMs: number, steering?: Steering): Unit {
    this.#require("pause", ["queued", "running"]);
    const change = new Change(this.row, nowMs, this.#last);
    this.#setPhase(change, "pausing");
    change.event("graph.pausing", undefined, toldIf(steering));
    this.#settlePause(change);
    return change.unit;
  }

  resume(nowMs: number, steering?: Steering): Unit {
    this.#require("resume", ["pausing", "paused"]);
    const change = new Change(this.row, nowMs, this.#last);
    const isEarly = this.row.startedMs === undefined && this.row.dueMs > nowMs;
    this.#setPhase(change, isEarly ? "queued" : "running");
    change.event("graph.resumed", undefined, toldIf(steering));
    if (isEarly) return change.unit;
    this.#turns.readAgain();
    // Paused before it ever began.
    if (this.row.startedMs === undefined) {
      this.#setGraph(change, { startedMs: nowMs });
      change.event("graph.started", undefined, { epoch: this.row.epoch });
    }
    this.#advance(change);
    return change.unit;
  }

  cancel(nowMs: number, steering?: Steering): Unit {
    this.#require("cancel", ["queued", "running", "pausing", "paused"]);
    const change = new Change(this.row, nowMs, this.#last);
    this.#fail(change, { message: "Cancelled by an operator", reason: "cancelled" }, steering);
    return change.unit;
  }

  /** @param from the node to run again, with all that comes after it; undefined: all that is not done. */
  retry(nowMs: number, steering?: Steering, from?: string): Unit {
    this.#require("retry", from === undefined ? ["failed"] : ["done", "failed"]);
    const again = from === undefined ? undefined : new Again(this.definition, this.nodes(), from);
    const change = new Change(this.row, nowMs, this.#last);
    this.#setPhase(change, "running");
    this.#setGraph(change, {
      epoch: this.row.epoch + 1,
      result: undefined,
      error: undefined,
      finishedMs: undefined,
      startedMs: this.row.startedMs ?? nowMs,
    });
    putBack(change, this.#mirror, again);
    change.event("graph.started", undefined, { epoch: this.row.epoch, ...(from && { from }), ...toldOf(steering) });
    this.#advance(change);
    return change.unit;
  }

  /**
   * What ran is ready again, or poison; a graph whose definition has changed beyond it fails.
   * @param hasCrashed whether the process died with it; a fault of the store is not the node's doing.
   * @returns undefined when there is nothing to mend.
   */
  recover(nowMs: number, hasCrashed: boolean): Unit | undefined {
    const misfit = this.#misfit();
    if (misfit !== undefined) return this.#abandon(misfit, nowMs);
    const running = this.#mirror.withStatus("running");
    const change = new Change(this.row, nowMs, this.#last);
    this.#running = 0;
    for (const node of running) {
      change.node(node, hasCrashed ? { status: "ready", crashes: node.crashes + 1 } : { status: "ready" });
      change.event("node.ready", node.id);
    }
    this.#turns.readAgain();
    const poison = hasCrashed ? running.find((node) => node.crashes >= MAX_CRASHES) : undefined;
    if (poison) {
      const error: Failure = {
        message: `The process died ${poison.crashes} times while the node "${poison.id}" ran`,
        reason: "poison",
        node: poison.id,
      };
      this.#turns.drop(poison);
      this.#failNode(change, poison, error);
    }
    if (this.row.phase === "pausing") this.#settlePause(change);
    else if (this.row.phase === "running") this.#advance(change);
    return change.isEmpty ? undefined : change.unit;
  }

  // Decisions shared by the transitions.

  /** How the definition no longer fits what the graph was started with; undefined where it does. */
  #misfit(): string | undefined {
    const { row, definition } = this;
    const lost = this.nodes().find(({ id }) => !definition.nodes.some((known) => known.name === id.split("/", 1)[0]));
    if (lost) return `it no longer has the node "${lost.id}"`;
    if (row.definition === definition.hash) return undefined;
    const added = firstNodes(row, definition).filter((node) => !this.node(node.id));
    return added.length === 0 ? undefined : `it has new nodes: ${added.map((node) => node.id).join(", ")}`;
  }

  #abandon(misfit: string, nowMs: number): Unit {
    const change = new Change(this.row, nowMs, this.#last);
    const message = `The definition of "${this.row.worker}" changed while this graph was under way: ${misfit}`;
    this.#fail(change, { message, reason: "error" });
    return change.unit;
  }

  /** A node is done, or has failed and may. */
  #ended(change: Change, node: NodeRow): void {
    if (this.#mirror.noteEnd(node)) return this.#advance(change);
    this.#turns.feed(change, this.definitionOf(node.id));
  }

  #failNode(change: Change, node: NodeRow, error: Failure): void {
    change.node(node, { status: "failed", error, finishedMs: change.nowMs });
    change.event("node.failed", node.id, { ...error });
    if (this.definitionOf(node.id).mayFail) this.#ended(change, node);
    else this.#fail(change, error);
  }

  /** Gives nodes their turn, and ends the graph when nothing is left or the turn of one can't be told. */
  #advance(change: Change): void {
    const left = this.#turns.advance(change);
    if (left === "none") this.#finish(change);
    else if (left !== "some") this.#fail(change, left);
  }

  #finish(change: Change): void {
    this.#setPhase(change, "done");
    this.#setGraph(change, { result: this.#mirror.result(), finishedMs: change.nowMs, progress: undefined });
    change.event("graph.done");
    this.#announce(change, "graph.done");
  }

  #fail(change: Change, error: Failure, steering?: Steering): void {
    for (const node of this.#mirror.withStatus("running"))
      change.node(node, { status: "cancelled", finishedMs: change.nowMs });
    this.#running = 0;
    this.#setPhase(change, "failed");
    this.#setGraph(change, { error, finishedMs: change.nowMs });
    change.event("graph.failed", error.node, { ...error, ...toldOf(steering) });
    this.#announce(change, "graph.failed");
  }

  #settlePause(change: Change): void {
    if (this.row.phase !== "pausing" || this.#running > 0) return;
    this.#setPhase(change, "paused");
    this.#setGraph(change, { pauseNo: this.row.pauseNo + 1 });
    change.event("graph.paused");
    this.#announce(change, "graph.paused");
  }

  #announce(change: Change, event: WebhookEvent): void {
    const { row } = this;
    const lifecycle: LifecycleEvent = {
      event,
      graphId: row.id,
      worker: row.worker,
      status: row.status,
      timestampMs: change.nowMs,
      durationMs: row.startedMs === undefined ? 0 : change.nowMs - row.startedMs,
      result: row.result,
      error: row.error,
      epoch: row.epoch,
      pauseNo: row.pauseNo,
    };
    change.unit.outbox = this.#outboxRows(lifecycle);
  }

  #setPhase(change: Change, phase: GraphPhase): void {
    this.#setGraph(change, { phase, status: STATUS[phase] });
  }

  #setGraph(change: Change, columns: NonNullable<Unit["graph"]>): void {
    Object.assign(this.row, columns);
    change.unit.graph = { ...change.unit.graph, ...columns };
  }

  #require(action: string, phases: readonly GraphPhase[]): void {
    const { id, phase } = this.row;
    if (phases.includes(phase)) return;
    throw new SvcError(
      "SVC_TRANSITION",
      `The graph ${id} is ${phase}; ${action} needs it to be ${phases.join(" or ")}`,
    );
  }
}

/** Data of an event that says no more than who wanted it, and why. */
function toldIf(steering: Steering | undefined): Json | undefined {
  const told = toldOf(steering);
  return Object.keys(told).length > 0 ? told : undefined;
}
