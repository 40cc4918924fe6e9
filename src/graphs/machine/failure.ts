/**
 * How a graph comes to fail: what runs is stopped, or let end first; what is left to be undone is undone (compensation.ts);
 * then it has failed. The part of the state machine from the first failure for good to `graph.failed`.
 */
import type { Failure, NodeFailure, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import { Change, type LastEvent } from "./transition-builder.ts";
import type { InnerNodes } from "./steps.ts";
import type { Lifecycle } from "./run-lifecycle.ts";
import type { Mirror } from "./run-state.ts";
import type { Steering } from "../definition/audit-types.ts";
import { Unwinding } from "./compensation.ts";

export interface EndingOptions {
  lifecycle: Lifecycle;
  mirror: Mirror;
  inner: InnerNodes;
  last: LastEvent;
}

export class Ending {
  readonly #options: EndingOptions;
  readonly #unwinding: Unwinding;

  constructor(options: EndingOptions) {
    this.#options = options;
    this.#unwinding = new Unwinding(options.lifecycle.row, options.mirror);
  }

  /** Whether the graph has failed, and waits for what runs or is being undone. */
  get isUnderWay(): boolean {
    return this.#options.lifecycle.row.phase === "cancelling";
  }

  /** The node whose work is being undone. */
  get undoing(): NodeRow | undefined {
    return this.#options.mirror.running > 0 ? undefined : this.#unwinding.current;
  }

  // Transitions.

  /** Its `onCancel` or `compensate` is called now. */
  undoBegun(node: NodeRow, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#unwinding.begun(change, node);
    return change.unit;
  }

  /** The process stops meanwhile. */
  undoInterrupted(node: NodeRow, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#unwinding.interrupted(change, node);
    return change.unit;
  }

  /** What a node did is undone. */
  undone(node: NodeRow, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#unwinding.done(change, node);
    this.#unwind(change);
    return change.unit;
  }

  /** @param retryAtMs when to try again; undefined: it is recorded. */
  undoFailed(node: NodeRow, error: NodeFailure, retryAtMs: number | undefined, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#unwinding.failed(change, node, error, retryAtMs);
    this.#unwind(change);
    return change.unit;
  }

  /** `deadlineMs` has come. @returns undefined when it has not, or is no more. */
  overdue(nowMs: number): Transition | undefined {
    const { lifecycle } = this.#options;
    const { deadlineMs } = lifecycle.row;
    if (deadlineMs === undefined || deadlineMs > nowMs) return undefined;
    const change = this.#change(nowMs);
    if (this.isUnderWay) {
      this.#stopRunning(change);
      this.#unwinding.giveUp(change, `Not undone within ${lifecycle.undoTimeout}`);
      this.#unwind(change);
    } else this.fail(change, { message: `No end within ${lifecycle.timeout}`, reason: "timeout" });
    return change.unit;
  }

  /** @returns undefined when there is nothing to mend. */
  recover(nowMs: number, hasCrashed: boolean): Transition | undefined {
    const change = this.#change(nowMs);
    this.#unwinding.recover(change, hasCrashed);
    this.#stopRunning(change);
    this.#unwind(change);
    return change.isEmpty ? undefined : change.unit;
  }

  // Parts of other transitions.

  /** It has failed for good; what is left to be undone comes first. */
  fail(change: Change, error: Failure, steering?: Steering): void {
    const { lifecycle } = this.#options;
    this.#stopRunning(change);
    if (this.#unwinding.next(change)) lifecycle.unwinds(change, error, steering);
    else lifecycle.failed(change, error, steering);
  }

  /** A node has failed for good. @param isDraining whether those that run may end. */
  nodeFailed(change: Change, error: Failure, isDraining: boolean): void {
    if (isDraining && this.#options.mirror.running > 0) this.#options.lifecycle.unwinds(change, error, undefined);
    else this.fail(change, error);
  }

  /** One of those that others' failure has let run on has ended: perhaps the last. */
  settle(change: Change): void {
    if (this.#options.mirror.running > 0) return;
    this.#stopRunning(change);
    this.#unwind(change);
  }

  #change(nowMs: number): Change {
    const { lifecycle, last } = this.#options;
    return new Change(lifecycle.row, nowMs, last);
  }

  #stopRunning(change: Change): void {
    const { mirror, inner } = this.#options;
    this.#unwinding.stop(change);
    mirror.running = 0;
    inner.clear();
  }

  #unwind(change: Change): void {
    const { lifecycle } = this.#options;
    if (!this.#unwinding.next(change)) lifecycle.failed(change, lifecycle.row.error as Failure, undefined);
  }
}
