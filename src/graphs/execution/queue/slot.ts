/**
 * A slot in the queue of a worker, held by one attempt. An attempt that waits for a time, a signal or other nodes returns it and takes
 * it again before it continues.
 */
import type { Keys } from "./task-queue.ts";

/** The queue that a slot belongs to. */
export interface SlotQueue {
  /** The worker of its attempt is called, or will not be. */
  started(slot: Slot): void;
  notStarted(slot: Slot): void;
  /** Counts open work for callers that wait until there is none. */
  count(more: 1 | -1): void;
  free(slot: Slot): void;
  /** Grants the slot again when its turn comes. */
  takeAgain(slot: Slot): void;
}

export class Slot {
  readonly keys: Keys;
  /** Permit of the slot, if limits hold over all processes. */
  permit: string | undefined;
  readonly #queue: SlotQueue;
  #isHeld = true;
  /** Whether a rate counts its start, which has not happened yet. */
  #isStarting: boolean;
  #hasEnded = false;
  #work: Set<{ end(): void }> | undefined;
  #again: Promise<void> | undefined;
  #onAgain: (() => void) | undefined;
  #onFreed: (() => void) | undefined;

  /** @param isStart false after a wait, and for compensations: no rate counts it. */
  constructor(queue: SlotQueue, keys: Keys, permit: string | undefined, isStart: boolean) {
    this.#queue = queue;
    this.#isStarting = isStart;
    this.keys = keys;
    this.permit = permit;
  }

  /** Whether its attempt still needs it. */
  get isWanted(): boolean {
    return !this.#hasEnded;
  }

  /** The worker of its attempt is called. */
  started(): void {
    if (!this.#isStarting) return;
    this.#isStarting = false;
    this.#queue.started(this);
  }

  /**
   * Counts work of an attempt that may have returned its slot and still runs, because one of several waits has ended. An attempt that has
   * ended counts no longer, although its code may go on.
   */
  keepBusy(): { end(): void } {
    const work = { end: () => void (this.#work?.delete(work) && this.#queue.count(-1)) };
    if (this.#hasEnded) return work;
    (this.#work ??= new Set()).add(work);
    this.#queue.count(1);
    return work;
  }

  /** Resolves when the slot is next returned. */
  freed(): Promise<void> {
    return this.#isHeld ? new Promise((resolve) => (this.#onFreed = resolve)) : Promise.resolve();
  }

  /** Returns the slot during a wait. */
  free(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#queue.free(this);
    this.#onFreed?.();
  }

  /** Resolves once the attempt has the slot again; never if the attempt has ended by then. */
  takeAgain(): Promise<void> {
    if (this.#isHeld || this.#hasEnded) return Promise.resolve();
    this.#again ??= new Promise((resolve) => {
      this.#onAgain = resolve;
      this.#queue.takeAgain(this);
    });
    return this.#again;
  }

  /** Its turn has come again. */
  granted(permit: string | undefined): void {
    this.permit = permit;
    this.#isHeld = true;
    this.#again = undefined;
    this.#onAgain?.();
  }

  /** The attempt has ended. */
  leave(): void {
    this.#hasEnded = true;
    if (this.#isStarting) this.#queue.notStarted(this);
    this.#isStarting = false;
    for (const work of this.#work ?? []) work.end();
    this.free();
  }
}
