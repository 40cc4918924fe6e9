/**
 * Failure of a run: running nodes are aborted or may end, finished ones are compensated (compensation.ts), then the run has failed. The
 * part of the state machine from the first permanent failure to `graph.failed`.
 */
import type { Failure, NodeFailure, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { Change, type LastEvent } from "./transition-builder.ts";
import type { InnerNodes } from "./steps.ts";
import type { Lifecycle } from "./run-lifecycle.ts";
import type { RunState } from "./run-state.ts";
import type { AuditContext } from "../definition/audit-types.ts";
import { Compensation } from "./compensation.ts";

export interface EndingOptions {
  lifecycle: Lifecycle;
  state: RunState;
  inner: InnerNodes;
  last: LastEvent;
}

export class Ending {
  readonly #options: EndingOptions;
  readonly #compensation: Compensation;
  #isHeld = false;

  constructor(options: EndingOptions) {
    this.#options = options;
    this.#compensation = new Compensation(options.lifecycle.row, options.state);
  }

  /** Whether the run has failed, and waits for running nodes or compensation. */
  get isActive(): boolean {
    return this.#options.lifecycle.row.phase === "cancelling";
  }

  /** Whether this build can't compensate the run. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** The node that is being compensated. */
  get compensating(): NodeRow | undefined {
    return this.#isHeld || this.#options.state.running > 0 ? undefined : this.#compensation.current;
  }

  // Transitions.

  /** Its `onCancel` or `compensate` is called now. */
  compensationBegun(node: NodeRow, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#compensation.begun(change, node);
    return change.transition;
  }

  /** The process stops meanwhile. */
  compensationInterrupted(node: NodeRow, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#compensation.interrupted(change, node);
    return change.transition;
  }

  /** A node is compensated. */
  undone(node: NodeRow, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#compensation.done(change, node);
    this.#unwind(change);
    return change.transition;
  }

  /** @param retryAtMs time of the next try; undefined: the failure is recorded. */
  compensationFailed(node: NodeRow, error: NodeFailure, retryAtMs: number | undefined, nowMs: number): Transition {
    const change = this.#change(nowMs);
    this.#compensation.failed(change, node, error, retryAtMs);
    this.#unwind(change);
    return change.transition;
  }

  /** `deadlineMs` has passed. @returns undefined if it has not, or no longer applies. */
  overdue(nowMs: number): Transition | undefined {
    const { lifecycle } = this.#options;
    const { deadlineMs } = lifecycle.row;
    if (deadlineMs === undefined || deadlineMs > nowMs || this.#isHeld) return undefined;
    const change = this.#change(nowMs);
    if (this.isActive) {
      this.#stopRunning(change);
      this.#compensation.giveUp(change, `Not compensated within ${lifecycle.undoTimeout}`, "timeout");
      this.#unwind(change);
    } else this.fail(change, { message: `Not finished within ${lifecycle.timeout}`, reason: "timeout" });
    return change.transition;
  }

  /** @returns undefined if nothing needs a change. */
  recover(nowMs: number, hasCrashed: boolean): Transition | undefined {
    const change = this.#change(nowMs);
    this.#compensation.recover(change, hasCrashed);
    this.#stopRunning(change);
    this.#unwind(change);
    return change.isEmpty ? undefined : change.transition;
  }

  /** This build does not know how to compensate the run, so it leaves the run as it is for one that does. */
  hold(): void {
    this.#isHeld = true;
  }

  // Parts of other transitions.

  /** Fails the run; compensation comes first. */
  fail(change: Change, error: Failure, auditContext?: AuditContext): void {
    const { lifecycle } = this.#options;
    this.#stopRunning(change);
    if (this.#compensation.next(change, error.reason)) lifecycle.unwinds(change, error, auditContext);
    else lifecycle.failed(change, error, auditContext);
  }

  /** Ends the run at once: running nodes are aborted, and nothing is compensated. A run that is being compensated keeps its error. */
  terminate(change: Change, error: Failure, auditContext?: AuditContext): void {
    const { lifecycle } = this.#options;
    const { phase, error: first } = lifecycle.row;
    const reported = phase === "cancelling" && first ? first : error;
    this.#stopRunning(change);
    this.#compensation.giveUp(change, "Not compensated: the run was terminated", "cancelled");
    lifecycle.failed(change, reported, auditContext);
  }

  /** A node has failed permanently. @param isDraining whether running nodes may end. */
  nodeFailed(change: Change, error: Failure, isDraining: boolean): void {
    if (isDraining && this.#options.state.running > 0) this.#options.lifecycle.unwinds(change, error, undefined);
    else this.fail(change, error);
  }

  /** A node has ended that was allowed to run on after a failure. It may be the last one. */
  settle(change: Change): void {
    if (this.#options.state.running > 0) return;
    this.#stopRunning(change);
    this.#unwind(change);
  }

  #change(nowMs: number): Change {
    const { lifecycle, last } = this.#options;
    return new Change(lifecycle.row, nowMs, last);
  }

  #stopRunning(change: Change): void {
    const { state, inner } = this.#options;
    this.#compensation.stop(change);
    state.running = 0;
    inner.clear();
  }

  #unwind(change: Change): void {
    const { lifecycle } = this.#options;
    const error = lifecycle.row.error as Failure;
    if (!this.#compensation.next(change, error.reason)) lifecycle.failed(change, error, undefined);
  }
}
