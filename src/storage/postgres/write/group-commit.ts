/**
 * Group commit: transitions that are waiting when a writer is free go to the database as one statement and one transaction. Each of the
 * few writers has a slot in the database with the ticket and the outcome of its last group, in case the connection ends before the
 * answer. Transitions of a run are written in order; those of different runs may be in flight with different writers.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphEvent, GraphRow } from "../../contract/graph-rows.ts";
import { AnswerTurns } from "../../contract/answer-turns.ts";
import { TransitionChains } from "../../contract/transition-chains.ts";
import type { Transition } from "../../contract/transition.ts";
import { OTHER_REGISTRATIONS, WRITTEN_ALREADY } from "./commit-function.ts";
import type { Database, SqlValue } from "../database.ts";
import { TransitionDraft } from "./transition-draft.ts";
import type { ClientBase } from "../connection/driver.ts";
import { COMMIT_UNITS, groupDocument } from "./group-document.ts";
import type { WriterSlot, WriterSlots } from "./writer-slots.ts";
import { UserTransaction } from "./user-transaction.ts";
import { UserStatementError, type TransactionRun } from "../../contract/transaction.ts";
import { ConcurrencyLimit } from "../../../platform/shared/concurrency-limit.ts";
import type { Registrations } from "../webhooks/registrations.ts";
import { isUnavailable, isSerializationFailure, storeError } from "../connection/store-error.ts";

/** Most transitions of a group: more gain nothing and delay others. */
const MAX_TRANSITIONS = 1000;

/** Events of a written transition; undefined if its fence failed; or why it could not be written. */
export type Outcome = GraphEvent[] | undefined | Error;

interface Waiting {
  transition: Transition;
  notify: (outcome: Outcome) => void;
  /** Its own transaction, if it does not belong to the group's. */
  own?: UserTransaction;
}

export interface GroupCommitOptions {
  /** Job for a run without a holder (`Transition.heldBy`), in the format of graphile-worker's `add_jobs`. */
  jobOf: (row: GraphRow) => Json;
  /** Registrations of outbox rows. */
  registrations: Pick<Registrations, "version" | "refresh">;
}

export class GroupCommit {
  readonly #database: Database;
  readonly #options: GroupCommitOptions;
  readonly #lines = new TransitionChains();
  readonly #answers = new AnswerTurns();
  /** By run, in order. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** Runs with a transition in flight. */
  readonly #busy = new Set<string>();
  readonly #slots: WriterSlots;
  /** Half of the connections, so that others are left for reading. */
  readonly #ownPlaces: ConcurrencyLimit;
  readonly #free: WriterSlot[];
  readonly #groups = new Set<Promise<void>>();
  /** Version of the registrations on which a transition's outbox is based. */
  readonly #wentBy = new WeakMap<Transition, number>();
  /** Over all slots: each group has its own. */
  #tickets = 0;
  #isScheduled = false;

  constructor(database: Database, slots: WriterSlots, options: GroupCommitOptions) {
    this.#database = database;
    this.#options = options;
    this.#slots = slots;
    this.#ownPlaces = new ConcurrencyLimit(Math.max(1, Math.floor((database.pool.options.max ?? 1) / 2)));
    this.#free = [...slots.all];
  }

  write(transition: Transition, own?: UserTransaction): Promise<Outcome> {
    // Created in this turn, so based on the current copy.
    if (transition.outboxAgain) this.#wentBy.set(transition, this.#options.registrations.version);
    return new Promise((resolve) => {
      const queue = this.#waiting.get(transition.graphId);
      const waiting = { transition, notify: resolve, ...(own && { own }) };
      if (queue) queue.push(waiting);
      else this.#waiting.set(transition.graphId, [waiting]);
      this.#soon();
    });
  }

  /** Writes the author's rows with a transition, in its turn among those of the run. @throws UserStatementError */
  async transact(run: TransactionRun): Promise<{ transition: Transition; events: GraphEvent[]; result: Json }> {
    const own = new UserTransaction(this.#database, run);
    const outcome = await this.#ownPlaces.run(async () => {
      let written: Promise<Outcome> | undefined;
      await own.begin(() => void (written = this.write(own.transition, own)));
      return written;
    });
    if (outcome instanceof Error) throw outcome;
    if (!outcome) throw new Error("the store had another state than the engine");
    return { transition: own.transition, events: outcome, result: own.result };
  }

  /** Resolves when nothing waits or is in flight. */
  async drain(): Promise<void> {
    while (this.#groups.size > 0 || this.#waiting.size > 0) {
      await Promise.all(this.#groups);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** In the next turn, so that everything from this turn is included. */
  #soon(): void {
    if (this.#isScheduled || this.#free.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    const group = this.#take();
    if (group.size === 0) return;
    const slot = this.#free.pop();
    if (!slot) return this.#putBack(group);
    const run: Promise<void> = this.#run(slot, group).finally(() => {
      this.#groups.delete(run);
      this.#free.push(slot);
      for (const { graphId } of group.keys()) this.#busy.delete(graphId);
      if (this.#waiting.size > 0) this.#soon();
    });
    this.#groups.add(run);
    // The other writer takes the rest.
    if (this.#waiting.size > 0) this.#soon();
  }

  /** For each run without a transition in flight, the transitions that can be joined. */
  #take(): Map<TransitionDraft, Waiting[]> {
    const group = new Map<TransitionDraft, Waiting[]>();
    let transitions = 0;
    for (const [graphId, queue] of this.#waiting) {
      if (transitions >= MAX_TRANSITIONS) break;
      if (this.#busy.has(graphId)) continue;
      while (queue[0] && this.#lines.isBroken(queue[0].transition)) this.#refuse(queue.shift());
      // One with its own transaction goes alone.
      const isAlone = queue[0]?.own !== undefined;
      if (isAlone && group.size > 0) continue;
      const first = queue.shift();
      if (first) {
        const draft = new TransitionDraft(first.transition);
        const taken = [first];
        const isNext = (next: Waiting | undefined): boolean =>
          next !== undefined && !next.own && draft.join(next.transition);
        while (!isAlone && isNext(queue[0])) taken.push(queue.shift() as Waiting);
        group.set(draft, taken);
        this.#busy.add(graphId);
        transitions += taken.length;
      }
      if (queue.length === 0) this.#waiting.delete(graphId);
      if (isAlone) break;
    }
    return group;
  }

  #refuse(waiting: Waiting | undefined): void {
    waiting?.own?.abandon();
    waiting?.notify(undefined);
  }

  #putBack(group: Map<TransitionDraft, Waiting[]>): void {
    for (const [{ graphId }, taken] of group) {
      this.#waiting.set(graphId, [...taken, ...(this.#waiting.get(graphId) ?? [])]);
      this.#busy.delete(graphId);
    }
  }

  /** Never rejects. */
  async #run(slot: WriterSlot, group: Map<TransitionDraft, Waiting[]>): Promise<void> {
    const [first] = [...group.values()].flat();
    try {
      if (first?.own) return await this.#alone(slot, first, first.own);
      await this.#together(slot, group);
    } catch (error) {
      if (isUnavailable(error) || isSerializationFailure(error))
        await this.#fail([...group.values()].flat(), storeError(error));
      else await this.#oneByOne(slot, group, error);
    }
  }

  async #together(slot: WriterSlot, group: Map<TransitionDraft, Waiting[]>): Promise<void> {
    const drafts = [...group.keys()].sort((a, b) => (a.graphId < b.graphId ? -1 : 1));
    const seqs = await this.#send(slot, drafts);
    const outcomes = drafts.flatMap((draft, at) => {
      const seq = seqs[at] ?? -1;
      const events = seq < 0 ? undefined : draft.numbered(seq);
      return (group.get(draft) ?? []).map((waiting, place) => ({ waiting, events: events?.[place] }));
    });
    await this.#answers.each(outcomes, ({ waiting: { transition, notify }, events }) => {
      if (!events) this.#lines.break(transition);
      notify(events);
    });
  }

  /** With the author's statements, which are repeated if they were certainly not written. */
  async #alone(slot: WriterSlot, waiting: Waiting, own: UserTransaction): Promise<void> {
    for (;;) {
      const draft = new TransitionDraft(own.transition);
      let sent: { doc: SqlValue[]; next: number } | undefined;
      let seq: number | undefined;
      try {
        if (slot.ticket === undefined) slot.ticket = (await this.#ask(slot)).ticket;
        sent = this.#document(slot, [draft]);
        [seq] = await this.#call(own.client, sent.doc);
        if (seq !== undefined && seq >= 0) await own.commit();
        else own.abandon();
        if (seq !== undefined && seq >= 0) slot.ticket = sent.next;
      } catch (error) {
        own.abandon();
        slot.ticket = undefined;
        if (codeOf(error) === OTHER_REGISTRATIONS) {
          await this.#options.registrations.refresh();
          await own.begin(() => undefined);
          continue;
        }
        if (!isUnavailable(error) && !isSerializationFailure(error)) throw error;
        const { ticket, outcomes } = await this.#askLong(slot);
        slot.ticket = ticket;
        [seq] = ticket === sent?.next ? outcomes : [];
      }
      if (seq === undefined) {
        await own.begin(() => undefined);
        continue;
      }
      if (seq < 0) this.#lines.break(waiting.transition);
      return waiting.notify(seq < 0 ? undefined : draft.numbered(seq)[0]);
    }
  }

  async #askLong(slot: WriterSlot): Promise<{ ticket: number; outcomes: readonly number[] }> {
    const patience = this.#database.patience();
    for (;;)
      try {
        return await this.#ask(slot);
      } catch (error) {
        if (!isUnavailable(error) || !(await patience.pause())) throw error;
      }
  }

  /** Keeps a failure with its owner. */
  async #oneByOne(slot: WriterSlot, group: Map<TransitionDraft, Waiting[]>, error: unknown): Promise<void> {
    const all = [...group.values()].flat();
    const [only] = all;
    if (all.length === 1 || only?.own)
      return this.#fail(all, error instanceof UserStatementError ? error : storeError(error));
    for (const waiting of all) {
      if (this.#lines.isBroken(waiting.transition)) waiting.notify(undefined);
      else await this.#run(slot, new Map([[new TransitionDraft(waiting.transition), [waiting]]]));
    }
  }

  #fail(taken: readonly Waiting[], error: Error): Promise<void> {
    return this.#answers.each(taken, ({ transition, notify, own }) => {
      own?.abandon();
      this.#lines.break(transition);
      notify(error);
    });
  }

  /** Sends a group until its outcome is known. */
  async #send(slot: WriterSlot, drafts: readonly TransitionDraft[]): Promise<readonly number[]> {
    const patience = this.#database.patience();
    let sent: { doc: SqlValue[]; next: number } | undefined;
    let isUnknown = false;
    let isOutdated = false;
    for (;;)
      try {
        if (slot.ticket === undefined || isUnknown) {
          const { ticket, outcomes } = await this.#ask(slot);
          const isOurs = ticket === sent?.next;
          // A group that was sent under another ticket can no longer be written.
          if (ticket !== slot.ticket) sent = undefined;
          slot.ticket = ticket;
          if (isOurs) return outcomes;
        }
        if (isOutdated) {
          await this.#options.registrations.refresh();
          [isOutdated, sent] = [false, undefined];
        }
        sent ??= this.#document(slot, drafts);
        const seqs = await this.#call(this.#database.writers, sent.doc);
        slot.ticket = sent.next;
        return seqs;
      } catch (error) {
        if (codeOf(error) === OTHER_REGISTRATIONS) {
          isOutdated = true;
          continue;
        }
        const mayPass = isUnavailable(error) || isSerializationFailure(error) || codeOf(error) === WRITTEN_ALREADY;
        if (!mayPass && !isUnknown) throw error;
        if (!mayPass) return this.#writtenOr(slot, sent?.next, error);
        isUnknown = true;
        if (await patience.pause()) continue;
        slot.ticket = undefined;
        throw error;
      }
  }

  /** A repeated group that is refused may have met itself: the first one may have been written. */
  async #writtenOr(slot: WriterSlot, next: number | undefined, error: unknown): Promise<readonly number[]> {
    slot.ticket = undefined;
    const { ticket, outcomes } = await this.#ask(slot);
    slot.ticket = ticket;
    if (ticket !== next) throw error;
    return outcomes;
  }

  #document(slot: WriterSlot, drafts: readonly TransitionDraft[]): { doc: SqlValue[]; next: number } {
    const next = ++this.#tickets;
    const place = { slot: slot.id, ticket: slot.ticket ?? 0, next, registrations: this.#goBy(drafts) };
    return { doc: groupDocument(place, drafts, this.#options.jobOf), next };
  }

  /** Recomputes outbox rows for the current registrations. @returns their version; null without outbox rows. */
  #goBy(drafts: readonly TransitionDraft[]): number | null {
    const { version } = this.#options.registrations;
    const reporting = drafts.flatMap(({ transitions }) => transitions.filter(({ outboxAgain }) => outboxAgain));
    for (const transition of reporting) {
      if (this.#wentBy.get(transition) === version) continue;
      transition.outbox = transition.outboxAgain?.() ?? [];
      this.#wentBy.set(transition, version);
    }
    return reporting.length > 0 ? version : null;
  }

  /** Outcome of the slot's last group. Waits while one is being written. */
  async #ask(slot: WriterSlot): Promise<{ ticket: number; outcomes: readonly number[] }> {
    const text = "SELECT ticket, outcomes FROM svc.slot WHERE id = $1 FOR UPDATE";
    const [row] = (await this.#database.query(this.#database.writers, text, [slot.id])).rows;
    if (row) return { ticket: Number(row["ticket"]), outcomes: row["outcomes"] as unknown as number[] };
    // This process was away for long and taken for gone. Its fences decide whether its groups are written.
    await this.#slots.renew();
    return this.#ask(slot);
  }

  async #call(on: Pick<ClientBase, "query">, doc: readonly SqlValue[]): Promise<readonly number[]> {
    const { rows } = await this.#database.query(on, COMMIT_UNITS, doc);
    return rows[0]?.["seqs"] as unknown as number[];
  }
}

/** SQLSTATE of a refusal by the server. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
