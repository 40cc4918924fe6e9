/**
 * Spreads answers to commits over turns of the event loop. One sync to disk, or one statement, may answer thousands of commits, and each
 * answer lets a run continue, which would block the loop.
 */

/** Answers of one turn: some 10 ms with the work that follows them, such as workers that continue. */
export const ANSWERS_OF_TURN = 128;

export class AnswerTurns {
  /** Answers since the last turn that was waited for. */
  #answered = 0;
  #turn: Promise<void> | undefined;

  /** Answers each item in order, and resolves after the last one. @param answer must not throw */
  async each<Item>(items: readonly Item[], answer: (item: Item, at: number) => void): Promise<void> {
    for (let first = 0; first < items.length; first += ANSWERS_OF_TURN) {
      const slice = items.slice(first, first + ANSWERS_OF_TURN);
      await this.#enter(slice.length);
      slice.forEach((item, at) => answer(item, first + at));
    }
  }

  /** Resolves when so many answers may be given. Calls resolve in their order. */
  async #enter(count: number): Promise<void> {
    while (this.#turn) await this.#turn;
    this.#answered += count;
    if (this.#answered < ANSWERS_OF_TURN) return;
    this.#turn = new Promise((resolve) =>
      setImmediate(() => {
        this.#turn = undefined;
        this.#answered = 0;
        resolve();
      }),
    );
  }
}
