/**
 * Delivers the recorded outcomes of a node to a later attempt in the order in which they were recorded, so that a `Promise.race` has the
 * winner that it had before. An outcome that is asked for out of order waits for one turn of the event loop, in which the worker asks for
 * the earlier ones. Outcomes of older versions have no order and are delivered at once.
 */
import { setImmediate as turn } from "node:timers/promises";

interface Asked {
  readonly order: number;
  readonly deliver: () => void;
}

export class Replay {
  /** Orders of outcomes that nobody has asked for, ascending. */
  #expected: number[];
  #asked: Asked[] = [];
  #delivering: Promise<void> | undefined;

  /** @param orders of all outcomes that were recorded before this attempt. */
  constructor(orders: readonly number[]) {
    this.#expected = [...orders].sort((a, b) => a - b);
  }

  /** Resolves when it is the turn of this outcome. */
  async turnOf(order: number | undefined): Promise<void> {
    if (order === undefined || !this.#expected.includes(order)) return;
    if (order === this.#expected[0] && this.#asked.length === 0) return void this.#expected.shift();
    const delivered = new Promise<void>((resolve) => this.#asked.push({ order, deliver: resolve }));
    this.#delivering ??= this.#deliver();
    await delivered;
  }

  /** Resolves once all recorded outcomes that were asked for are delivered: new outcomes come after them. */
  async settled(): Promise<void> {
    await this.#delivering;
  }

  /** One outcome in each turn, so that the code after it runs first. */
  async #deliver(): Promise<void> {
    while (this.#asked.length > 0) {
      await turn();
      this.#asked.sort((a, b) => a.order - b.order);
      const next = this.#asked.shift() as Asked;
      // Earlier ones that nobody has asked for are not waited for: the worker may have other reasons not to reach them.
      this.#expected = this.#expected.filter((order) => order > next.order);
      next.deliver();
    }
    this.#delivering = undefined;
  }
}
