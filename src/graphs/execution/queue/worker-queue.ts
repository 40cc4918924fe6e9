/**
 * The queue of one worker: its slots, and permits if limits hold over all processes. task-queue.ts decides which attempt of the worker is
 * next, dispatcher.ts which worker.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { Busy } from "../../engine/runs/idle-tracker.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { EngineState } from "../../engine/engine-state.ts";
import type { QueueReport } from "../../machine/report-types.ts";
import type { ActiveRun } from "../active-run.ts";
import { TaskQueue, orderOf, type Keys, type QueueOwner } from "./task-queue.ts";
import { sharedLimits, type Permits, type PermitWant, type SharedLimits } from "./permit-types.ts";
import { QueuedAttempt, QueuedRequest, QueuedReturn, type Queued, type SlotUser } from "./queued-attempt.ts";
import { Slot, type SlotQueue } from "./slot.ts";

/** The slots of all workers. */
export interface SlotPool {
  readonly clock: Clock;
  /** Permits, if several processes share the store. */
  readonly permits: Permits | undefined;
  readonly state: EngineState;
  readonly busy: Busy;
  /** Changes the number of taken slots. */
  count(more: 1 | -1): void;
  /** Grants free slots: this worker may get one. */
  fill(taskQueue: WorkerQueue): void;
}

/** Whether a ready node is queued already. */
export function isQueued({ queued, machine }: ActiveRun, { id }: NodeRow): boolean {
  return queued.get(id)?.epoch === machine.row.epoch;
}

export class WorkerQueue implements SlotQueue, QueueOwner {
  readonly worker: Worker<never, unknown>;
  readonly taskQueue: TaskQueue<Queued>;
  /** Limits over all processes. */
  readonly limits: SharedLimits | undefined;
  readonly #pool: SlotPool;
  /** The worker's priority, added to that of the run. */
  readonly #priority: number;
  /** Attempts that have a slot and wait for a permit. */
  #asking = 0;

  /** @param isElsewhere whether another process runs the worker and has its slots. */
  constructor(worker: Worker<never, unknown>, pool: SlotPool, isRemote: boolean) {
    const { options } = worker;
    this.worker = worker;
    this.#pool = pool;
    this.#priority = options.priority ?? 0;
    this.limits = pool.permits && sharedLimits(options);
    const isShared = this.limits !== undefined;
    this.taskQueue = new TaskQueue<Queued>({ options, clock: pool.clock, isShared, isRemote, owner: this });
  }

  report(): QueueReport {
    const { taskQueue, worker } = this;
    const since = taskQueue.heads().flatMap((one) => (one.isStart && one.isWanted() ? [one.sinceMs] : []));
    const [running, waiting] = [taskQueue.running - this.#asking, taskQueue.waiting + this.#asking];
    return { worker: worker.name, running, waiting, ...(since.length > 0 && { sinceMs: Math.min(...since) }) };
  }

  /** Takes a slot at once, if there is one and no permit is needed. */
  enter(keys: Keys): Slot | undefined {
    return !this.limits && this.taskQueue.enter(keys) ? this.#take(keys, undefined, true) : undefined;
  }

  /** Queues a ready node. */
  enqueue(run: ActiveRun, node: NodeRow, keys: Keys, fault: string | undefined): void {
    const sinceMs = this.#pool.clock.now();
    const order = orderOf(sinceMs, this.#priority + run.machine.row.priority);
    this.taskQueue.wait(new QueuedAttempt({ order, seq: this.taskQueue.nextSeq() }, keys, run, node, sinceMs, fault));
  }

  /** Resolves with a slot; never if it is no longer needed. */
  request(keys: Keys, hasPermit: boolean, user: SlotUser): Promise<Slot> {
    const turn = { order: orderOf(this.#pool.clock.now(), this.#priority), seq: this.taskQueue.nextSeq() };
    return new Promise((resolve) => {
      this.taskQueue.wait(new QueuedRequest(turn, keys, hasPermit, user, resolve));
      this.#pool.fill(this);
    });
  }

  /** Gives a slot, which the queue has counted already, to a waiting entry. */
  grant(queued: Queued): void {
    if (this.limits && !queued.hasPermit) void this.#askFor(queued, this.limits);
    else this.#granted(queued, undefined);
  }

  #granted(queued: Queued, permit: string | undefined): void {
    if (!(queued instanceof QueuedReturn)) return queued.granted(this.#take(queued.keys, permit, queued.isStart));
    this.#count(1);
    queued.slot.granted(permit);
  }

  /** Keeps the slot while it waits for a permit. */
  async #askFor(queued: Queued, limits: SharedLimits): Promise<void> {
    const { taskQueue } = this;
    const { permits, state } = this.#pool;
    const { isStart, keys } = queued;
    const isWanted = (): boolean => state.mayStart && queued.isWanted() && !(taskQueue.isPaused && isStart);
    this.#asking++;
    this.#pool.count(1);
    const { concurrency: key, rate: rateKey } = keys;
    const want: PermitWant = { worker: this.worker.name, limits, key, rateKey, isStart, isWanted };
    const answer = await (permits as Permits).take(want);
    this.#asking--;
    this.#pool.count(-1);
    if (answer.kind === "granted" && isWanted()) return this.#granted(queued, answer.permit);
    if (answer.kind === "granted" && answer.permit !== undefined) permits?.giveBack(answer.permit);
    taskQueue.leave(keys);
    if (answer.kind === "refused") taskQueue.shut(keys, answer.waitMs);
    // The queue may have been paused meanwhile. Unwanted entries leave at their turn.
    if (state.mayStart) taskQueue.wait(queued);
    this.#pool.fill(this);
  }

  #take(keys: Keys, permit: string | undefined, isStart: boolean): Slot {
    this.#count(1);
    return new Slot(this, keys, permit, isStart);
  }

  #count(more: 1 | -1): void {
    this.#pool.count(more);
    this.count(more);
  }

  // Called by slots.

  started({ keys }: Slot): void {
    this.taskQueue.started(keys);
  }

  notStarted({ keys }: Slot): void {
    this.taskQueue.notStarted(keys);
  }

  count(more: 1 | -1): void {
    const { busy } = this.#pool;
    if (more > 0) busy.begin();
    else busy.end();
  }

  free(slot: Slot): void {
    if (slot.permit !== undefined) this.#pool.permits?.giveBack(slot.permit);
    slot.permit = undefined;
    this.taskQueue.leave(slot.keys);
    this.#pool.count(-1);
    this.#pool.fill(this);
    this.#pool.busy.end();
  }

  takeAgain(slot: Slot): void {
    this.taskQueue.wait(new QueuedReturn(this.taskQueue.nextSeq(), slot));
    this.#pool.fill(this);
  }

  opened(): void {
    this.#pool.fill(this);
  }
}
