/** Takes leases that are requested at the same time with one statement. */
import type { Taken } from "./leases.ts";

interface Want {
  resolve: (number: number | undefined) => void;
  reject: (error: unknown) => void;
}

export class TakeBatch {
  readonly #take: (ids: string[]) => Promise<Taken[] | undefined>;
  #wants = new Map<string, Want>();

  /** @param take returns undefined if this process may take none. */
  constructor(take: (ids: string[]) => Promise<Taken[] | undefined>) {
    this.#take = take;
  }

  /**
   * @returns the lease number; undefined if the run has another holder.
   * @throws if the process may take none, or does not know what it has taken.
   */
  take(graphId: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#wants.size === 0) setImmediate(() => void this.#flush());
      // Two requests mean two jobs for the run: answer one of them.
      this.#wants.get(graphId)?.resolve(undefined);
      this.#wants.set(graphId, { resolve, reject });
    });
  }

  async #flush(): Promise<void> {
    const wants = this.#wants;
    this.#wants = new Map();
    try {
      const taken = await this.#take([...wants.keys()]);
      if (!taken) throw new Error("This process is not registered. Another process runs the job.");
      const numbers = new Map(taken.map(({ id, number }) => [id, number]));
      for (const [id, { resolve }] of wants) resolve(numbers.get(id));
    } catch (error) {
      for (const { reject } of wants.values()) reject(error);
    }
  }
}
