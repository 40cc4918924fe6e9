/** Runs that this process holds only while callers change them: number of callers and lease of each. */

interface TemporaryLease {
  lease: number;
  users: number;
}

export class TemporaryLeases {
  readonly #byRun = new Map<string, TemporaryLease>();

  has(graphId: string): boolean {
    return this.#byRun.has(graphId);
  }

  /** Lease under which a run is held for callers. */
  lease(graphId: string): number | undefined {
    return this.#byRun.get(graphId)?.lease;
  }

  /** Adds a caller under this lease. */
  begin(graphId: string, lease: number): void {
    this.#byRun.set(graphId, { lease, users: (this.#byRun.get(graphId)?.users ?? 0) + 1 });
  }

  /** Adds a caller to a run that is held for another. @returns whether it is held. */
  join(graphId: string): boolean {
    const temporary = this.#byRun.get(graphId);
    if (temporary) temporary.users++;
    return temporary !== undefined;
  }

  /** Removes a caller. @returns the lease once there is no other caller. */
  end(graphId: string): number | undefined {
    const temporary = this.#byRun.get(graphId);
    if (!temporary || --temporary.users > 0) return undefined;
    this.#byRun.delete(graphId);
    return temporary.lease;
  }
}
