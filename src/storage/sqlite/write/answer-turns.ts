/**
 * Spreads answers to commits over turns of the event loop. One sync to disk may answer thousands of commits, and each answer lets a run
 * go on, which would block the loop.
 */

export class AnswerTurns {
  readonly #most: number;
  /** Answers since the last turn that was waited for. */
  #answered = 0;
  #turn: Promise<void> | undefined;

  /** @param most answers before a turn */
  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when so many answers may be given. Calls resolve in their order. */
  async enter(count: number): Promise<void> {
    while (this.#turn) await this.#turn;
    this.#answered += count;
    if (this.#answered < this.#most) return;
    this.#turn = new Promise((resolve) =>
      setImmediate(() => {
        this.#turn = undefined;
        this.#answered = 0;
        resolve();
      }),
    );
  }
}
