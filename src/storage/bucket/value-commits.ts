/**
 * Commits of runs whose large values become objects. The upload comes first: a process that ends in between leaves an object that no row
 * knows, which the sweep deletes. Commits of a run keep their order; those of other runs don't wait.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import type { TransactionRun } from "../contract/transaction.ts";
import { TransitionChains } from "../contract/transition-chains.ts";
import type { Transition } from "../contract/transition.ts";
import { transitionPayloads } from "../encryption/payload-rows.ts";
import { newValueObject } from "./object-names.ts";
import type { ValueObjects, ValueWriter } from "./value-objects.ts";
import { isMarkedValue } from "./value-references.ts";
import { ESCAPING, hasValue, mayExceed, moving, type Upload } from "./value-rows.ts";

/** A fence that no run meets. */
const NEVER = -1;

export class ValueCommits {
  readonly #graphs: GraphStore;
  readonly #objects: ValueObjects;
  readonly #writer: ValueWriter | undefined;
  /** By run: resolves when its last commit that waits for an upload was passed on. */
  readonly #last = new Map<string, Promise<void>>();
  readonly #lines = new TransitionChains();
  /** Number of open transactions by run. */
  readonly #transactions = new Map<string, number>();

  /** @param writer undefined: all values stay in the database */
  constructor(graphs: GraphStore, objects: ValueObjects, writer: ValueWriter | undefined) {
    this.#graphs = graphs;
    this.#objects = objects;
    this.#writer = writer;
  }

  commit(given: Transition): Promise<boolean> {
    const { graphId } = given;
    if (this.#lines.isBroken(given)) return Promise.resolve(false);
    const before = this.#last.get(graphId);
    const uploads: Upload[] = [];
    const transition = this.#moved(given, uploads);
    if (!before && uploads.length === 0) return this.#graphs.commit(transition);
    return this.#inOrder(transition, uploads, before);
  }

  /**
   * Values of a transaction stay in the database, because it would wait for the bucket. It is decided on top of the run's earlier commits,
   * so it waits for their uploads, and values of commits beside it stay in the database as well.
   */
  async transact({ decide, ...rest }: TransactionRun): Promise<Json> {
    const { graphId } = rest;
    let own: Transition | undefined;
    this.#transactions.set(graphId, (this.#transactions.get(graphId) ?? 0) + 1);
    try {
      for (let last = this.#last.get(graphId); last; last = this.#last.get(graphId)) await last;
      return await this.#graphs.transact({
        ...rest,
        decide: (result, before) => {
          own = decide(result, before && own);
          return this.#fenced(escaped(own));
        },
      });
    } finally {
      const left = (this.#transactions.get(graphId) ?? 1) - 1;
      if (left > 0) this.#transactions.set(graphId, left);
      else this.#transactions.delete(graphId);
    }
  }

  /** @param uploads gets the objects of large values */
  #moved(transition: Transition, uploads: Upload[]): Transition {
    const { graphId } = transition;
    const above = this.#transactions.has(graphId) ? undefined : this.#writer?.above;
    if (above === undefined || !hasValue(transition, (value) => mayExceed(value, above))) return escaped(transition);
    return transitionPayloads(
      moving(() => newValueObject(graphId), above, uploads),
      transition,
    );
  }

  async #inOrder(
    transition: Transition,
    uploads: readonly Upload[],
    before: Promise<void> | undefined,
  ): Promise<boolean> {
    const { graphId } = transition;
    const passed = this.#upload(transition, uploads, before);
    // Later commits follow once this one is passed on, or has failed.
    const last = passed.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(graphId, last);
    void last.then(() => {
      if (this.#last.get(graphId) === last) this.#last.delete(graphId);
    });
    return (await passed).isWritten;
  }

  /** @returns the store's promise in an object, so that it resolves once the commit is passed on */
  async #upload(
    transition: Transition,
    uploads: readonly Upload[],
    before: Promise<void> | undefined,
  ): Promise<{ isWritten: boolean | Promise<boolean> }> {
    const [uploaded] = await Promise.allSettled([this.#objects.write(this.#writer, uploads), before]);
    if (this.#lines.isBroken(transition)) return { isWritten: false };
    if (uploaded.status === "fulfilled") return { isWritten: this.#graphs.commit(transition) };
    this.#lines.break(transition);
    throw uploaded.reason;
  }

  /** The store refuses a transition that follows one whose upload has failed. */
  #fenced(transition: Transition): Transition {
    const { fence } = transition;
    return fence && this.#lines.isBroken(transition)
      ? { ...transition, fence: { ...fence, epoch: NEVER } }
      : transition;
  }
}

function escaped(transition: Transition): Transition {
  return hasValue(transition, isMarkedValue) ? transitionPayloads(ESCAPING, transition) : transition;
}
