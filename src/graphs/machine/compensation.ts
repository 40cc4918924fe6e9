/**
 * Compensation of a run that failed permanently or was cancelled: first `onCancel` of running nodes, then `compensate` of finished nodes,
 * last finished first, one at a time. Changes the rows in memory and the given change. machine.ts decides when compensation starts, and
 * that the run has failed once nothing is left.
 * | node                      | what happens                          | node after                             |
 * |---------------------------|---------------------------------------|----------------------------------------|
 * | started, not ended        | the run fails, it has `onCancel`      | cancelling                             |
 * | cancelling                | onCancel returned, or failed for good | cancelled (with the error)             |
 * | done, by this run         | its turn, it has `compensate`         | compensating                           |
 * | compensating              | compensate returned                   | compensated                            |
 * | compensating              | it failed, tries left                 | compensating, due later                |
 * | compensating              | it failed for good, or timed out      | uncompensated (with the error)         |
 * | pending, `onFailure`    | all others are compensated            | running                                |
 * | running, `onFailure`    | it returned; failed for good          | done; failed (with the error)          |
 * Nothing loops: each is tried as often as its worker's `retry` allows, and fewer times if it crashes the process. A row has no `dueMs`
 * while it is being tried; before and between tries it has one.
 */
import {
  withoutOrigin,
  type FailureReason,
  type GraphRow,
  type NodeFailure,
  type NodeRow,
} from "../../storage/contract/graph-rows.ts";
import type { Change } from "./transition-builder.ts";
import type { RunState } from "./run-state.ts";
import { DONE_REMOTELY } from "./node-rows.ts";
import { MAX_CRASHES } from "./recovery.ts";
import type { AnyOptions } from "../definition/worker-types.ts";

export class Compensation {
  readonly #row: GraphRow;
  readonly #state: RunState;
  /** Nodes left to compensate, the next one last. Created on first use: few runs are compensated. */
  #left: NodeRow[] | undefined;

  constructor(row: GraphRow, state: RunState) {
    this.#row = row;
    this.#state = state;
  }

  /** The node that is being compensated. */
  get current(): NodeRow | undefined {
    return this.#row.phase === "cancelling" ? this.#pending().at(-1) : undefined;
  }

  /** Ends running nodes. Those whose worker has `onCancel` are next. */
  stop(change: Change): void {
    for (const node of this.#state.all()) {
      if (!isActive(node) || this.#isHandler(node)) continue;
      const isReported = this.#options(node)?.onCancel !== undefined;
      if (isReported) change.node(node, { status: "cancelling", attempt: 1, crashes: 0, dueMs: change.nowMs });
      else if (node.status === "running" || node.status === "waiting")
        change.node(node, {
          status: "cancelled",
          finishedMs: change.nowMs,
          ...(node.awaits !== undefined && { awaits: undefined }),
        });
    }
    this.#left = undefined;
  }

  /** Starts the next one. @param reason why the run fails. @returns false if none is left. */
  next(change: Change, reason: FailureReason): boolean {
    const node = this.#pending(reason).at(-1);
    if (node?.status === "pending") {
      const columns = { status: "running", attempt: 1, startedMs: change.nowMs, dueMs: change.nowMs } as const;
      change.node(node, { ...columns, epoch: this.#row.epoch });
      change.event("node.started", node.id, { attempt: 1 });
    }
    if (node?.status === "done") {
      change.node(node, { status: "compensating", attempt: 1, crashes: 0, error: undefined, dueMs: change.nowMs });
      change.event("node.compensating", node.id);
    }
    return node !== undefined;
  }

  /** Called when the worker is called: a crash from here on may be its fault. */
  begun(change: Change, node: NodeRow): void {
    change.node(node, { dueMs: undefined });
  }

  /** The process stops: the attempt does not count. */
  interrupted(change: Change, node: NodeRow): void {
    change.node(node, { dueMs: change.nowMs });
  }

  done(change: Change, node: NodeRow): void {
    this.#left?.pop();
    if (this.#isHandler(node)) {
      change.node(node, { status: "done", finishedMs: change.nowMs, dueMs: undefined });
      return change.event("node.done", node.id);
    }
    const isReported = node.status === "cancelling";
    change.node(node, { status: isReported ? "cancelled" : "compensated", finishedMs: change.nowMs, dueMs: undefined });
    change.event(isReported ? "node.cancelled" : "node.compensated", node.id);
  }

  /** @param retryAtMs time of the next try; undefined: the failure is recorded, and the next node follows. */
  failed(change: Change, node: NodeRow, error: NodeFailure, retryAtMs: number | undefined): void {
    if (retryAtMs !== undefined) {
      change.node(node, { attempt: node.attempt + 1, error, dueMs: retryAtMs });
      change.event("node.retrying", node.id, {
        ...withoutOrigin(error),
        attempt: node.attempt - 1,
        due_ms: retryAtMs,
      });
      return;
    }
    this.#left?.pop();
    this.#record(change, node, error);
  }

  /** Compensates nothing more. */
  giveUp(change: Change, message: string, reason: FailureReason): void {
    for (const node of this.#pending().splice(0).reverse())
      this.#record(change, node, { message, reason, node: node.id });
  }

  /** After a crash, or a fault of the store. */
  recover(change: Change, hasCrashed: boolean): void {
    this.#left = undefined;
    const node = this.current;
    // A node that waited for its time or a slot can't have crashed the process.
    if (!node || node.status === "done" || node.dueMs !== undefined) return;
    this.interrupted(change, node);
    if (!hasCrashed) return;
    change.node(node, { crashes: node.crashes + 1 });
    if (node.crashes < MAX_CRASHES) return;
    const message = `The process died ${node.crashes} times during the compensation of "${node.id}"`;
    this.failed(change, node, { message, reason: "poison", node: node.id }, undefined);
  }

  #record(change: Change, node: NodeRow, error: NodeFailure): void {
    if (this.#isHandler(node)) {
      change.node(node, { status: "failed", error, finishedMs: change.nowMs, dueMs: undefined });
      return change.event("node.failed", node.id, { ...withoutOrigin(error) });
    }
    const isReported = node.status === "cancelling";
    change.node(node, {
      status: isReported ? "cancelled" : "uncompensated",
      error,
      finishedMs: isReported ? change.nowMs : node.finishedMs,
      dueMs: undefined,
    });
    change.event(isReported ? "node.cancelled" : "node.uncompensated", node.id, { ...withoutOrigin(error) });
  }

  #pending(reason = this.#row.error?.reason): NodeRow[] {
    if (this.#left) return this.#left;
    const nodes = this.#state.all().filter((node) => this.#isLeft(node));
    this.#left = [...this.#handlers(reason), ...nodes.sort(byTurn)];
    return this.#left;
  }

  /** The graph's `onFailure`, which comes last, unless it was called. A cancelled run has not failed. */
  #handlers(reason: FailureReason | undefined): NodeRow[] {
    const { failureHandler } = this.#state;
    const node = failureHandler === undefined || reason === "cancelled" ? undefined : this.#state.get(failureHandler);
    return node?.status === "pending" || node?.status === "running" ? [node] : [];
  }

  #isHandler({ id }: NodeRow): boolean {
    return id === this.#state.failureHandler;
  }

  #isLeft(node: NodeRow): boolean {
    if (this.#isHandler(node)) return false;
    if (node.status === "cancelling" || node.status === "compensating") return true;
    if (node.status !== "done" || node.doneSeq === DONE_REMOTELY) return false;
    return this.#options(node)?.compensate !== undefined;
  }

  /** Undefined for steps, and for nodes that a changed definition lacks. */
  #options({ id }: NodeRow): AnyOptions | undefined {
    if (id.includes("#")) return undefined;
    const name = id.split("/", 1)[0];
    return this.#state.definition.nodes.find((node) => node.name === name)?.worker.options;
  }
}

/** Whether it was started and has not ended. An aborted attempt counts here, although it does not count as a try. */
function isActive({ status, startedMs }: NodeRow): boolean {
  if (status === "running" || status === "waiting") return true;
  return startedMs !== undefined && (status === "retrying" || status === "ready");
}

/** Order, last is next: `onCancel` first, then compensations that were started, then the last finished node. */
function byTurn(a: NodeRow, b: NodeRow): number {
  return rank(a) - rank(b) || (a.doneSeq ?? 0) - (b.doneSeq ?? 0) || (a.startedMs ?? 0) - (b.startedMs ?? 0);
}

function rank({ status }: NodeRow): number {
  return status === "cancelling" ? 2 : status === "compensating" ? 1 : 0;
}
