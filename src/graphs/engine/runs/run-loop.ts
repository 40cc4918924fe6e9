/**
 * Handles the messages of runs: decides, commits one transition, then performs its effects. Control flows one way:
 * inbox -> decide -> commit -> effects: start attempts, wake waits, set timers, compensate
 * Attempts and timers answer with further messages. A worker is called only after the commit that marks its node as running, so the store
 * knows of every call, whatever the call does to the process.
 * Transitions of a run are committed in order, each on top of the one before (`fence.seq`). If one fails, the following ones are refused,
 * and the run is loaded again.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError, type ErrorCode } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { TransactionRun } from "../../../storage/contract/transaction.ts";
import type { Transition } from "../../../storage/contract/transition.ts";
import type { BesideWarning } from "./beside-warning.ts";
import type { Busy } from "./idle-tracker.ts";
import type { EngineState } from "../engine-state.ts";
import { StaleLeaseError, type ClusterPort } from "../cluster-port.ts";
import { decide } from "../../machine/decide.ts";
import type { Wait } from "../../machine/waits.ts";
import type { ActiveRun, InboxMessage, MessageHandler, Reply, SlotGranted } from "../../execution/active-run.ts";
import type { Dispatcher } from "../../execution/dispatcher.ts";
import type { Runner } from "../../execution/runner.ts";
import { StartedAttempt } from "../../execution/started-attempt.ts";
import type { StepReport } from "../../machine/report-types.ts";
import { stepReports } from "./step-reports.ts";
import { transact } from "../../execution/step-transaction.ts";
import type { Compensator } from "../../execution/compensator.ts";

/** The owner of this process's active runs. */
export interface RunSupervisor {
  /** A command has changed the run. It is active from now on. */
  runChanged(run: ActiveRun): void;
  /** The end of the run is committed. */
  runEnded(run: ActiveRun): void;
  /** A commit has failed, or the state in memory may be wrong. */
  runFailed(run: ActiveRun, error: unknown): void;
}

export interface RunLoopOptions {
  graphs: GraphStore;
  /** The cluster, if several processes share the store. */
  cluster: ClusterPort | undefined;
  clock: Clock;
  state: EngineState;
  /** Busy while a commit is open. */
  busy: Busy;
  dispatcher: Dispatcher;
  runner: Runner;
  compensator: Compensator;
  supervisor: RunSupervisor;
  besideWarning: BesideWarning;
  /** Called with each committed end of a step, sleep or wait. */
  onStep: ((step: StepReport) => void) | undefined;
}

/** A transition that is being committed, and its effects. */
interface Pending {
  run: ActiveRun;
  transition: Transition;
  reply: Reply | undefined;
  /** Whether it ends the run. The machine may be ahead: a later transition may end the run. */
  isTerminal: boolean;
  started: readonly StartedAttempt[];
  woken: readonly Wait[];
}

/** Errors of rejected commands, thrown before any change. */
const REFUSALS: readonly ErrorCode[] = ["SVC_TRANSITION", "SVC_INVALID"];

export class RunLoop implements MessageHandler {
  readonly #options: RunLoopOptions;

  constructor(options: RunLoopOptions) {
    this.#options = options;
  }

  // Messages.

  handle(run: ActiveRun, message: InboxMessage, reply: Reply | undefined): void {
    if (run.isLost) return refuse(message, reply);
    this.#options.besideWarning.check(message);
    try {
      const nowMs = this.#options.clock.now();
      const transition =
        message.type === "slotGranted" ? startGranted(run, message, nowMs) : decide(run.machine, message, nowMs);
      if (transition) this.#transition(run, message, transition, reply);
      else this.#unchanged(run, reply);
    } catch (error) {
      // Any other error may have left the machine half changed.
      if (!(reply && isRefusal(error))) this.fail(run, error);
      if (message.type === "slotGranted") message.slot.leave();
      reply?.reject(error);
    }
  }

  #transition(run: ActiveRun, message: InboxMessage, transition: Transition, reply: Reply | undefined): void {
    if (isControl(message)) this.#options.supervisor.runChanged(run);
    abortEnded(run, message);
    const { isTerminal, inner } = run.machine;
    const started = this.startReady(run, transition);
    if (message.type === "slotGranted")
      started.unshift(new StartedAttempt(run, message.node, message.slot, message.fault));
    for (const id of inner.takeDropped()) run.abort(id, new Error("The result of this node is no longer needed"));
    this.#commit({ run, transition, reply, isTerminal, started, woken: inner.takeWoken() });
    if (message.type === "nodeFailed" && message.retryAtMs !== undefined) this.retryLater(run, message.node);
  }

  #unchanged(run: ActiveRun, reply: Reply | undefined): void {
    this.#options.dispatcher.enqueueReady(run);
    this.#watch(run);
    reply?.resolve();
  }

  // Commits.

  #commit(pending: Pending): void {
    const { run, transition } = pending;
    const { graphs, busy } = this.#options;
    const commit = graphs.commit(underLease(run, transition));
    busy.begin();
    run.openCommits++;
    commit
      .then(
        (isHeld) => (isHeld ? this.#committed(pending) : this.#failed(pending, new StaleLeaseError())),
        (error: unknown) => this.#failed(pending, error),
      )
      .catch((error: unknown) => this.fail(run, error));
  }

  #committed({ run, transition, isTerminal, woken, started, reply }: Pending): void {
    const { supervisor, runner, busy } = this.#options;
    run.openCommits--;
    this.#announce(run, transition);
    this.#report(run, transition);
    if (isTerminal) supervisor.runEnded(run);
    else this.#watch(run);
    for (const wait of woken) wait.wake();
    runner.begin(started);
    reply?.resolve();
    busy.end();
  }

  #failed({ run, started, reply }: Pending, error: unknown): void {
    run.openCommits--;
    this.fail(run, error);
    this.release(started);
    reply?.reject(error);
    this.#options.busy.end();
  }

  #report({ machine }: ActiveRun, transition: Transition): void {
    const { onStep } = this.#options;
    if (!onStep) return;
    const read = { row: machine.row, node: (id: string) => machine.node(id) };
    for (const step of stepReports(read, transition)) onStep(step);
  }

  #announce(run: ActiveRun, { outbox }: Transition): void {
    this.#options.cluster?.wrote(run.id, outbox?.map((row) => row.registrationId) ?? []);
  }

  /** @returns whether this process still held the run. Rejects with errors of the store. */
  async write(run: ActiveRun, transition: Transition): Promise<boolean> {
    const { graphs, busy } = this.#options;
    busy.begin();
    try {
      const isWritten = await graphs.commit(underLease(run, transition));
      if (isWritten) this.#announce(run, transition);
      return isWritten;
    } finally {
      busy.end();
    }
  }

  async transact(run: ActiveRun, transaction: TransactionRun): Promise<Json> {
    const { graphs, cluster } = this.#options;
    let transition: Transition | undefined;
    run.openCommits++;
    const decided: TransactionRun["decide"] = (...given) =>
      (transition = underLease(run, transaction.decide(...given)));
    try {
      const result = await transact(graphs, { ...transaction, decide: decided }, (error) => this.fail(run, error));
      if (transition) this.#report(run, transition);
      return result;
    } finally {
      run.openCommits--;
      cluster?.wrote(run.id, []);
    }
  }

  fail(run: ActiveRun, error: unknown): void {
    this.#options.supervisor.runFailed(run, error);
  }

  // Effects.

  /** Marks ready nodes as running in the same transition, if there are slots. */
  startReady(run: ActiveRun, transition: Transition): StartedAttempt[] {
    return this.#options.dispatcher.startReady(run, transition);
  }

  /** The first transition of a new run is committed. */
  begin(run: ActiveRun, started: readonly StartedAttempt[]): void {
    this.#options.runner.begin(started);
    this.#watch(run);
  }

  /** Drops attempts whose start was not committed. */
  release(started: readonly StartedAttempt[]): void {
    for (const { slot } of started) slot.leave();
  }

  retryLater(run: ActiveRun, node: NodeRow): void {
    const { state } = this.#options;
    const { epoch } = run.machine.row;
    run.at(node.dueMs ?? 0, () => {
      if (state.mayStart && run.isActive) run.post({ type: "retryDue", node, epoch });
    });
  }

  #watch(run: ActiveRun): void {
    if (this.#options.state.isClosing || !run.isActive) return;
    run.watchDeadline();
    this.#options.compensator.proceed(run);
  }
}

/** Starts a node that got a slot, unless the run has changed meanwhile. */
function startGranted(run: ActiveRun, { node, slot }: SlotGranted, nowMs: number): Transition | undefined {
  const { machine, isActive } = run;
  if (isActive && machine.row.phase === "running" && node.status === "ready") return machine.nodeStarted(node, nowMs);
  slot.leave();
  return undefined;
}

function isRefusal(error: unknown): boolean {
  return error instanceof SvcError && REFUSALS.includes(error.code);
}

const CONTROLS: ReadonlySet<InboxMessage["type"]> = new Set([
  "pause",
  "resume",
  "cancel",
  "terminate",
  "retry",
  "signal",
]);

function isControl({ type }: InboxMessage): boolean {
  return CONTROLS.has(type);
}

/** Aborts attempts whose node the transition has ended. */
function abortEnded(run: ActiveRun, message: InboxMessage): void {
  const { isTerminal, ending } = run.machine;
  const hasFailed = isTerminal || ending.isActive;
  if (message.type === "nodeDone") {
    if (hasFailed) run.abortEnded("The graph failed");
  } else if (message.type === "nodeFailed") {
    if (hasFailed || message.retryAtMs === undefined) run.abortEnded("Another node of the graph failed");
  } else if (message.type === "deadline") run.abortEnded("The graph has exceeded its timeout");
  else if (isControl(message)) run.abortEnded("The graph was cancelled");
}

/** Rejects a message after the run was lost to a fault of the store or another process. */
function refuse(message: InboxMessage, reply: Reply | undefined): void {
  if (message.type === "slotGranted") message.slot.leave();
  reply?.reject(new StaleLeaseError());
}

/** Fences a transition: it is refused once the run is held under another lease. */
function underLease({ lease }: ActiveRun, transition: Transition): Transition {
  if (lease !== undefined && transition.fence) transition.fence.lease = lease;
  return transition;
}
