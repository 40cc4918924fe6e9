/** The runs that are active in this process, by id. */
import { ChurningMap } from "../../platform/shared/collections/churning-map.ts";
import type { ActiveRun } from "./active-run.ts";

export class RunTable {
  readonly #runs = new ChurningMap<ActiveRun>();

  get(id: string): ActiveRun | undefined {
    return this.#runs.get(id);
  }

  has(id: string): boolean {
    return this.#runs.has(id);
  }

  all(): ActiveRun[] {
    return [...this.#runs.values()];
  }

  add(run: ActiveRun): void {
    this.remove(run.id);
    this.#runs.set(run.id, run);
    run.isActive = true;
  }

  remove(id: string): void {
    const run = this.#runs.get(id);
    if (!run) return;
    run.isActive = false;
    this.#runs.delete(id);
  }
}
