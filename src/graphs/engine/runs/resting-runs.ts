/**
 * Runs that a process leaves as rows (machine/rest.ts), when it starts or while they wait, so that any number of them costs little memory.
 * Each is recovered when it is due, or when a command loads it (`ActiveRuns.take`): its recovery only comes later, and is the same.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { Clock, Timer } from "../../../platform/shared/clock.ts";
import type { Log } from "../../../platform/shared/log.ts";
import type { StoredGraph } from "../../../storage/contract/graph-rows.ts";
import { DueTimers } from "../../execution/due-timers.ts";
import { refusalOf } from "../../machine/rejected-command.ts";
import { restUntil } from "../../machine/rest.ts";
import type { EngineState } from "../engine-state.ts";
import { FaultLog } from "../fault-log.ts";
import type { Registry } from "../registry.ts";
import type { ActiveRuns } from "./active-runs.ts";
import type { Busy } from "./idle-tracker.ts";

export interface RestingRunsOptions {
  activeRuns: Pick<ActiveRuns, "get" | "load">;
  registry: Registry;
  clock: Clock;
  log: Log;
  state: EngineState;
  /** Busy while runs are loaded. */
  busy: Busy;
}

/** Runs to load between two turns of the event loop. */
const PAGE = 50;
/** Time before a run that could not be loaded is tried again. */
const AGAIN_MS = 1000;

export class RestingRuns {
  readonly #options: RestingRunsOptions;
  readonly #due: DueTimers;
  /** Timers of runs by id. */
  readonly #timers = new Map<string, Timer>();
  readonly #faults: FaultLog;
  /** Ids of runs that are due. */
  readonly #waking: string[] = [];
  #isWaking = false;

  constructor(options: RestingRunsOptions) {
    this.#options = options;
    this.#due = new DueTimers(options.clock);
    this.#faults = new FaultLog(options.log, options.clock);
  }

  /** Leaves a run that rests as rows until it is due. @returns false if it does not rest. */
  leave(stored: StoredGraph): boolean {
    const { registry, clock } = this.#options;
    const untilMs = restUntil(stored, registry.of(stored.row));
    if (untilMs === undefined || untilMs <= clock.now()) return false;
    this.rest(stored.row.id, untilMs);
    return true;
  }

  /** @param untilMs time at which the run goes on; Infinity: only a command loads it. */
  rest(id: string, untilMs: number): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    if (untilMs === Infinity) return;
    const timer = this.#due.at(untilMs, () => {
      this.#timers.delete(id);
      this.#wake(id);
    });
    this.#timers.set(id, timer);
  }

  #wake(id: string): void {
    if (this.#options.state.isClosing) return;
    this.#waking.push(id);
    if (!this.#isWaking) void this.#load();
  }

  /** Loads the due runs page by page. Never rejects. */
  async #load(): Promise<void> {
    const { busy, state } = this.#options;
    this.#isWaking = true;
    busy.begin();
    while (this.#waking.length > 0 && !state.isClosing) {
      await Promise.all(this.#waking.splice(0, PAGE).map((id) => this.#recover(id)));
      await turn();
    }
    this.#isWaking = false;
    busy.end();
  }

  async #recover(id: string): Promise<void> {
    const { activeRuns, clock } = this.#options;
    try {
      // A command may have loaded it before, and it may have ended or been deleted since.
      if (!activeRuns.get(id)) await refusalOf(activeRuns.load(id));
    } catch (error) {
      this.#faults.failed(id, error, `The run ${id} is due and could not be loaded. It is tried again.`);
      clock.schedule(AGAIN_MS, () => this.#wake(id));
    }
  }
}
