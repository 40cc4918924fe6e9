/** An attempt of a node with a slot, from the transition that starts it to its end. */
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Abort } from "./attempt/abort.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Slot } from "./queue/slot.ts";

export class StartedAttempt {
  readonly run: ActiveRun;
  readonly node: NodeRow;
  readonly slot: Slot;
  /** Why the worker can't be called. */
  readonly fault: string | undefined;
  readonly attempt: number;
  readonly epoch: number;
  /** Set when the worker is called. */
  controller: Abort | undefined;

  /** @param node just marked as running. */
  constructor(run: ActiveRun, node: NodeRow, slot: Slot, fault: string | undefined) {
    this.run = run;
    this.node = node;
    this.slot = slot;
    this.fault = fault;
    this.attempt = node.attempt;
    this.epoch = run.machine.row.epoch;
  }

  /** Whether this attempt still decides its node: there was no cancel, timeout, retry or fault since. */
  get isCurrent(): boolean {
    const { run, node } = this;
    return (
      run.isActive &&
      (node.status === "running" || node.status === "waiting") &&
      node.attempt === this.attempt &&
      run.machine.row.epoch === this.epoch
    );
  }

  /** Whether its worker runs. Later reports of the worker are ignored. */
  get isRunning(): boolean {
    return this.controller !== undefined && this.run.controllers.get(this.node.id) === this.controller;
  }
}
