/** A graph that is under way in this process: its machine, its attempts, its timers. */
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Abort } from "./attempt/abort.ts";
import type { Machine } from "../machine/machine.ts";
import type { ProgressThrottle } from "./progress.ts";

export class LiveGraph {
  readonly machine: Machine;
  readonly progress: ProgressThrottle;
  /** Running attempts by node id. */
  readonly controllers = new Map<string, Abort>();
  /** Of nodes that wait for their turn, by node id: what is ready takes one, however often it is looked for what is. */
  readonly seats = new Map<string, { readonly epoch: number }>();
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  /** Number of the lease under which this process holds it, where several share the store. */
  lease: number | undefined;
  /** Id of the node that this process undoes, or waits to undo. */
  undoes: string | undefined;
  #deadlineMs: number | undefined;
  #pauses = 0;
  #deadline: Timer | undefined;

  constructor(machine: Machine, progress: ProgressThrottle, clock: Clock) {
    this.machine = machine;
    this.progress = progress;
    this.#clock = clock;
  }

  get id(): string {
    return this.machine.row.id;
  }

  /** Runs something later, unless the graph is stopped first. */
  after(delayMs: number, run: () => void): void {
    const timer = this.#clock.schedule(delayMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
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

  /** Ends attempts whose node is not theirs any more. @param why the message of their error, which most ends need not make: none runs. */
  abortEnded(why: string): void {
    for (const [id, controller] of this.controllers) {
      if (this.#isUnderWay(id)) continue;
      controller.abort(new Error(why));
      this.controllers.delete(id);
    }
  }

  #isUnderWay(nodeId: string): boolean {
    const status = this.machine.node(nodeId)?.status;
    if (status === "running" || status === "waiting") return true;
    return this.undoes === nodeId && this.machine.ending.undoing?.id === nodeId;
  }

  /**
   * Keeps one timer for the graph's deadline, which transitions may move.
   * @param isOver called when it has come.
   */
  watchDeadline(isOver: () => void): void {
    const { deadlineMs } = this.machine.row;
    if (deadlineMs === this.#deadlineMs) return;
    this.#deadlineMs = deadlineMs;
    this.#deadline?.cancel();
    if (deadlineMs === undefined) return;
    this.#deadline = this.#clock.schedule(Math.max(0, deadlineMs - this.#clock.now()), () => {
      // A timer may be early by a moment, and is set anew then.
      this.#deadlineMs = undefined;
      isOver();
    });
  }

  /**
   * Ends what still runs when the grace of a pause is over; its nodes run again when the graph is resumed.
   * @param graceMs undefined: a pause without one, which ends that of the one before.
   */
  letGoAfter(graceMs: number | undefined): void {
    const pause = ++this.#pauses;
    if (graceMs === undefined) return;
    this.after(graceMs, () => {
      if (pause !== this.#pauses || this.machine.row.phase !== "pausing") return;
      for (const [id, controller] of this.controllers)
        if (this.machine.node(id)?.status === "running") controller.abort(new LetGo());
    });
  }

  cancelTimers(): void {
    this.#deadline?.cancel();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** Nothing happens by itself any more. */
  stop(): void {
    this.cancelTimers();
    this.progress.stop();
  }
}

/** Why an attempt is aborted when the process stops: the node runs again after the start. */
export class Shutdown extends Error {
  constructor() {
    super("The server is stopping");
  }
}

/** Why an attempt is aborted when its graph pauses: the node runs again as it is resumed. */
export class LetGo extends Error {
  constructor() {
    super("The graph pauses");
  }
}

/** A promise that rejects with the signal's reason. Call `stop` when nobody waits for it any more. */
export function whenAborted(signal: AbortSignal): { promise: Promise<never>; stop: () => void } {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    stop = () => signal.removeEventListener("abort", onAbort);
  });
  // The race may have been decided before; a late rejection is not news.
  promise.catch(() => undefined);
  return { promise, stop };
}
