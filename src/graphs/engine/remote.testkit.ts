/**
 * Engines whose nodes all run in another engine, as if their workers belonged to another process, for the tests of this layer. No
 * database is between them; messages are serialized as JSON (graphs/cluster/remote-calls.ts).
 */
import assert from "node:assert/strict";
import type { EngineOptions } from "./engine.ts";
import { createEngine } from "./engine.ts";
import type { Engine } from "./engine-types.ts";
import type { ClusterPort, LeasedRun } from "./cluster-port.ts";
import { decode, encode } from "../execution/remote/remote-call-messages.ts";
import { Unfinished, type RemoteNodes, type Performance } from "../execution/remote/remote-attempts.ts";
import type { FromThread, ToThread } from "../execution/remote/thread-messages.ts";

/** One lease number, because no other process competes. */
const LEASE = 1;

/** A cluster in which this process holds every run it starts. @param own overrides. */
export function clusterOf({
  remoteNodes,
  ...own
}: Partial<Omit<ClusterPort, "elsewhere">> & { remoteNodes?: Partial<RemoteNodes> }): ClusterPort {
  return {
    remoteNodes: {
      runsHere: () => true,
      call: () => assert.fail("nothing runs elsewhere"),
      ...remoteNodes,
    },
    // Limits have their own tests: permits belong to processes, not to workers.
    permits: { take: async () => ({ kind: "granted", permit: undefined }), giveBack: () => undefined },
    attach: () => undefined,
    isRunner: true,
    enter: () => "p_1",
    wrote: () => undefined,
    reach: (_graphId, _wish, here) => here(LEASE),
    controlsChanged: () => undefined,
    confirms: async () => true,
    giveBack: async () => undefined,
    left: () => undefined,
    ...own,
  };
}

/** The other process. */
export class Beside {
  #held: LeasedRun | undefined;
  #far: LeasedRun | undefined;
  readonly #open = new Set<(error: Error) => void>();
  /** Tracks messages in flight. */
  readonly #during: (work: Promise<unknown>) => void;
  readonly #settled: () => Promise<void>;

  constructor(pending: { during: (work: Promise<unknown>) => void; settled: () => Promise<void> }) {
    this.#during = (work) => pending.during(work);
    this.#settled = () => pending.settled();
  }

  /** @param create creates the engine that holds the runs. */
  create(options: EngineOptions): Engine {
    // The second engine only runs workers.
    createEngine({ ...options, schedules: [], cluster: this.#cluster((held) => (this.#far = held), true) });
    const engine = createEngine({ ...options, cluster: this.#cluster((held) => (this.#held = held), false) });
    const idle = engine.idle.bind(engine);
    // A message in flight will start more work.
    engine.idle = async () => {
      await idle();
      await this.#settled();
      await idle();
    };
    const recover = engine.recover.bind(engine);
    engine.recover = async () => {
      await recover();
      const ids = await options.store.graphs.unfinished("", 1000);
      await Promise.all(ids.map(async (id) => this.#held?.hold(id, LEASE, true)));
      return ids.length;
    };
    return engine;
  }

  /** Simulates the death of the process with the runs: aborts their attempts, and reports to nobody. */
  die(): void {
    for (const close of this.#open) close(new Unfinished(false));
  }

  #cluster(attach: (held: LeasedRun) => void, runsHere: boolean): ClusterPort {
    return clusterOf({ attach, remoteNodes: { runsHere: () => runsHere, call: this.#call } });
  }

  readonly #call: RemoteNodes["call"] = (order, { hear }) => {
    const abort = new AbortController();
    let isOpen = true;
    let performance: Performance | undefined;
    const early: string[] = [];
    const close = (error: Error): void => {
      isOpen = false;
      this.#open.delete(close);
      abort.abort(error);
    };
    this.#open.add(close);
    const later = (work: () => unknown): void => {
      this.#during(
        new Promise((done) => setImmediate(done)).then(async () => {
          if (isOpen) await work();
        }),
      );
    };
    const toFar = (text: string): void => performance?.hear(decode(text) as Exclude<ToThread, { type: "run" }>);
    const body = encode(order);
    later(async () => {
      performance = await this.#far?.perform(decode(body) as typeof order, {
        signal: abort.signal,
        say: (message) => {
          const text = encode(message);
          later(() => hear(decode(text) as FromThread));
        },
      });
      for (const text of early.splice(0)) toFar(text);
    });
    return {
      say: (message) => {
        const text = encode(message);
        later(() => (performance ? toFar(text) : void early.push(text)));
      },
      end: () => close(new Error("It is no longer needed")),
    };
  };
}
