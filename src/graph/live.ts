/** A graph that is under way in this process: its machine, its attempts, its timers. */
import type { Clock, Timer } from "../shared/clock.ts";
import type { Abort } from "./abort.ts";
import type { Machine } from "./machine.ts";
import type { ProgressThrottle } from "./progress.ts";

export class LiveGraph {
  readonly machine: Machine;
  readonly progress: ProgressThrottle;
  /** Running attempts by node id. */
  readonly controllers = new Map<string, Abort>();
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();

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

  cancelTimers(): void {
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
