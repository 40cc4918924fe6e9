/**
 * Durable operations inside a node: steps, sleeps, waits for signals, calls of workers. Each is a step with a row of its own. This part
 * of the state machine decides their changes; beside the rows it keeps the open waits of attempts in this process.
 * | step             | event                     | status after | its owner                                  |
 * |------------------|---------------------------|--------------|--------------------------------------------|
 * | ctx.step         | has run                   | done, failed | stays running                              |
 * | ctx.step, failed | its attempt has failed    | pending      | retrying                                   |
 * | sleep, wait      | opened                    | waiting      | waiting                                    |
 * | sleep            | due                       | done         | running, when it waits for nothing more    |
 * | wait             | signal of its name        | done         | as above                                   |
 * | event            | event that matches        | done         | as above                                   |
 * | wait, event      | timed out                 | failed       | as above                                   |
 * | node (a call)    | opened                    | ready        | waiting                                    |
 * | node             | ends, as every node does  | done, failed | running, when all of the call have ended   |
 * | any that is open | the owner's attempt ends  | cancelled, or unchanged for the next attempt              |
 * Waits settle only while the run is running. Those that fall due in a pause settle when it is resumed.
 */
import { LazyMap } from "../../platform/shared/collections/lazy-map.ts";
import type { Json } from "../../platform/shared/json.ts";
import {
  withoutOrigin,
  type Failure,
  type GraphRow,
  type NodeFailure,
  type NodeRow,
  type NodeStatus,
  type SignalRow,
  type StepKind,
} from "../../storage/contract/graph-rows.ts";
import { eventIn, eventSignal, startKey, type EventId } from "./event-signal.ts";
import type { Change } from "./transition-builder.ts";
import { callId, innerPrefix, ownerOf } from "./step-id.ts";
import type { RunState } from "./run-state.ts";
import type { Readiness } from "./readiness.ts";
import { innerNode } from "./node-rows.ts";
import { Signals } from "./signals.ts";
import type { NodeDefinition } from "../definition/definition-types.ts";
import { endOfWaits, isSuspended } from "./suspension.ts";
import { NodesWait, callOutcome, type CallOptions, type Wait } from "./waits.ts";

type StepColumns = Pick<NodeRow, "id" | "kind" | "status" | "result" | "error" | "startedMs">;
type StepResult = { id: string; kind: StepKind; result: Json };
type StepFailure = { id: string; kind: StepKind; error: NodeFailure; startedMs: number };

const OPEN: readonly NodeStatus[] = ["pending", "ready", "running", "retrying", "waiting"];

export class InnerNodes {
  readonly #row: GraphRow;
  readonly #state: RunState;
  readonly #readiness: Readiness;
  readonly signals: Signals;
  /** Open waits by the id under which they were opened. */
  readonly #waits = new Map<string, Wait>();
  /** Number of open waits of each node. */
  readonly #open = new Map<string, number>();
  /** Events that the steps of a node have received, by node. */
  readonly #received = new LazyMap<string, Set<string>>();
  #woken: Wait[] = [];
  #dropped: string[] = [];

  constructor(row: GraphRow, state: RunState, readiness: Readiness, signals: readonly SignalRow[]) {
    this.signals = new Signals(signals);
    this.#row = row;
    this.#state = state;
    this.#readiness = readiness;
  }

  /** Waits that settled since the last call, to wake once that is committed. */
  takeWoken(): Wait[] {
    return this.#woken.length === 0 ? this.#woken : this.#woken.splice(0);
  }

  /** Nodes whose attempts are no longer needed, since the last call. */
  takeDropped(): string[] {
    return this.#dropped.length === 0 ? this.#dropped : this.#dropped.splice(0);
  }

  /** Number of open waits of a node. */
  openOf(nodeId: string): number {
    return this.#open.get(nodeId) ?? 0;
  }

  /** Whether all waits of a node are open again after a restart of its attempt. */
  isWaitingAgain(nodeId: string): boolean {
    const open = this.#state.innerOf(nodeId).filter(({ id, status }) => status === "waiting" && ownerOf(id) === nodeId);
    return this.openOf(nodeId) >= open.length;
  }

  /** Whether a node waits for nothing but signals, events and times from this one on, and none has come. */
  maySuspend(node: NodeRow, fromMs: number): boolean {
    for (const wait of this.#waits.values())
      if (wait.owner.id === node.id && (wait.kind === "nodes" || this.signals.of(wait))) return false;
    return this.openOf(node.id) > 0 && endOfWaits(node, this.#state.innerOf(node.id)) >= fromMs;
  }

  /** Records that the node's attempt only waits. */
  suspend(change: Change, node: NodeRow): void {
    change.node(node, { dueMs: endOfWaits(node, this.#state.innerOf(node.id)) });
  }

  /** Names of signals for which nodes wait. */
  awaited(): string[] {
    return [...this.#waits.values()].flatMap(({ signal }) => signal ?? []);
  }

  // Steps.

  /** Stores the result of a step. */
  stepDone(change: Change, owner: NodeRow, { id, kind, result }: StepResult, startedMs: number): void {
    change.event("node.done", id);
    this.#record(change, owner, { id, kind, status: "done", result, error: undefined, startedMs });
  }

  /** Stores the error of a step: the attempt gets it again after a restart, until it fails itself. */
  stepFailed(change: Change, owner: NodeRow, { id, kind, error, startedMs }: StepFailure): void {
    change.event("node.failed", id, { ...withoutOrigin(error) });
    this.#record(change, owner, { id, kind, status: "failed", result: undefined, error, startedMs });
  }

  #record(change: Change, owner: NodeRow, columns: StepColumns): void {
    const { id, kind } = columns;
    const outcome = { ...columns, attempt: 1, finishedMs: change.nowMs, doneSeq: change.seq };
    this.progressed(change, owner);
    const known = this.#state.get(id);
    if (known) change.node(known, outcome);
    else this.#insert(change, Object.assign(innerNode(owner, id, kind, owner.worker), outcome));
  }

  /** A node that makes progress is not the one that crashes the process: its crashes are counted from here on. */
  progressed(change: Change, owner: NodeRow): void {
    if (owner.crashes > 0) change.node(owner, { crashes: 0 });
  }

  /** An attempt has failed: the next one runs its failed steps again. */
  retrySteps(change: Change, owner: NodeRow): void {
    for (const row of this.#state.innerOf(owner.id)) {
      if (row.status !== "failed" || !isStep(row) || ownerOf(row.id) !== owner.id) continue;
      change.node(row, { status: "pending", error: undefined, finishedMs: undefined, doneSeq: undefined });
    }
  }

  /** Ids of the calls that a node has made, in this attempt or an earlier one. */
  callsOf(nodeId: string): Set<string> {
    const own = this.#state.innerOf(nodeId).filter(({ id }) => ownerOf(id) === nodeId);
    return new Set(own.map(({ id }) => callId(id)));
  }

  /** Orders of the outcomes that were recorded in a node: one for each call. */
  ordersOf(nodeId: string): number[] {
    const orders = new Map<string, number>();
    for (const { id, doneSeq } of this.#state.innerOf(nodeId)) {
      if (doneSeq === undefined || ownerOf(id) !== nodeId) continue;
      orders.set(callId(id), Math.max(doneSeq, orders.get(callId(id)) ?? -Infinity));
    }
    return [...orders.values()];
  }

  /** Order of the recorded outcome of a wait; undefined: in no order. */
  orderOf(wait: Wait): number | undefined {
    if (!(wait instanceof NodesWait)) return this.#state.get(wait.id)?.doneSeq;
    // The node that ended last has ended the call.
    const order = wait.rows.reduce((last, { doneSeq = -Infinity }) => Math.max(last, doneSeq), -Infinity);
    return order === -Infinity ? undefined : order;
  }

  /** The row that an earlier attempt has recorded under this id, whatever call it was; of a `ctx.map` its first item. */
  recorded(id: string): NodeRow | undefined {
    return this.#state.get(id) ?? this.#state.get(`${id}/0`);
  }

  // Sleeps and signals.

  /** @param dueMs used unless the sleep continues from an earlier attempt. */
  sleep(change: Change, wait: Wait, dueMs: number): void {
    this.#begin(change, wait, "sleep", dueMs);
  }

  /** @param dueMs timeout; undefined: none. Used as for a sleep. */
  signal(change: Change, wait: Wait, dueMs: number | undefined): void {
    this.#begin(change, wait, wait.event ? "event" : "wait", dueMs);
  }

  #begin(change: Change, wait: Wait, kind: "sleep" | "wait" | "event", dueMs: number | undefined): void {
    const known = this.#state.get(wait.id);
    const row = known ?? innerNode(wait.owner, wait.id, kind, wait.owner.worker);
    if (!known) {
      Object.assign(row, { status: "waiting", startedMs: change.nowMs, dueMs });
      if (wait.event) Object.assign(row, { awaits: wait.event.event, input: wait.event });
      if (wait.fields) row.input = { signal: wait.signal ?? "", fields: wait.fields.map((field) => ({ ...field })) };
      this.#insert(change, row);
    }
    wait.dueMs = row.dueMs;
    this.#add(wait);
    this.settle(change, wait);
    if (wait.outcome) return;
    const event = wait.event && { event: wait.event.event };
    change.event("node.waiting", wait.id, {
      kind,
      ...event,
      ...(row.dueMs === undefined ? {} : { due_ms: row.dueMs }),
    });
    this.#park(change, wait.owner);
  }

  /** Settles a sleep or wait whose time has come. The earlier event wins, not the one that is checked first. */
  settle(change: Change, wait: Wait): void {
    if (this.#waits.get(wait.id) !== wait || this.#row.phase !== "running" || wait.kind === "nodes") return;
    const { dueMs = Infinity } = wait;
    const signal = wait.signal === undefined ? undefined : this.signals.of(wait);
    if (signal && signal.row.createdMs <= dueMs) {
      this.signals.take(change, signal, wait);
      this.#finish(change, wait, { ok: true, value: signal.value });
    } else if (dueMs <= change.nowMs || wait.isOverdue) this.#finish(change, wait, timeUp(wait));
  }

  /** Settles everything that is due, after a pause. */
  settleAll(change: Change): void {
    for (const wait of this.#waits.values()) {
      this.settle(change, wait);
      if (wait instanceof NodesWait) this.#feed(change, wait);
    }
  }

  /** The wait that a signal of this name would settle: the first one without a signal. */
  waiterFor(name: string): Wait | undefined {
    for (const wait of this.#waits.values()) if (wait.signal === name && !this.signals.of(wait)) return wait;
    return undefined;
  }

  /** Whether a step waits for an event, has none, and no step of its node has received this one. */
  mayReceiveEvent(stepId: string, event: EventId): boolean {
    const isOpen = this.#state.get(stepId)?.status === "waiting";
    if (!isOpen || this.signals.hasName(eventSignal(stepId))) return false;
    const owner = ownerOf(stepId);
    return !this.#receivedBy(owner).has(startKey(event)) && !this.signals.hasEvent(owner, event);
  }

  /** Events that the steps of a node have received. Read once, because a node may have received thousands. */
  #receivedBy(nodeId: string): Set<string> {
    let known = this.#received.get(nodeId);
    if (known) return known;
    const steps = this.#state.innerOf(nodeId).filter(({ id, kind }) => kind === "event" && ownerOf(id) === nodeId);
    known = new Set(steps.flatMap(({ status, result }) => (status === "done" ? [startKey(eventIn(result))] : [])));
    this.#received.set(nodeId, known);
    return known;
  }

  /** @param wait the wait that validated it. It settles as soon as the run is running. */
  signalled(change: Change, row: SignalRow, wait: Wait | undefined, value: Json): void {
    this.signals.add(change, row, wait, value);
    if (wait) this.settle(change, wait);
  }

  /** Outcome of a wait from an earlier attempt; undefined if it is open. */
  outcomeOf(wait: Wait): Wait["outcome"] {
    if (wait instanceof NodesWait) {
      wait.take(this.#knownRows(wait));
      const isWhole = wait.rows.length >= Math.max(1, wait.size);
      return isWhole && wait.left === 0 ? callOutcome(wait) : undefined;
    }
    const row = this.#state.get(wait.id);
    if (row?.status === "done") return { ok: true, value: row.result ?? null };
    return row?.status === "failed" ? { ok: false, error: row.error as Failure } : undefined;
  }

  // Calls.

  /** Opens a call: a node for each input without one from an earlier attempt. */
  call(change: Change, wait: NodesWait, options: CallOptions): void {
    const rows = this.#callRows(change, wait, options);
    this.#add(wait);
    wait.take(rows);
    this.#feed(change, wait);
    if (wait.left === 0 || (wait.hasFailed && !wait.mayFail)) this.#finish(change, wait, callOutcome(wait));
    else this.#park(change, wait.owner);
  }

  #knownRows({ id, isMap }: NodesWait): NodeRow[] {
    return isMap ? this.#state.itemsOf(id) : [this.#state.get(id)].filter((row) => row !== undefined);
  }

  #callRows(change: Change, wait: NodesWait, { worker, inputs }: CallOptions): NodeRow[] {
    const { id, owner, isMap } = wait;
    // A retried run has kept only finished nodes.
    const known = new Map(this.#knownRows(wait).map((row) => [row.id, row]));
    const rows = inputs.map((input, at) => {
      const ownId = isMap ? `${id}/${at}` : id;
      const old = known.get(ownId);
      known.delete(ownId);
      if (old) return old;
      const row = Object.assign(innerNode(owner, ownId, "node", worker.name), { input });
      this.#insert(change, row);
      return row;
    });
    // A list that has become shorter keeps its stored nodes.
    return [...rows, ...known.values()];
  }

  /** Starts nodes of a call up to its limit. */
  #feed(change: Change, wait: NodesWait): void {
    if (this.#row.phase !== "running") return;
    for (const row of wait.next()) this.#readiness.makeReady(change, row);
  }

  /** Definition of a called node. @returns undefined if no attempt waits for it. */
  definitionOf(nodeId: string): NodeDefinition | undefined {
    const wait = this.#waits.get(callId(nodeId));
    return wait instanceof NodesWait ? wait.definition : undefined;
  }

  /** A called node is done, or has failed permanently. */
  ended(change: Change, node: NodeRow): void {
    const wait = this.#waits.get(callId(node.id));
    if (!(wait instanceof NodesWait)) return;
    wait.ended();
    if (wait.left === 0 || (wait.hasFailed && !wait.mayFail)) this.#finish(change, wait, callOutcome(wait));
    else this.#feed(change, wait);
  }

  // Ends.

  #finish(change: Change, wait: Wait, outcome: NonNullable<Wait["outcome"]>): void {
    const { owner } = wait;
    wait.outcome = outcome;
    this.progressed(change, owner);
    this.#remove(wait);
    this.#woken.push(wait);
    if (wait instanceof NodesWait) this.#drop(change, wait.rows, "cancelled");
    else this.#settleRow(change, wait.id, outcome);
    if (isSuspended(owner)) change.node(owner, { dueMs: undefined });
    if (this.openOf(owner.id) > 0 || owner.status !== "waiting") return;
    change.node(owner, { status: "running" });
    this.#state.running++;
  }

  #settleRow(change: Change, id: string, outcome: NonNullable<Wait["outcome"]>): void {
    const row = this.#state.get(id);
    if (!row) return;
    const finishedMs = change.nowMs;
    if (row.awaits !== undefined) change.node(row, { awaits: undefined });
    if (outcome.ok && row.kind === "event") this.#received.get(ownerOf(id))?.add(startKey(eventIn(outcome.value)));
    if (outcome.ok) {
      change.event("node.done", id);
      change.node(row, { status: "done", result: outcome.value, finishedMs, doneSeq: change.seq });
    } else {
      change.event("node.failed", id, { ...outcome.error });
      change.node(row, { status: "failed", error: outcome.error, finishedMs, doneSeq: change.seq });
    }
  }

  /**
   * Ends the waits of an attempt that has ended.
   * @param isOver whether no later attempt continues them.
   */
  release(change: Change, owner: NodeRow, isOver: boolean): void {
    const inside = this.#state.innerOf(owner.id);
    if (inside.length === 0) return;
    for (const row of inside) {
      const wait = this.#waits.get(callId(row.id));
      if (wait) this.#remove(wait);
    }
    this.signals.releaseHeld((wait) => wait.id.startsWith(innerPrefix(owner.id)));
    const rows = inside.filter((row) => OPEN.includes(row.status));
    this.#drop(change, rows, isOver ? "cancelled" : "pending");
  }

  /** @param status `pending`: the next attempt continues them, with sleeps and waits. */
  #drop(change: Change, rows: readonly NodeRow[], status: "cancelled" | "pending"): void {
    for (const row of rows) {
      if (!OPEN.includes(row.status) || (status === "pending" && row.kind !== "node")) continue;
      if (row.status === "running") this.#state.running--;
      if (row.kind === "node" && row.status !== "pending") this.#dropped.push(row.id);
      const attempt = status === "pending" && row.status === "running" ? row.attempt - 1 : row.attempt;
      change.node(row, {
        status,
        attempt,
        ...(status === "cancelled" ? { finishedMs: change.nowMs } : { dueMs: undefined }),
        ...(row.awaits !== undefined && { awaits: undefined }),
      });
    }
  }

  /** Ends all waits, because the run has ended. */
  clear(): void {
    this.#received.clear();
    this.#waits.clear();
    this.#open.clear();
    this.#woken = [];
    this.signals.releaseHeld(() => true);
  }

  // Shared.

  #insert(change: Change, row: NodeRow): void {
    this.#state.addInner(row);
    change.insert(row);
  }

  #add(wait: Wait): void {
    this.#waits.set(wait.id, wait);
    this.#open.set(wait.owner.id, this.openOf(wait.owner.id) + 1);
  }

  #remove(wait: Wait): void {
    if (!this.#waits.delete(wait.id)) return;
    const left = this.openOf(wait.owner.id) - 1;
    if (left === 0) this.#open.delete(wait.owner.id);
    else this.#open.set(wait.owner.id, left);
  }

  #park(change: Change, owner: NodeRow): void {
    if (owner.status !== "running") return;
    change.node(owner, { status: "waiting" });
    this.#state.running--;
  }
}

function isStep({ kind }: NodeRow): boolean {
  return kind === "step" || kind === "tx" || kind === "artifact";
}

function timeUp({ kind, owner, signal, event, timeout }: Wait): NonNullable<Wait["outcome"]> {
  if (kind === "sleep") return { ok: true, value: null };
  const what = event ? `event "${event.event}"` : `signal "${signal}"`;
  return { ok: false, error: { message: `No ${what} arrived within ${timeout}`, reason: "timeout", node: owner.id } };
}
