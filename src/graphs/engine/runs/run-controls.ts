/**
 * Commands of operators: pause, resume, cancel, terminate, retry, signal. Each runs in the process that holds the run, is decided by its machine,
 * and is answered after the commit. Commands are passed to children.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { readDuration } from "../../machine/read-duration.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphPhase } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { Admission } from "../admission/admission.ts";
import type { ActiveRuns } from "./active-runs.ts";
import { mayHaveChild, type Children } from "../child-runs.ts";
import type {
  CancelOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  AuditContext,
} from "../../definition/audit-types.ts";
import type { ValueLimits } from "../../definition/value-limits.ts";
import { StaleLeaseError, type ClusterPort, type RunCommand } from "../cluster-port.ts";
import type { Machine } from "../../machine/machine.ts";
import type { ControlMessage } from "../../machine/run-message.ts";
import type { Snapshot } from "../../machine/view-types.ts";
import type { ActiveRun } from "../../execution/active-run.ts";
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
  admission: Admission;
  views: Views;
  limits: ValueLimits;
  cluster: ClusterPort | undefined;
  /** Called with the name of a run that is retried. */
  onRetry: ((worker: string) => void) | undefined;
}

export class Steps {
  readonly #options: StepsOptions;

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  /** Executes a command in the process that holds the run. */
  async #at(graphId: string, command: RunCommand, here: () => Promise<Snapshot>): Promise<Snapshot> {
    const { cluster } = this.#options;
    if (!cluster) return (await this.#unfit(graphId, undefined, command)) ?? here();
    try {
      if (this.#options.activeRuns.get(graphId)) return await this.#joined(graphId, here);
    } catch (error) {
      if (!(error instanceof StaleLeaseError)) throw error;
    }
    return cluster.reach(graphId, command, async (lease) => {
      this.#options.activeRuns.temporaryLeases.begin(graphId, lease);
      try {
        return (await this.#unfit(graphId, lease, command)) ?? (await here());
      } finally {
        await this.#options.activeRuns.settle(graphId);
      }
    });
  }

  /** Executes a command for a run that this build can't execute. @returns undefined if it can. */
  async #unfit(graphId: string, lease: number | undefined, command: RunCommand): Promise<Snapshot | undefined> {
    const { activeRuns, unfit, views } = this.#options;
    const machine = activeRuns.get(graphId) ? undefined : await unfit.execute(graphId, lease, command);
    if (!machine) return undefined;
    await this.#follow(machine, command);
    return views.of(graphId);
  }

  /** With an existing run. If it is held for another caller's command, it stays held until this one is done. */
  async #joined(graphId: string, here: () => Promise<Snapshot>): Promise<Snapshot> {
    const isLent = this.#options.activeRuns.temporaryLeases.join(graphId);
    try {
      return await here();
    } finally {
      if (isLent) await this.#options.activeRuns.settle(graphId);
    }
  }

  /** Passes a command on for a run that was not loaded. */
  async #follow({ row, isTerminal }: Machine, { step, options }: RunCommand): Promise<void> {
    this.#options.cluster?.wrote(row.id, []);
    if (step === "pause" || step === "cancel" || step === "terminate")
      await this.#options.children.follow(step, row.id, options);
    if (isTerminal) await this.#options.children.ended(row);
    if (isTerminal) this.#options.admission.request(row);
  }

  pause(graphId: string, options: PauseOptions = {}): Promise<Snapshot> {
    return this.#at(graphId, { step: "pause", options }, async () => {
      const { pauseGraceMs } = this.#options.limits;
      const graceMs = options.grace === undefined ? pauseGraceMs : readDuration("grace", options.grace);
      await this.#control(graphId, { type: "pause", auditContext: options });
      this.#options.activeRuns.get(graphId)?.abortAfterGrace(graceMs);
      await this.#options.children.follow("pause", graphId, options);
      return this.#options.views.of(graphId);
    });
  }

  resume(graphId: string, auditContext?: AuditContext): Promise<Snapshot> {
    return this.#at(graphId, { step: "resume", options: auditContext }, async () => {
      const { children, activeRuns, views } = this.#options;
      const live = await activeRuns.take(graphId);
      const isParent = live.machine.nodes().some(mayHaveChild);
      const resume = (to: ActiveRun): Promise<Snapshot> => this.#send(to, { type: "resume", auditContext });
      // Without children, decide in this turn: commands count in the order of their calls.
      if (!isParent) {
        await resume(live);
        // A child that was being started when its parent was paused.
        await children.take("resume", graphId, auditContext);
        return views.of(graphId);
      }
      // Children first: after an interruption the parent is still paused, so the caller resumes it again.
      if (PAUSED.includes(live.machine.row.phase)) await children.take("resume", graphId, auditContext);
      return resume(await activeRuns.take(graphId));
    });
  }

  cancel(graphId: string, options?: CancelOptions): Promise<Snapshot> {
    return this.#at(graphId, { step: "cancel", options }, async () => {
      const { message, ...auditContext } = options ?? {};
      const error = message === undefined ? {} : { error: message };
      await this.#control(graphId, { type: "cancel", auditContext: options && auditContext, ...error });
      await this.#options.children.follow("cancel", graphId, auditContext);
      return this.#options.views.of(graphId);
    });
  }

  /** Cancels a run for its graph, unless it has ended, is gone, or is being cancelled. */
  async cancelIfActive(graphId: string, message: string): Promise<void> {
    try {
      await this.cancel(graphId, { message });
    } catch (error) {
      if (!(error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")))
        throw error;
    }
  }

  terminate(graphId: string, auditContext?: AuditContext): Promise<Snapshot> {
    return this.#at(graphId, { step: "terminate", options: auditContext }, async () => {
      await this.#control(graphId, { type: "terminate", auditContext });
      await this.#options.children.follow("terminate", graphId, auditContext);
      return this.#options.views.of(graphId);
    });
  }

  retry(graphId: string, options?: RetryOptions): Promise<Snapshot> {
    return this.#at(graphId, { step: "retry", options }, async () => {
      const snapshot = await this.#control(graphId, { type: "retry", auditContext: options });
      this.#options.onRetry?.(snapshot.worker);
      return snapshot;
    });
  }

  signal(graphId: string, name: string, payload: Json = null, options: SignalOptions = {}): Promise<Snapshot> {
    const { views } = this.#options;
    const { idempotencyKey: key, ...auditContext } = options;
    // A run may receive thousands of signals, so none reads all nodes of the run.
    const target: SignalTarget<ActiveRun, Snapshot> = {
      store: this.#options.graphs,
      live: () => this.#options.activeRuns.take(graphId),
      control: async (run, message) => {
        await this.#options.activeRuns.control(run, { type: "signal", auditContext, ...message });
        return views.brief(graphId);
      },
      snapshot: () => views.brief(graphId),
      inputBytes: this.#options.limits.inputBytes,
    };
    return this.#at(graphId, { step: "signal", name, payload, options }, () =>
      sendSignal(target, { graphId, name, payload, key, actor: auditContext.by }),
    );
  }

  /** Executes a command from another process. */
  execute(graphId: string, command: RunCommand): Promise<Snapshot> {
    if (command.step === "signal") return this.signal(graphId, command.name, command.payload, command.options);
    if (command.step === "pause") return this.pause(graphId, command.options);
    return this[command.step](graphId, command.options);
  }

  async #control(graphId: string, message: ControlMessage): Promise<Snapshot> {
    return this.#send(await this.#options.activeRuns.take(graphId), message);
  }

  async #send(run: ActiveRun, message: ControlMessage): Promise<Snapshot> {
    await this.#options.activeRuns.control(run, message);
    return this.#options.views.of(run.id);
  }
}
