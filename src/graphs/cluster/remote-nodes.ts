/** Nodes whose worker runs only in another process than the one that holds their graph. */
import type { Held } from "../engine/cluster-port.ts";
import type { CallEnd, CallListener, Elsewhere, NodeOrder } from "../execution/remote/remote-attempts.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import { Calls } from "./remote-calls.ts";
import type { ClusterDatabase } from "./database.ts";
import { Messages } from "./messages.ts";

export interface NodesElsewhereOptions {
  database: ClusterDatabase;
  clock: Clock;
  log: Log;
  /** Names of those whose nodes run in this process. */
  workers: readonly string[];
  /** This process as the others know it; undefined while they don't. */
  me: () => string | undefined;
  held: () => Held | undefined;
  /** There are messages for a process. */
  tell: (process: string) => void;
}

export class NodesElsewhere implements Elsewhere {
  readonly #workers: ReadonlySet<string>;
  readonly #messages: Messages;
  readonly #calls: Calls;

  constructor({ database, clock, log, workers, me, held, tell }: NodesElsewhereOptions) {
    this.#workers = new Set(workers);
    const messages = new Messages({ database, clock, log, me, tell });
    this.#messages = messages;
    this.#calls = new Calls({
      database,
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

  /** A job for a node of another process's. */
  run(id: string): Promise<void> {
    return this.#calls.run(id);
  }

  /** There may be messages for this process. */
  look(): void {
    this.#messages.look();
  }

  /** What this process runs for others is left off, and runs again elsewhere; nothing more is taken. What others run for it goes on. */
  async leave(): Promise<void> {
    this.#messages.hurry();
    await this.#calls.leave();
  }

  /** Nothing of what was under way is this process's any more. */
  dropAll(): void {
    this.#messages.dropAll();
  }

  close(): void {
    this.#messages.close();
  }
}
