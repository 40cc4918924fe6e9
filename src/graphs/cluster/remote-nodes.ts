/** Nodes whose worker runs only in other processes than the one that holds their run. */
import type { LeasedRun } from "../engine/cluster-port.ts";
import type { CallEnd, CallListener, RemoteNodes, NodeOrder } from "../execution/remote/remote-attempts.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import { Calls } from "./remote-calls.ts";
import type { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import type { ClusterDatabase } from "./database.ts";
import { Messages } from "./messages.ts";

export interface ClusterRemoteNodesOptions {
  database: ClusterDatabase;
  cipher: PayloadCipher;
  clock: Clock;
  log: Log;
  /** Names of the workers of this process. */
  workers: readonly string[];
  /** Id of this process in the cluster; undefined while it is not a member. */
  me: () => string | undefined;
  held: () => LeasedRun | undefined;
  /** Announces messages for a process. */
  notify: (process: string) => void;
}

export class ClusterRemoteNodes implements RemoteNodes {
  readonly #workers: ReadonlySet<string>;
  readonly #messages: Messages;
  readonly #calls: Calls;

  constructor({ database, cipher, clock, log, workers, me, held, notify }: ClusterRemoteNodesOptions) {
    this.#workers = new Set(workers);
    const messages = new Messages({ database, cipher, clock, log, me, notify });
    this.#messages = messages;
    this.#calls = new Calls({
      database,
      cipher,
      messages,
      me,
      perform: async (order, channel) => held()?.perform(order, channel),
    });
  }

  runsHere(worker: string): boolean {
    return this.#workers.has(worker);
  }

  call(order: NodeOrder, listener: CallListener): CallEnd {
    return this.#calls.call(order, listener);
  }

  /** Handles a job for a node of another process's run. */
  run(id: string): Promise<void> {
    return this.#calls.run(id);
  }

  /** There may be messages for this process. */
  look(): void {
    this.#messages.look();
  }

  /** Abandons nodes that this process runs for others, which run again in other processes. Nodes that others run for it continue. */
  async leave(): Promise<void> {
    this.#messages.hurry();
    await this.#calls.leave();
  }

  /** Drops all calls: this process has lost them. */
  dropAll(): void {
    this.#messages.dropAll();
  }

  close(): void {
    this.#messages.close();
  }
}
