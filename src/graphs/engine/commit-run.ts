/** What is written of graphs that are under way: under the number that this process holds them by, and told to the others. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { TransactionRun } from "../../storage/contract/transaction.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import type { Busy } from "./idle-tracker.ts";
import type { Fleet } from "./cluster-port.ts";
import type { LiveGraph } from "../execution/live-run.ts";
import { transact } from "../execution/step-transaction.ts";

export interface CommitsOptions {
  graphs: GraphStore;
  /** Where several processes share the store. */
  fleet: Fleet | undefined;
  /** Until one is written. */
  busy: Busy;
}

export class Commits {
  readonly #options: CommitsOptions;
  #underWay = 0;

  constructor(options: CommitsOptions) {
    this.#options = options;
  }

  get areUnderWay(): boolean {
    return this.#underWay > 0;
  }

  /** @returns whether this process still held the graph. Rejects with what the store does. */
  async write(live: LiveGraph, unit: Transition): Promise<boolean> {
    const { graphs, fleet, busy } = this.#options;
    busy.begin();
    this.#underWay++;
    try {
      const isWritten = await graphs.commit(underLease(live, unit));
      if (isWritten) fleet?.wrote(live.id, unit.outbox?.map((row) => row.registrationId) ?? []);
      return isWritten;
    } finally {
      this.#underWay--;
      busy.end();
    }
  }

  /** Writes the author's rows together with a unit. @param onFault told where the unit may not be written though it was decided */
  transact(live: LiveGraph, run: TransactionRun, onFault: (error: unknown) => void): Promise<Json> {
    const { graphs, fleet } = this.#options;
    const decide: typeof run.decide = (...given) => underLease(live, run.decide(...given));
    return transact(graphs, { ...run, decide }, onFault).finally(() => fleet?.wrote(live.id, []));
  }
}

/** A unit that is refused once the graph is held under another number. */
function underLease({ lease }: LiveGraph, unit: Transition): Transition {
  if (lease !== undefined && unit.fence) unit.fence.lease = lease;
  return unit;
}
