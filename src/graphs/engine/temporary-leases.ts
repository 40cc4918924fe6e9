/** Graphs that this process holds for those who want to change them, and would not hold otherwise: how many these are, and under which lease. */

interface Loan {
  lease: number;
  users: number;
}

export class Loans {
  readonly #loans = new Map<string, Loan>();

  has(graphId: string): boolean {
    return this.#loans.has(graphId);
  }

  /** Number of the lease under which a graph is held for somebody. */
  lease(graphId: string): number | undefined {
    return this.#loans.get(graphId)?.lease;
  }

  /** Held for one more, under this lease. */
  begin(graphId: string, lease: number): void {
    this.#loans.set(graphId, { lease, users: (this.#loans.get(graphId)?.users ?? 0) + 1 });
  }

  /** One more wants to change what is held for another. @returns whether it is. */
  join(graphId: string): boolean {
    const loan = this.#loans.get(graphId);
    if (loan) loan.users++;
    return loan !== undefined;
  }

  /** One has changed it. @returns its lease, once nobody else is about to. */
  end(graphId: string): number | undefined {
    const loan = this.#loans.get(graphId);
    if (!loan || --loan.users > 0) return undefined;
    this.#loans.delete(graphId);
    return loan.lease;
  }
}
