/** What waits in the queue of a worker for a slot. */
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { ActiveRun } from "../active-run.ts";
import { COUNTED_ELSEWHERE, type Keys, type Seat } from "./task-queue.ts";
import type { Slot } from "./slot.ts";

/** Whatever may still want a slot when its turn comes. */
export interface SlotUser {
  readonly isWanted: boolean;
}

export type Queued = QueuedAttempt | QueuedRequest | QueuedReturn;

/** When it was queued, and where it stands among others. */
type Turn = Pick<Seat, "order" | "seq">;

/** A node that is ready. */
export class QueuedAttempt implements Seat {
  readonly isStart = true;
  /** Whoever asks has to take a permit, where limits hold over all processes. */
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

  /** Not when the run was paused, cancelled or loaded again in the meantime. */
  isWanted(): boolean {
    const { machine, isActive } = this.#run;
    return (
      isActive &&
      machine.row.phase === "running" &&
      machine.node(this.#nodeId)?.status === "ready" &&
      this.#run.queued.get(this.#nodeId) === this
    );
  }

  /** Its node may be queued anew. */
  dropped(): void {
    // Not where the node was queued again in a later epoch.
    if (this.#run.queued.get(this.#nodeId) === this) this.#run.queued.delete(this.#nodeId);
  }

  granted(slot: Slot): void {
    this.dropped();
    const node = this.#run.machine.node(this.#nodeId) as NodeRow;
    this.#run.post({ type: "slotGranted", node, slot, fault: this.#fault });
  }
}

/** Asks for a slot for something that is no attempt of a node here: a compensation, or a node of another process's run. */
export class QueuedRequest implements Seat {
  readonly isStart = false;
  readonly hasPermit: boolean;
  readonly order: number;
  readonly seq: number;
  readonly keys: Keys;
  readonly #user: SlotUser;
  readonly #resolve: (slot: Slot) => void;

  /** @param hasPermit whether the one that asks has its permit already. */
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
    // Nobody waits for it any more.
  }

  granted(slot: Slot): void {
    this.#resolve(slot);
  }
}

/** An attempt that continues after a wait, and takes its slot again. */
export class QueuedReturn implements Seat {
  readonly isStart = false;
  // Before attempts that are yet to start: what it holds is released the sooner.
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

  /** The process that holds the run has taken the permit anew before it said that the wait is over. */
  get hasPermit(): boolean {
    return this.keys === COUNTED_ELSEWHERE;
  }

  isWanted(): boolean {
    return this.slot.isWanted;
  }

  dropped(): void {
    // Its attempt has ended.
  }
}
