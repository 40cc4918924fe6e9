/**
 * Records that the attempts of a run only wait, so that a process that starts leaves the run as rows (decision 145), and ends attempts
 * that may end meanwhile, so that their run takes no memory (decision 142). Such a run is loaded when a wait is over or for a command, and
 * its workers run again from their stored steps (`Replay`).
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { ActiveRun } from "../../execution/active-run.ts";
import type { RunTable } from "../../execution/run-table.ts";
import { restUntil } from "../../machine/rest.ts";
import type { EngineState } from "../engine-state.ts";

export interface SuspenderOptions {
  runs: RunTable;
  clock: Clock;
  state: EngineState;
  /** Takes over a run that is no longer in memory. `untilMs`: time at which it goes on by itself; Infinity: never. */
  rest: (id: string, untilMs: number) => void;
}

/** Shorter waits are not recorded, and neither is a run that just goes from one wait to the next. */
const GRACE_MS = 1000;
/** Time before a run is looked at again in which more than waits was in progress. */
const AGAIN_MS = 10_000;

export class Suspender {
  readonly #options: SuspenderOptions;
  /** Runs to look at after the grace period. */
  readonly #parked = new WeakSet<ActiveRun>();

  constructor(options: SuspenderOptions) {
    this.#options = options;
  }

  /** An attempt of the run waits. */
  parked(run: ActiveRun, afterMs = GRACE_MS): void {
    if (this.#parked.has(run)) return;
    this.#parked.add(run);
    // Runs that began to wait together are recorded in slices.
    run.at(this.#options.clock.now() + afterMs, () => {
      this.#parked.delete(run);
      this.#suspend(run);
    });
  }

  #suspend(run: ActiveRun): void {
    const { state, clock } = this.#options;
    if (state.isClosing || !run.isActive) return;
    // Another attempt, step or commit may be in progress, or the run may be paused.
    if (!run.onlyWaits || run.machine.row.phase !== "running") return this.parked(run, AGAIN_MS);
    run.request({ type: "suspend", fromMs: clock.now() + GRACE_MS }).then(
      // A command that has just found the run goes first: it decides within its turn of the event loop.
      () => run.mayEnd && void setImmediate(() => this.#forget(run)),
      // A failed commit is logged by runFailed.
      () => undefined,
    );
  }

  #forget(run: ActiveRun): void {
    const { runs, state, rest } = this.#options;
    const { row, definition } = run.machine;
    if (!run.isActive || state.isClosing) return;
    const untilMs = restUntil({ row, nodes: run.machine.nodes() }, definition);
    if (untilMs === undefined || !run.onlyWaits || !run.mayEnd) return this.parked(run, AGAIN_MS);
    runs.remove(run.id);
    run.isLost = true;
    run.stop();
    run.controllers.clear();
    rest(run.id, untilMs);
  }
}
