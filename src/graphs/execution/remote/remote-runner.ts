/**
 * Workers as they are called: in a thread, as a graph, in another process; and those that this process runs for graphs of others, each in a
 * place of its own. What the two processes say to each other is remote-attempts.ts's.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { Dispatcher } from "../dispatcher.ts";
import {
  boundElsewhere,
  perform,
  type Channel,
  type Elsewhere,
  type Hand,
  type NodeOrder,
  type Performance,
} from "./remote-attempts.ts";
import type { Isolation } from "./isolation.ts";
import { whenAborted } from "../live-run.ts";
import type { Place } from "../queue/slot.ts";
import type { Starts } from "../start-throttle.ts";
import type { WorkerTools } from "../attempt/worker-tools.ts";

type AnyWorker = Worker<never, unknown>;

export interface PerformerOptions {
  workerNamed: (name: string) => AnyWorker | undefined;
  isolation: Isolation;
  /** One that stands for a graph, as it is called; any other as it is. */
  bindGraph: (worker: AnyWorker) => AnyWorker;
  tools: WorkerTools;
  /** Where several processes share the store. */
  elsewhere: Elsewhere | undefined;
  dispatcher: Dispatcher;
  starts: Starts;
}

export class Performer {
  readonly #options: PerformerOptions;
  /** Of what runs for graphs of others. */
  readonly #places = new Set<Place>();

  constructor(options: PerformerOptions) {
    this.#options = options;
  }

  /** The worker as it is called for a graph of this process. @param hand where it runs in a place of another process. */
  bind(worker: AnyWorker, state: Json | undefined, hand: Hand | undefined): AnyWorker {
    const { elsewhere, isolation, bindGraph, workerNamed } = this.#options;
    const isHere = worker.graph !== undefined || elsewhere?.runsHere(worker.name) !== false;
    const away = hand ?? (isHere ? undefined : elsewhere);
    if (!away) return isolation.bind(bindGraph(worker), state);
    return boundElsewhere(worker, state, away, workerNamed);
  }

  /** As `Held.perform` says. */
  async perform(order: NodeOrder, channel: Channel, given?: Place): Promise<Performance | undefined> {
    const worker = this.#options.workerNamed(order.worker);
    if (!worker) return undefined;
    const place = given ?? (await this.#placeFor(worker, channel.signal));
    this.#places.add(place);
    const over = (): void => {
      this.#places.delete(place);
      if (!given) place.leave();
    };
    try {
      const performance = await this.#begin(worker, order, channel, place);
      void performance.ended.finally(over);
      return performance;
    } catch (error) {
      over();
      throw error;
    }
  }

  /** Gives back the places of what still runs for others, and does not end though it was told to. */
  leave(): void {
    for (const place of this.#places) place.leave();
    this.#places.clear();
  }

  /** When it is its turn. Rejects with the signal's reason where nobody wants it by then. */
  #begin(worker: AnyWorker, order: NodeOrder, channel: Channel, place: Place): Promise<Performance> {
    const { starts, isolation, tools } = this.#options;
    const { signal } = channel;
    return new Promise((begun, refuse) =>
      starts.add(() => {
        if (signal.aborted) refuse(signal.reason as Error);
        else begun(perform(isolation.bind(worker, order.state), order, tools, channel, place));
      }),
    );
  }

  /** Rejects with the signal's reason where nobody wants it by then. */
  #placeFor(worker: AnyWorker, signal: AbortSignal): Promise<Place> {
    const aborted = whenAborted(signal);
    // Its permit and its rate are the other process's: counted where it was started.
    const place = new Promise<Place>((resolve) =>
      this.#options.dispatcher.place(worker, resolve, () => !signal.aborted, true),
    );
    return Promise.race([place, aborted.promise]).finally(aborted.stop);
  }
}
