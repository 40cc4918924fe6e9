/**
 * Places that processes lend each other: one that has more nodes of a worker to run than places says so in its row of the list; others of
 * the very same build which have the worker and a free place lend it (lent-slot.ts), and the first binds a node to it when it hears so. So
 * nothing waits for a process that is busy, and nothing has to be taken back from one. Who wants some is decided in graphs/execution/queue/work-sharing-policy.ts.
 */
import type { Held } from "../engine/cluster-port.ts";
import {
  Unfinished,
  type CallEnd,
  type CallListener,
  type Hand,
  type NodeOrder,
} from "../execution/remote/remote-attempts.ts";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ClusterDatabase } from "./database.ts";
import { LentPlace } from "./lent-slot.ts";
import type { End, Messages, RunnerSays } from "./messages.ts";

/** Places that are lent for a worker before it is known how its nodes behave: one for a node that runs, one for that after it. */
const FIRST = 2;
/** For each node that runs and leaves the loop to others. */
const MORE = 2;
/** After a fault of the database, what is wanted is said again. */
const AGAIN_MS = 1000;

/** What another process says of itself in the list. */
export interface Peer {
  id: string;
  build: string;
  role: string;
  workers: readonly string[];
  /** Workers of which it has more to run than places. */
  wants: readonly string[];
}

export interface HandsOptions {
  database: ClusterDatabase;
  messages: Messages;
  clock: Clock;
  log: Log;
  build: string;
  /** Names of those whose nodes run in this process. */
  workers: ReadonlySet<string>;
  me: () => string | undefined;
  held: () => Held | undefined;
  /** The others are to look for what is wanted. */
  tell: () => void;
}

export class Hands {
  readonly #options: HandsOptions;
  readonly #wanted = new Set<string>();
  readonly #lent = new Set<LentPlace>();
  /** Workers that other processes of this build run as well. */
  #helpers: ReadonlySet<string> = new Set();
  #isPublishing = false;
  #isChanged = false;
  #again: Timer | undefined;
  /** Nothing is lent or wanted any more. */
  #isClosed = false;
  #isOver = false;

  constructor(options: HandsOptions) {
    this.#options = options;
  }

  /** Whether some other process may run nodes of this worker. */
  mayHelp(worker: string): boolean {
    return this.#helpers.has(worker);
  }

  /** Whether places of others are wanted for a worker from now on. */
  want(worker: string, isWanted: boolean): void {
    if (this.#isClosed || this.#wanted.has(worker) === isWanted) return;
    if (isWanted) this.#wanted.add(worker);
    else this.#wanted.delete(worker);
    this.#options.messages.expect(this.#wanted.size > 0);
    this.publish();
  }

  /** Says what is wanted: what was said before is said of a process that is not listed any more, where it has joined anew. */
  publish(): void {
    const { clock, log } = this.#options;
    this.#isChanged = true;
    this.#again?.cancel();
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    this.#publishAll()
      .catch((err: unknown) => {
        log.debug({ err }, "What is wanted could not be said yet");
        if (!this.#isOver) this.#again = clock.schedule(AGAIN_MS, () => this.publish());
      })
      .finally(() => (this.#isPublishing = false));
  }

  async #publishAll(): Promise<void> {
    const { database, me, tell } = this.#options;
    while (this.#isChanged) {
      this.#isChanged = false;
      const wants = [...this.#wanted];
      await database.query(`update ${database.schema}.processes set wants = $2 where id = $1`, [me() ?? "", wants]);
      if (wants.length > 0) tell();
    }
  }

  /** Looks at once for what others want. */
  async look(): Promise<void> {
    const { query, schema } = this.#options.database;
    const { rows } = await query<Peer>(
      `select id, build, role, workers, wants from ${schema}.processes where build = $1`,
      [this.#options.build],
    );
    this.noticed(rows);
  }

  /** @param listed all processes. */
  noticed(listed: readonly Peer[]): void {
    const { me, build, workers } = this.#options;
    const myId = me();
    const peers = listed.filter((peer) => peer.id !== myId && peer.build === build && peer.role !== "web");
    this.#helpers = new Set(peers.flatMap((peer) => peer.workers));
    if (this.#isClosed) return;
    for (const { id, wants } of peers)
      for (const worker of wants) if (workers.has(worker) && !this.#lends(id, worker)) this.#lend(id, worker, FIRST);
  }

  #lends(holder: string, worker: string): boolean {
    return [...this.#lent].some((place) => place.holder === holder && place.worker === worker);
  }

  #lend(holder: string, worker: string, count: number): void {
    const { database, messages, clock, log, me, held: heldBy } = this.#options;
    const [held, myId] = [heldBy(), me()];
    for (let lent = 0; held && myId !== undefined && !this.#isClosed && lent < count; lent++) {
      const place = held.lend(worker);
      if (!place) return;
      const lentPlace: LentPlace = new LentPlace({
        database,
        messages,
        clock,
        me: myId,
        holder,
        worker,
        place,
        perform: (order, channel, given) => held.perform(order, channel, given),
        isWanted: () => this.#isClosed || held.isShort(worker),
        onRoom: () => this.#lend(holder, worker, MORE),
        onOver: () => this.#lent.delete(lentPlace),
      });
      this.#lent.add(lentPlace);
      lentPlace.open().catch((err: unknown) => log.debug({ err }, "A place could not be lent"));
    }
  }

  /** Another process lends a place. */
  opened(id: string, message: RunnerSays): void {
    if (message.type !== "hand") return;
    const borrowed = new Borrowed(this.#options, (worker) => this.#wanted.has(worker));
    borrowed.begin(id);
    const held = this.#options.held();
    if (held && !this.#isClosed) held.lent(message.worker, borrowed);
    else borrowed.end();
  }

  /** Nothing is lent and wanted any more. What others run for this process goes on. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    this.#wanted.clear();
    this.publish();
    await Promise.all([...this.#lent].map((place) => place.leave()));
  }

  /** Says nothing more. */
  close(): void {
    this.#isClosed = this.#isOver = true;
    this.#again?.cancel();
  }
}

/** A place in another process, where it is used. */
class Borrowed implements Hand {
  readonly #options: HandsOptions;
  readonly #isShortOf: (worker: string) => boolean;
  #end: End | undefined;
  #listener: CallListener | undefined;
  isGone = false;

  constructor(options: HandsOptions, isShortOf: (worker: string) => boolean) {
    this.#options = options;
    this.#isShortOf = isShortOf;
  }

  begin(id: string): void {
    this.#end = this.#options.messages.begin(
      { id, isRunner: false, hear: (message: RunnerSays) => this.#hear(message), lost: (error) => this.#lost(error) },
      true,
    );
  }

  call(order: NodeOrder, listener: CallListener): CallEnd {
    const { messages } = this.#options;
    const end = this.#end;
    if (!end || this.isGone) {
      setImmediate(() => listener.lost(new Unfinished(false)));
      return { say: () => undefined, end: () => undefined };
    }
    this.#listener = listener;
    messages.say(end, { type: "order", order, isShort: this.#isShortOf(order.worker) });
    this.#note(end, order);
    return {
      say: (message) => messages.say(end, message),
      end: () => {
        if (this.#listener !== listener) return;
        // Nobody wants the node any more while it runs: with its call goes the place, and whoever runs it stops.
        this.#listener = undefined;
        this.#close(end);
      },
    };
  }

  end(): void {
    if (this.isGone || !this.#end) return;
    this.isGone = true;
    this.#options.messages.say(this.#end, { type: "enough" });
  }

  /** What runs there did not run here, should this process die. */
  #note({ id }: End, { context: { graphId, nodeId } }: NodeOrder): void {
    const { database, log } = this.#options;
    database
      .query(
        `update ${database.schema}.node_calls set graph_id = $2, body = json_build_object('context', json_build_object('nodeId', $3::text)) where id = $1`,
        [id, graphId, nodeId],
      )
      .catch((err: unknown) => log.debug({ err }, "What runs elsewhere could not be noted"));
  }

  #hear(message: RunnerSays): void {
    if (message.type === "hand") return;
    const listener = this.#listener;
    if (message.type !== "ended") return listener?.hear(message);
    this.#listener = undefined;
    if (message.isLast === true && this.#end) this.#close(this.#end);
    listener?.hear({ type: "ended", settlement: message.settlement });
  }

  #lost(error: Error): void {
    const listener = this.#listener;
    this.#listener = undefined;
    this.isGone = true;
    // Of a process that is gone the call is left.
    if (error instanceof Unfinished && error.hasCrashed && this.#end) this.#options.messages.remove(this.#end.id);
    listener?.lost(error);
  }

  #close(end: End): void {
    this.isGone = true;
    this.#options.messages.forget(end);
    this.#options.messages.remove(end.id);
  }
}
