/** Entries in the queue of a worker. */
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { ActiveRun } from "../active-run.ts";
import { COUNTED_REMOTELY, type Keys, type QueueItem } from "./task-queue.ts";
import type { Slot } from "./slot.ts";

/** May need a slot at its turn. */
export interface SlotUser {
  readonly isWanted: boolean;
}

export type Queued = QueuedAttempt | QueuedRequest | QueuedReturn;

/** Time of queueing and order. */
type Turn = Pick<QueueItem, "order" | "seq">;

/** A ready node. */
export class QueuedAttempt implements QueueItem {
  readonly isStart = true;
  /** Must take a permit if limits hold over all processes. */
  readonly hasPermit = false;
  readonly order: number;
  readonly seq: number;
  readonly keys: Keys;
  readonly epoch: number;
  readonly sinceMs: number;
  readonly #run: ActiveRun;
  readonly #nodeId: string;
  readonly #fault: string | undefined;

  /** @param fault why its worker can't be called. */
  constructor(
    { order, seq }: Turn,
    keys: Keys,
    run: ActiveRun,
    node: NodeRow,
    sinceMs: number,
    fault: string | undefined,
  ) {
    this.order = order;
    this.seq = seq;
    this.keys = keys;
    this.sinceMs = sinceMs;
    this.epoch = run.machine.row.epoch;
    this.#run = run;
    this.#nodeId = node.id;
    this.#fault = fault;
    run.queued.set(node.id, this);
  }

  /** False if the run was paused, cancelled or loaded again meanwhile. */
  isWanted(): boolean {
    const { machine, isActive } = this.#run;
    return (
      isActive &&
      machine.row.phase === "running" &&
      machine.node(this.#nodeId)?.status === "ready" &&
      this.#run.queued.get(this.#nodeId) === this
    );
  }

  /** Lets the node be queued again. */
  dropped(): void {
    // Unless the node was queued again in a later epoch.
    if (this.#run.queued.get(this.#nodeId) === this) this.#run.queued.delete(this.#nodeId);
  }

  granted(slot: Slot): void {
    this.dropped();
    const node = this.#run.machine.node(this.#nodeId) as NodeRow;
    this.#run.post({ type: "slotGranted", node, slot, fault: this.#fault });
  }
}

/** A request for a slot by something other than an attempt of a node here: a compensation, or a node of another process's run. */
export class QueuedRequest implements QueueItem {
  readonly isStart = false;
  readonly hasPermit: boolean;
  readonly order: number;
  readonly seq: number;
  readonly keys: Keys;
  readonly #user: SlotUser;
  readonly #resolve: (slot: Slot) => void;

  /** @param hasPermit whether the caller has a permit already. */
  constructor({ order, seq }: Turn, keys: Keys, hasPermit: boolean, user: SlotUser, resolve: (slot: Slot) => void) {
    this.order = order;
    this.seq = seq;
    this.keys = keys;
    this.hasPermit = hasPermit;
    this.#user = user;
    this.#resolve = resolve;
  }

  isWanted(): boolean {
    return this.#user.isWanted;
  }

  dropped(): void {
    // It is no longer needed.
  }

  granted(slot: Slot): void {
    this.#resolve(slot);
  }
}

/** An attempt that continues after a wait and takes its slot again. */
export class QueuedReturn implements QueueItem {
  readonly isStart = false;
  // Before attempts that have not started, so that its resources are released sooner.
  readonly order = Number.NEGATIVE_INFINITY;
  readonly seq: number;
  readonly slot: Slot;

  constructor(seq: number, slot: Slot) {
    this.seq = seq;
    this.slot = slot;
  }

  get keys(): Keys {
    return this.slot.keys;
  }

  /** The process that holds the run took the permit again before it reported the end of the wait. */
  get hasPermit(): boolean {
    return this.keys === COUNTED_REMOTELY;
  }

  isWanted(): boolean {
    return this.slot.isWanted;
  }

  dropped(): void {
    // Its attempt has ended.
  }
}
