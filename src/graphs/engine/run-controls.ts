/**
 * Commands of operators: pause, resume, cancel, retry, signal. Each runs in the process that holds the run, is decided by its machine,
 * and is answered after the commit. Commands are passed to children.
 */
import { readDuration } from "../machine/read-duration.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { GraphPhase } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { mayHaveChild, type Children } from "./child-runs.ts";
import type { PauseOptions, RetryOptions, SignalOptions, Steering } from "../definition/audit-types.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import { Outrun, type Fleet, type Wish } from "./cluster-port.ts";
import type { Machine } from "../machine/machine.ts";
import type { ControlMessage } from "../machine/run-message.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { ActiveRun } from "../execution/active-run.ts";
import { sendSignal, type SignalTarget } from "./send-signal.ts";
import type { Unfit } from "./unknown-definition.ts";
import type { Views } from "./run-views.ts";
/** Phases from which a run can be resumed. */
const PAUSED: readonly GraphPhase[] = ["pausing", "paused"];

export interface StepsOptions {
  graphs: GraphStore;
  activeRuns: ActiveRuns;
  unfit: Unfit;
  children: Children;
  views: Views;
  limits: ValueLimits;
  fleet: Fleet | undefined;
  /** Called with the name of a run that is retried. */
  onRetry: ((worker: string) => void) | undefined;
}

export class Steps {
  readonly #options: StepsOptions;

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  /** Executes a command in the process that holds the run. */
  async #at(graphId: string, wish: Wish, here: () => Promise<Snapshot>): Promise<Snapshot> {
    const { fleet } = this.#options;
    if (!fleet) return here();
    try {
      if (this.#options.activeRuns.get(graphId)) return await this.#joined(graphId, here);
    } catch (error) {
      if (!(error instanceof Outrun)) throw error;
    }
    return fleet.reach(graphId, wish, async (lease) => {
      this.#options.activeRuns.loans.begin(graphId, lease);
      try {
        const unfit = await this.#options.unfit.steer(graphId, lease, wish);
        if (!unfit) return await here();
        await this.#follow(unfit, wish);
        return await this.#options.views.of(graphId);
      } finally {
        await this.#options.activeRuns.settle(graphId);
      }
    });
  }

  /** With an existing run. If it is held for another caller's command, it stays held until this one is done. */
  async #joined(graphId: string, here: () => Promise<Snapshot>): Promise<Snapshot> {
    const isLent = this.#options.activeRuns.loans.join(graphId);
    try {
      return await here();
    } finally {
      if (isLent) await this.#options.activeRuns.settle(graphId);
    }
  }

  /** Passes a command on for a run that was not loaded. */
  async #follow({ row, isTerminal }: Machine, { step, options }: Wish): Promise<void> {
    this.#options.fleet?.wrote(row.id, []);
    if (step === "pause" || step === "cancel") await this.#options.children.follow(step, row.id, options);
    if (isTerminal) await this.#options.children.ended(row);
  }

  pause(graphId: string, options: PauseOptions = {}): Promise<Snapshot> {
    return this.#at(graphId, { step: "pause", options }, async () => {
      const { pauseGraceMs } = this.#options.limits;
      const graceMs = options.grace === undefined ? pauseGraceMs : readDuration("grace", options.grace);
      await this.#control(graphId, { type: "pause", steering: options });
      this.#options.activeRuns.get(graphId)?.abortAfterGrace(graceMs);
      await this.#options.children.follow("pause", graphId, options);
      return this.#options.views.of(graphId);
    });
  }

  resume(graphId: string, steering?: Steering): Promise<Snapshot> {
    return this.#at(graphId, { step: "resume", options: steering }, async () => {
      const { children, activeRuns, views } = this.#options;
      const live = await activeRuns.take(graphId);
      const isParent = live.machine.nodes().some(mayHaveChild);
      const resume = (to: ActiveRun): Promise<Snapshot> => this.#send(to, { type: "resume", steering });
      // Without children, decide in this turn: commands count in the order of their calls.
      if (!isParent) {
        await resume(live);
        // A child that was being started when its parent was paused.
        await children.take("resume", graphId, steering);
        return views.of(graphId);
      }
      // Children first: after an interruption the parent is still paused, so the caller resumes it again.
      if (PAUSED.includes(live.machine.row.phase)) await children.take("resume", graphId, steering);
      return resume(await activeRuns.take(graphId));
    });
  }

  cancel(graphId: string, steering?: Steering): Promise<Snapshot> {
    return this.#at(graphId, { step: "cancel", options: steering }, async () => {
      await this.#control(graphId, { type: "cancel", steering });
      await this.#options.children.follow("cancel", graphId, steering);
      return this.#options.views.of(graphId);
    });
  }

  retry(graphId: string, options?: RetryOptions): Promise<Snapshot> {
    return this.#at(graphId, { step: "retry", options }, async () => {
      const snapshot = await this.#control(graphId, { type: "retry", steering: options });
      this.#options.onRetry?.(snapshot.worker);
      return snapshot;
    });
  }

  signal(graphId: string, name: string, payload: Json = null, options: SignalOptions = {}): Promise<Snapshot> {
    const { idempotencyKey: key, ...steering } = options;
    const target: SignalTarget<ActiveRun, Snapshot> = {
      store: this.#options.graphs,
      live: () => this.#options.activeRuns.take(graphId),
      control: (run, message) => this.#send(run, { type: "signal", steering, ...message }),
      snapshot: () => this.#options.views.of(graphId),
      inputBytes: this.#options.limits.inputBytes,
    };
    return this.#at(graphId, { step: "signal", name, payload, options }, () =>
      sendSignal(target, { graphId, name, payload, key, actor: steering.by }),
    );
  }

  /** Executes a command from another process. */
  fulfil(graphId: string, wish: Wish): Promise<Snapshot> {
    if (wish.step === "signal") return this.signal(graphId, wish.name, wish.payload, wish.options);
    if (wish.step === "pause") return this.pause(graphId, wish.options);
    return this[wish.step](graphId, wish.options);
  }

  async #control(graphId: string, message: ControlMessage): Promise<Snapshot> {
    return this.#send(await this.#options.activeRuns.take(graphId), message);
  }

  async #send(run: ActiveRun, message: ControlMessage): Promise<Snapshot> {
    await this.#options.activeRuns.control(run, message);
    return this.#options.views.of(run.id);
  }
}
