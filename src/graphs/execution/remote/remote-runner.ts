/** Runs workers for runs of other processes, each in a slot of its own. remote-attempts.ts defines the messages. */
import type { Worker } from "../../definition/definition-types.ts";
import type { Registry } from "../../engine/registry.ts";
import { whenAborted } from "../attempt/abort.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { perform, type Channel, type NodeOrder, type Performance } from "./remote-attempts.ts";
import type { Isolation } from "./isolation.ts";
import type { SlotUser } from "../queue/queued-attempt.ts";
import type { Slot } from "../queue/slot.ts";
import type { Starts } from "../start-throttle.ts";
import type { WorkerTools } from "../attempt/worker-tools.ts";

type AnyWorker = Worker<never, unknown>;

export interface RemoteRunnerOptions {
  registry: Registry;
  isolation: Isolation;
  tools: WorkerTools;
  dispatcher: Dispatcher;
  starts: Starts;
}

/** An order of another process. It may be withdrawn while it waits for a slot. */
class Ordered implements SlotUser {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get isWanted(): boolean {
    return !this.#signal.aborted;
  }
}

export class RemoteRunner {
  readonly #options: RemoteRunnerOptions;
  /** Slots of workers that run for other processes. */
  readonly #slots = new Set<Slot>();

  constructor(options: RemoteRunnerOptions) {
    this.#options = options;
  }

  /** As `Held.perform` says. */
  async perform(order: NodeOrder, channel: Channel): Promise<Performance | undefined> {
    const worker = this.#options.registry.worker(order.worker);
    if (!worker) return undefined;
    const slot = await this.#slotFor(worker, channel.signal);
    this.#slots.add(slot);
    const over = (): void => {
      this.#slots.delete(slot);
      slot.leave();
    };
    try {
      const performance = await this.#begin(worker, order, channel, slot);
      void performance.ended.finally(over);
      return performance;
    } catch (error) {
      over();
      throw error;
    }
  }

  /** Releases the slots of workers that do not end although they were aborted. */
  leave(): void {
    for (const slot of this.#slots) slot.leave();
    this.#slots.clear();
  }

  /** Starts the worker at its turn. Rejects with the signal's reason if the order was withdrawn. */
  #begin(worker: AnyWorker, order: NodeOrder, channel: Channel, slot: Slot): Promise<Performance> {
    const { starts, isolation, tools } = this.#options;
    const { signal } = channel;
    return new Promise((begun, refuse) =>
      starts.add(() => {
        if (signal.aborted) refuse(signal.reason as Error);
        else begun(perform(isolation.bind(worker, order.state), order, tools, channel, slot));
      }),
    );
  }

  /** Rejects with the signal's reason if the order was withdrawn. */
  #slotFor(worker: AnyWorker, signal: AbortSignal): Promise<Slot> {
    const aborted = whenAborted(signal);
    // The other process counts it and has its permit.
    const slot = this.#options.dispatcher.slotForOther(worker, new Ordered(signal));
    return Promise.race([slot, aborted.promise]).finally(aborted.stop);
  }
}
