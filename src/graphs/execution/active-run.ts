/**
 * One run in this process: its state machine, its inbox, its attempts and its timers. Every change of the run is a message;
 * the run handles one message after another (`run-loop.ts`). Attempts, queues and timers post messages and call nothing else of the engine.
 */
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import { LazyMap } from "../../platform/shared/collections/lazy-map.ts";
import { LazySet } from "../../platform/shared/collections/lazy-set.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { TransactionRun } from "../../storage/contract/transaction.ts";
import type { Machine } from "../machine/machine.ts";
import type { RunMessage } from "../machine/run-message.ts";
import { PauseAbort, type Abort, type WaitingAttempt } from "./attempt/abort.ts";
import type { DueTimers } from "./due-timers.ts";
import { ProgressThrottle } from "./progress.ts";
import type { Slot } from "./queue/slot.ts";

/** A node that waited has got a slot: it starts with the next transition. */
export interface SlotGranted {
  type: "slotGranted";
  node: NodeRow;
  slot: Slot;
  /** Why the worker can't be called. */
  fault: string | undefined;
}

export type InboxMessage = RunMessage | SlotGranted;

/** Answers the sender of a message once its transition is committed. */
export interface Reply {
  resolve(): void;
  reject(error: unknown): void;
}

/** Handles messages, for all runs of the process. */
export interface MessageHandler {
  /** Decides at once and commits later; never throws. */
  handle(run: ActiveRun, message: InboxMessage, reply: Reply | undefined): void;
  /** Commits the author's rows together with a transition. Rejects with what the author's function throws. */
  transact(run: ActiveRun, transaction: TransactionRun): Promise<Json>;
  /** The state in memory may differ from the store: the run has to be loaded again. */
  fail(run: ActiveRun, error: unknown): void;
}

export interface ActiveRunOptions {
  clock: Clock;
  due: DueTimers;
  progressPerSecond: number;
  /** Called when an attempt waits, and its wait may be recorded. */
  onPark?: (run: ActiveRun) => void;
}

export class ActiveRun {
  readonly machine: Machine;
  readonly progress: ProgressThrottle;
  /** Running attempts by node id. */
  readonly controllers = new Map<string, Abort>();
  /** Queued attempts by node id: a ready node is queued once. */
  readonly queued = new LazyMap<string, { readonly epoch: number }>();
  /** Number of commits that the store has not answered. */
  openCommits = 0;
  /** Resolves once attempts that were suspended wait again or have ended; undefined: none runs again. */
  replay: Promise<void> | undefined;
  /** Called after each message. */
  onHandled: (() => void) | undefined;
  /** Lease under which this process holds the run, if several share the store. */
  lease: number | undefined;
  /** Id of the node that this process compensates, or waits to compensate. */
  compensating: string | undefined;
  /** Whether this is the current state of the run in this process. After a fault of the store it is replaced. Set by the run table. */
  isActive = false;
  /** A commit has failed or another process has the run: messages are refused. */
  isLost = false;
  readonly #handler: MessageHandler;
  readonly #clock: Clock;
  readonly #inbox: { message: InboxMessage; reply: Reply | undefined }[] = [];
  #isHandling = false;
  readonly #timers = new LazySet<Timer>();
  #deadlineMs: number | undefined;
  #pauses = 0;
  #deadline: Timer | undefined;

  readonly #due: DueTimers;
  readonly #onPark: ((run: ActiveRun) => void) | undefined;

  constructor(machine: Machine, handler: MessageHandler, { clock, due, progressPerSecond, onPark }: ActiveRunOptions) {
    this.#onPark = onPark;
    this.machine = machine;
    this.progress = new ProgressThrottle(clock, progressPerSecond, this);
    this.#handler = handler;
    this.#clock = clock;
    this.#due = due;
  }

  get id(): string {
    return this.machine.row.id;
  }

  // The inbox.

  /** Sends a message without waiting for it. */
  post(message: InboxMessage): void {
    this.#receive(message, undefined);
  }

  /** Resolves once the message's transition is committed. Rejects if the message is rejected or the commit fails. */
  request(message: RunMessage): Promise<void> {
    return new Promise((resolve, reject) => this.#receive(message, { resolve, reject }));
  }

  transact(transaction: TransactionRun): Promise<Json> {
    return this.#handler.transact(this, transaction);
  }

  fail(error: unknown): void {
    this.#handler.fail(this, error);
  }

  /** In order: a message that arrives while another is handled waits. */
  #receive(message: InboxMessage, reply: Reply | undefined): void {
    if (this.#isHandling) return void this.#inbox.push({ message, reply });
    this.#isHandling = true;
    this.#handler.handle(this, message, reply);
    for (let next = this.#inbox.shift(); next; next = this.#inbox.shift())
      this.#handler.handle(this, next.message, next.reply);
    this.#isHandling = false;
    this.onHandled?.();
  }

  // Timers.

  /** Runs a task later, unless the run is stopped first. */
  after(delayMs: number, task: () => void): void {
    const timer = this.#clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
  }

  /** Runs a task at a time of the wall clock, unless the run is stopped first. */
  at(dueMs: number, task: () => void): void {
    const timer = this.#due.at(dueMs, () => {
      this.#timers.delete(timer);
      task();
    });
    this.#timers.add(timer);
  }

  /** Posts a message later, unless the run is stopped first. */
  postAfter(delayMs: number, message: RunMessage): void {
    this.after(delayMs, () => this.post(message));
  }

  /** Keeps one timer for the run's deadline, which transitions may move. */
  watchDeadline(): void {
    const { deadlineMs } = this.machine.row;
    if (deadlineMs === this.#deadlineMs) return;
    this.#deadlineMs = deadlineMs;
    this.#deadline?.cancel();
    if (deadlineMs === undefined) return;
    this.#deadline = this.#due.at(deadlineMs, () => {
      // Another process may have another time, by which it is not over yet: it is set again then.
      this.#deadlineMs = undefined;
      this.post({ type: "deadline" });
    });
  }

  cancelTimers(): void {
    this.#deadline?.cancel();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** Stops all timers. */
  stop(): void {
    this.cancelTimers();
    this.progress.stop();
  }

  // Attempts.

  /** An attempt waits. */
  parked(): void {
    this.#onPark?.(this);
  }

  /** Whether nothing but waits is in progress. */
  get onlyWaits(): boolean {
    const isQuiet = this.isActive && !this.isLost && this.openCommits === 0 && this.queued.size === 0;
    return isQuiet && this.#every((waiting) => waiting.onlyWaits);
  }

  /** Whether the process may forget all attempts while they wait. */
  get mayEnd(): boolean {
    return this.#every((waiting) => waiting.mayEnd);
  }

  #every(test: (waiting: WaitingAttempt) => boolean): boolean {
    for (const { waiting } of this.controllers.values()) if (!waiting || !test(waiting)) return false;
    return true;
  }

  abortAll(reason: Error): void {
    for (const controller of this.controllers.values()) controller.abort(reason);
    this.controllers.clear();
  }

  abort(nodeId: string, reason: Error): void {
    const controller = this.controllers.get(nodeId);
    this.controllers.delete(nodeId);
    controller?.abort(reason);
  }

  /** Aborts attempts whose node has ended without them. @param why message of their error. Usually there is no such attempt. */
  abortEnded(why: string): void {
    for (const [id, controller] of this.controllers) {
      if (this.#hasActiveAttempt(id)) continue;
      controller.abort(new Error(why));
      this.controllers.delete(id);
    }
  }

  #hasActiveAttempt(nodeId: string): boolean {
    const status = this.machine.node(nodeId)?.status;
    if (status === "running" || status === "waiting") return true;
    return this.compensating === nodeId && this.machine.ending.compensating?.id === nodeId;
  }

  /**
   * Aborts running attempts when the grace period of a pause is over. Their nodes run again when the run is resumed.
   * @param graceMs undefined: a pause without a grace period, which cancels an earlier one.
   */
  abortAfterGrace(graceMs: number | undefined): void {
    const pause = ++this.#pauses;
    if (graceMs === undefined) return;
    this.after(graceMs, () => {
      if (pause !== this.#pauses || this.machine.row.phase !== "pausing") return;
      for (const [id, controller] of this.controllers)
        if (this.machine.node(id)?.status === "running") controller.abort(new PauseAbort());
    });
  }
}
