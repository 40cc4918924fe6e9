/**
 * Collects ended attempts, so that many share a commit: while attempts keep ending, it waits a few turns of the event loop for more;
 * after a turn without any, it commits at once.
 */
import type { AttemptRecord, WebhookStore } from "../../storage/contract/webhook-rows.ts";

const MOST_RECORDS = 128;
/** A turn under load is well below a millisecond. */
const MOST_TURNS = 8;

export class Recorder {
  readonly #store: Pick<WebhookStore, "recordAttempts">;
  #records: AttemptRecord[] = [];
  #commit: PromiseWithParts | undefined;
  #pending = 0;

  constructor(store: Pick<WebhookStore, "recordAttempts">) {
    this.#store = store;
  }

  /** Ended attempts that are not recorded yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Resolves after the durable commit. Rejects if the store can't write. */
  record(record: AttemptRecord): Promise<void> {
    this.#records.push(record);
    this.#pending++;
    if (!this.#commit) {
      this.#commit = newCommit();
      this.#gather(0, 0);
    }
    return this.#commit.promise;
  }

  #gather(turns: number, before: number): void {
    setImmediate(() => {
      const count = this.#records.length;
      if (count === before || count >= MOST_RECORDS || turns >= MOST_TURNS) this.#flush();
      else this.#gather(turns + 1, count);
    });
  }

  #flush(): void {
    const records = this.#records;
    const commit = this.#commit;
    this.#records = [];
    this.#commit = undefined;
    const done = (): void => void (this.#pending -= records.length);
    this.#store.recordAttempts(records).then(
      () => (done(), commit?.resolve()),
      (error: unknown) => (done(), commit?.reject(error)),
    );
  }
}

interface PromiseWithParts {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function newCommit(): PromiseWithParts {
  let parts: Omit<PromiseWithParts, "promise"> = { resolve: () => undefined, reject: () => undefined };
  const promise = new Promise<void>((resolve, reject) => (parts = { resolve, reject }));
  return { promise, ...parts };
}
