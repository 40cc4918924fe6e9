/** Nodes that run in another process than their graph: of workers that this one does not run, and those for which others lend places. */
import type { Held } from "../engine/cluster-port.ts";
import type { CallEnd, CallListener, Elsewhere, NodeOrder } from "../execution/remote/remote-attempts.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import { Calls } from "./remote-calls.ts";
import type { ClusterDatabase } from "./database.ts";
import { Hands, type Peer } from "./remote-slots.ts";
import { Messages } from "./messages.ts";

export interface NodesElsewhereOptions {
  database: ClusterDatabase;
  clock: Clock;
  log: Log;
  build: string;
  /** Names of those whose nodes run in this process. */
  workers: readonly string[];
  isRunner: boolean;
  /** This process as the others know it; undefined while they don't. */
  me: () => string | undefined;
  held: () => Held | undefined;
  /** There are messages for a process. */
  tell: (process: string) => void;
  /** The others are to look for what is wanted. */
  tellWanted: () => void;
}

export class NodesElsewhere implements Elsewhere {
  readonly #workers: ReadonlySet<string>;
  readonly #messages: Messages;
  readonly #calls: Calls;
  readonly #hands: Hands;
  readonly #log: Log;

  constructor({ database, clock, log, build, workers, isRunner, me, held, tell, tellWanted }: NodesElsewhereOptions) {
    this.#workers = new Set(workers);
    this.#log = log;
    const onOpened: Hands["opened"] = (id, message) => this.#hands.opened(id, message);
    const messages = new Messages({ database, clock, log, me, tell, onOpened });
    this.#messages = messages;
    this.#calls = new Calls({
      database,
      messages,
      me,
      perform: async (order, channel) => held()?.perform(order, channel),
    });
    const lending = isRunner ? this.#workers : new Set<string>();
    this.#hands = new Hands({ database, messages, clock, log, build, workers: lending, me, held, tell: tellWanted });
  }

  runsHere(worker: string): boolean {
    return this.#workers.has(worker);
  }

  call(order: NodeOrder, listener: CallListener): CallEnd {
    return this.#calls.call(order, listener);
  }

  mayHelp(worker: string): boolean {
    return this.#hands.mayHelp(worker);
  }

  want(worker: string, isWanted: boolean): void {
    this.#hands.want(worker, isWanted);
  }

  isTalking(): boolean {
    return this.#messages.isTalking;
  }

  /** A job for a node of another process's. */
  run(id: string): Promise<void> {
    return this.#calls.run(id);
  }

  /** There may be messages for this process. */
  look(): void {
    this.#messages.look();
  }

  /** Others may want places. */
  lookForWants(): void {
    this.#hands.look().catch((err: unknown) => this.#log.debug({ err }, "What others want could not be looked for"));
  }

  /** @param listed all processes, as they are listed now. */
  noticed(listed: readonly Peer[]): void {
    this.#hands.noticed(listed);
  }

  /** Joined, perhaps anew. */
  joined(): void {
    this.#hands.publish();
  }

  /** What this process runs for others is left off, and runs again elsewhere; nothing more is taken. What others run for it goes on. */
  async leave(): Promise<void> {
    this.#messages.hurry();
    await Promise.all([this.#calls.leave(), this.#hands.leave()]);
  }

  /** Nothing of what was under way is this process's any more. */
  dropAll(): void {
    this.#messages.dropAll();
  }

  close(): void {
    this.#hands.close();
    this.#messages.close();
  }
}
