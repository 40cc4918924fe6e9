/**
 * Decides which ready node runs now and which waits: a queue for each worker (worker-queue.ts), and one limit for all of them. With a
 * free slot, a node is marked as running in the transition that makes it ready; otherwise its run gets a message when there is a slot.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import type { Busy } from "../engine/runs/idle-tracker.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { EngineState } from "../engine/engine-state.ts";
import type { QueueReport } from "../machine/report-types.ts";
import type { ActiveRun } from "./active-run.ts";
import { runsRemotely, type RemoteNodes } from "./remote/remote-attempts.ts";
import { COUNTED_REMOTELY, NO_KEYS } from "./queue/task-queue.ts";
import { keysOf } from "./node-input.ts";
import type { Permits } from "./queue/permit-types.ts";
import type { SlotUser } from "./queue/queued-attempt.ts";
import type { Slot } from "./queue/slot.ts";
import { StartedAttempt } from "./started-attempt.ts";
import { Suspects } from "./suspects.ts";
import { isQueued, WorkerQueue, type SlotPool } from "./queue/worker-queue.ts";

export interface DispatcherOptions {
  clock: Clock;
  /** Limit for concurrent attempts of all workers. */
  concurrency: number;
  state: EngineState;
  /** Busy for as long as a slot is held. */
  busy: Busy;
  /** Permits, if several processes share the store. */
  permits: Permits | undefined;
  remoteNodes: RemoteNodes | undefined;
  /** Called with the worker of each node that becomes ready. */
  onReady: ((worker: string) => void) | undefined;
}

export class Dispatcher implements SlotPool {
  readonly clock: Clock;
  readonly permits: Permits | undefined;
  readonly state: EngineState;
  readonly busy: Busy;
  readonly #options: DispatcherOptions;
  readonly #queueReports = new Map<string, WorkerQueue>();
  readonly #paused = new Set<string>();
  readonly #suspects = new Suspects();
  #running = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.permits = options.permits;
    this.state = options.state;
    this.busy = options.busy;
  }

  /** Marks ready nodes as running in the same transition if their worker has a slot, and queues the others. */
  startReady(run: ActiveRun, transition: Transition): StartedAttempt[] {
    const started: StartedAttempt[] = [];
    if (!this.state.mayStart) return started;
    for (const node of run.machine.takeReady()) {
      if (isQueued(run, node) || !this.#suspects.admit(run, node)) continue;
      const taskQueue = this.#queueOf(run.machine.definitionOf(node.id).worker);
      const { keys, fault } = keysOf(run.machine, node, taskQueue.worker.options);
      this.#options.onReady?.(taskQueue.worker.name);
      const slot = this.#running < this.#options.concurrency ? taskQueue.enter(keys) : undefined;
      if (slot) {
        run.machine.nodeStarted(node, this.clock.now(), transition);
        started.push(new StartedAttempt(run, node, slot, fault));
      } else taskQueue.enqueue(run, node, keys, fault);
      if (taskQueue.limits) this.fill(taskQueue);
    }
    return started;
  }

  /** Queues nodes that are ready in the store. */
  enqueueReady(run: ActiveRun): void {
    if (!this.state.mayStart) return;
    const touched = new Set<WorkerQueue>();
    for (const node of run.machine.takeReady()) {
      if (isQueued(run, node) || !this.#suspects.admit(run, node)) continue;
      touched.add(this.#enqueue(run, node));
    }
    for (const taskQueue of touched) this.fill(taskQueue);
  }

  #enqueue(run: ActiveRun, node: NodeRow): WorkerQueue {
    const taskQueue = this.#queueOf(run.machine.definitionOf(node.id).worker);
    const { keys, fault } = keysOf(run.machine, node, taskQueue.worker.options);
    this.#options.onReady?.(taskQueue.worker.name);
    taskQueue.enqueue(run, node, keys, fault);
    return taskQueue;
  }

  /** Resolves with a slot for a compensation, which no rate counts. Never resolves if it is not needed at its turn. */
  slot(worker: Worker<never, unknown>, user: SlotUser): Promise<Slot> {
    return this.#queueOf(worker).request(NO_KEYS, false, user);
  }

  /** A slot for a node of another process's run. That process counts it and has its permit. */
  slotForOther(worker: Worker<never, unknown>, user: SlotUser): Promise<Slot> {
    return this.#queueOf(worker).request(COUNTED_REMOTELY, true, user);
  }

  queueReports(): QueueReport[] {
    return [...this.#queueReports.values()].map((taskQueue) => taskQueue.report());
  }

  /** Starts no node of this worker until it is resumed. */
  pause(worker: string): void {
    this.#paused.add(worker);
    const known = this.#queueReports.get(worker);
    if (known) known.taskQueue.isPaused = true;
  }

  resume(worker: string): void {
    this.#paused.delete(worker);
    const known = this.#queueReports.get(worker);
    if (!known) return;
    known.taskQueue.isPaused = false;
    this.fill(known);
  }

  #queueOf(worker: Worker<never, unknown>): WorkerQueue {
    const known = this.#queueReports.get(worker.name);
    if (known) return known;
    const taskQueue = new WorkerQueue(worker, this, runsRemotely(worker, this.#options.remoteNodes));
    taskQueue.taskQueue.isPaused = this.#paused.has(worker.name);
    this.#queueReports.set(worker.name, taskQueue);
    return taskQueue;
  }

  // Called by queues.

  count(more: 1 | -1): void {
    this.#running += more;
  }

  /** Grants free slots. With a limit for all workers, any worker may be next. */
  fill(taskQueue: WorkerQueue): void {
    const suspect = this.state.mayStart ? this.#suspects.next() : undefined;
    if (suspect) this.fill(this.#enqueue(suspect.run, suspect.node));
    const { concurrency } = this.#options;
    while (this.state.mayStart && this.#running < concurrency) {
      const first = concurrency === Infinity ? taskQueue : this.#first();
      const queued = first?.taskQueue.take();
      if (!first || !queued) return;
      first.grant(queued);
    }
  }

  /** The queue whose next attempt has waited longest. There are few queues, one for each worker. */
  #first(): WorkerQueue | undefined {
    let first: { taskQueue: WorkerQueue; order: number } | undefined;
    for (const taskQueue of this.#queueReports.values()) {
      const order = taskQueue.taskQueue.next()?.order;
      if (order !== undefined && (!first || order < first.order)) first = { taskQueue, order };
    }
    return first?.taskQueue;
  }
}
