/** Runs that this process holds only while callers change them: number of callers and lease of each. */

interface Loan {
  lease: number;
  users: number;
}

export class Loans {
  readonly #loans = new Map<string, Loan>();

  has(graphId: string): boolean {
    return this.#loans.has(graphId);
  }

  /** Lease under which a run is held for callers. */
  lease(graphId: string): number | undefined {
    return this.#loans.get(graphId)?.lease;
  }

  /** Adds a caller under this lease. */
  begin(graphId: string, lease: number): void {
    this.#loans.set(graphId, { lease, users: (this.#loans.get(graphId)?.users ?? 0) + 1 });
  }

  /** Adds a caller to a run that is held for another. @returns whether it is held. */
  join(graphId: string): boolean {
    const loan = this.#loans.get(graphId);
    if (loan) loan.users++;
    return loan !== undefined;
  }

  /** Removes a caller. @returns the lease once there is no other caller. */
  end(graphId: string): number | undefined {
    const loan = this.#loans.get(graphId);
    if (!loan || --loan.users > 0) return undefined;
    this.#loans.delete(graphId);
    return loan.lease;
  }
}
