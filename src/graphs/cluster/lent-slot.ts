/**
 * A place that this process lends to another, for nodes of one worker: it runs one after the other for as long as there are any, and
 * nobody here waits for the place. It is this process's to take back between two of them.
 */
import { randomBytes } from "node:crypto";
import { Unfinished, type Channel, type NodeOrder, type Performance } from "../execution/remote/remote-attempts.ts";
import type { Place } from "../execution/queue/slot.ts";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import { encode } from "../execution/remote/remote-call-messages.ts";
import { LEFT_OFF } from "./remote-calls.ts";
import type { ClusterDatabase } from "./database.ts";
import type { End, HolderSays, Messages, RunnerSays } from "./messages.ts";

/** Between looks whether a place that is lent, and in which nothing runs just now, is needed here. */
const LOOK_MS = 500;
/** A place that nobody has answered for is lent to nobody: who wanted it may want it no more, and read nothing. */
const ANSWER_MS = 5000;

export interface LentPlaceOptions {
  database: ClusterDatabase;
  messages: Messages;
  clock: Clock;
  /** Of this process. */
  me: string;
  /** Of the process that it is lent to. */
  holder: string;
  worker: string;
  place: Place;
  perform: (order: NodeOrder, channel: Channel, place: Place) => Promise<Performance | undefined>;
  /** Whether somebody here waits for it. */
  isWanted: () => boolean;
  /** A node runs, and leaves the loop to others: so may more, and more are there. */
  onRoom: () => void;
  /** It is not lent any more. */
  onOver: () => void;
}

export class LentPlace {
  readonly #options: LentPlaceOptions;
  #end: End | undefined;
  #abort: AbortController | undefined;
  #performance: Performance | undefined;
  #idle: Timer | undefined;
  /** When it was offered; undefined once the other process has answered. */
  #offeredMs: number | undefined;
  #isOver = false;

  constructor(options: LentPlaceOptions) {
    this.#options = options;
  }

  get holder(): string {
    return this.#options.holder;
  }

  get worker(): string {
    return this.#options.worker;
  }

  /** Offers it: from then on the other process may use it. */
  async open(): Promise<void> {
    const { database, messages, clock, me, holder, worker } = this.#options;
    const { schema } = database;
    const id = `h_${randomBytes(9).toString("hex")}`;
    const end = messages.begin(
      { id, isRunner: true, hear: (message: HolderSays) => this.#hear(message), lost: (error) => this.#lost(error) },
      false,
    );
    this.#end = end;
    const said: RunnerSays = { type: "hand", worker };
    end.nextOut = 1;
    this.#offeredMs = clock.elapsed();
    try {
      // In a transaction, which nobody makes again: by then the other process may have used the place, and given it back.
      const { rows } = await database.transaction((query) =>
        query(
          `with call as (
           insert into ${schema}.node_calls (id, graph_id, holder, runner, body)
           select $1, '', holder.id, runner.id, '{}' from ${schema}.processes holder, ${schema}.processes runner
             where holder.id = $2 and runner.id = $3 returning id, holder)
         insert into ${schema}.node_messages (call, to_runner, n, process, body) select id, false, 0, holder, $4::json from call returning call`,
          [id, holder, me, encode(said)],
        ),
      );
      if (rows.length === 0) throw new Unfinished(false);
      end.isOpen = true;
      messages.tell(holder);
      if (this.#isOver) return messages.remove(id);
      // The other process may have used it before this one heard that it could.
      if (!this.#abort) this.#rest();
    } catch (error) {
      messages.lose(end, error as Error);
      // It may have been offered all the same.
      messages.remove(id);
      throw error;
    }
  }

  /** The process leaves: what runs is left off, and runs again elsewhere. */
  async leave(): Promise<void> {
    const { messages } = this.#options;
    const end = this.#end;
    if (this.#isOver || !end) return;
    if (!this.#abort) return this.#takeBack();
    messages.say(end, { type: "ended", settlement: { error: LEFT_OFF }, isLast: true });
    await messages.sent(end);
    messages.forget(end);
    this.#lost(new Unfinished(false));
  }

  #hear(message: HolderSays): void {
    this.#offeredMs = undefined;
    if (message.type === "enough") this.#takeBack();
    else if (message.type === "order") void this.#run(message.order, message.isShort);
    else this.#performance?.hear(message);
  }

  #lost(error: Error): void {
    this.#abort?.abort(error);
    this.#over();
  }

  async #run(order: NodeOrder, isShort: boolean): Promise<void> {
    const { perform, place, isWanted, onRoom } = this.#options;
    this.#idle?.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    let isLast = false;
    const say = (message: Parameters<Channel["say"]>[0]): void => {
      if (message.type !== "ended") return this.#say(message);
      // It may have given it away for a wait that it did not wait for, and another has it by now.
      isLast = isWanted() || !place.isHeld;
      this.#say({ ...message, isLast });
    };
    // It rejects where nobody wants it any more, or the place's process has no such worker.
    const performance = await perform(order, { say, signal: abort.signal }, place).catch(() => undefined);
    if (!performance) {
      isLast = true;
      this.#say({ type: "ended", settlement: { error: LEFT_OFF }, isLast });
    }
    this.#performance = performance;
    // A worker that holds the loop has ended by then.
    setImmediate(() => {
      if (isShort && this.#performance === performance && !this.#isOver) onRoom();
    });
    await performance?.ended;
    this.#performance = this.#abort = undefined;
    if (isLast && this.#end) {
      await this.#options.messages.sent(this.#end);
      this.#options.messages.forget(this.#end);
      this.#over();
    }
    // It was held for as long as the worker ran, whoever still wanted that.
    if (this.#isOver) place.leave();
    else this.#rest();
  }

  #say(message: RunnerSays): void {
    if (this.#end) this.#options.messages.say(this.#end, message);
  }

  #rest(): void {
    const { clock, isWanted } = this.#options;
    this.#idle = clock.schedule(LOOK_MS, () => {
      const offeredMs = this.#offeredMs ?? Infinity;
      if (isWanted() || clock.elapsed() - offeredMs >= ANSWER_MS) this.#takeBack();
      else this.#rest();
    });
  }

  #takeBack(): void {
    if (this.#isOver || !this.#end) return;
    this.#options.messages.forget(this.#end);
    this.#options.messages.remove(this.#end.id);
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#idle?.cancel();
    if (!this.#abort) this.#options.place.leave();
    this.#options.onOver();
  }
}
