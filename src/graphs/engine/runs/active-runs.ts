/**
 * The runs that are active in this process: loads, recovers and drops them, and loads them again after a fault. Every change of a run
 * goes through its inbox (`run-loop.ts`).
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Log } from "../../../platform/shared/log.ts";
import { waitsForKey } from "../../../storage/contract/admission.ts";
import { hasEnded, type GraphRow, type NodeRow, type StoredGraph } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { Transition } from "../../../storage/contract/transition.ts";
import type { Busy } from "./idle-tracker.ts";
import type { Children } from "../child-runs.ts";
import type { GraphDefinition } from "../../definition/definition-types.ts";
import type { EngineState } from "../engine-state.ts";
import { FaultLog } from "../fault-log.ts";
import type { Admission } from "../admission/admission.ts";
import { StaleLeaseError, type ClusterPort } from "../cluster-port.ts";
import { TemporaryLeases } from "./temporary-leases.ts";
import { Machine } from "../../machine/machine.ts";
import { firstUnit, type FirstParts } from "../../machine/new-run.ts";
import { standIn } from "../../machine/stand-in.ts";
import { isSuspended } from "../../machine/suspension.ts";
import type { OutboxRows } from "../../machine/report-types.ts";
import type { ControlMessage } from "../../machine/run-message.ts";
import { calledIn, type Registry } from "../registry.ts";
import { BesideWarning } from "./beside-warning.ts";
import { awaitReplay } from "./replay-run.ts";
import { Suspender } from "./suspender.ts";
import { RunLoop, type RunLoopOptions, type RunSupervisor } from "./run-loop.ts";
import { Shutdown } from "../../execution/attempt/abort.ts";
import { ActiveRun } from "../../execution/active-run.ts";
import { DueTimers } from "../../execution/due-timers.ts";
import type { RunTable } from "../../execution/run-table.ts";

export interface ActiveRunsOptions extends Omit<RunLoopOptions, "supervisor" | "besideWarning"> {
  registry: Registry;
  log: Log;
  runs: RunTable;
  children: Children;
  admission: Admission;
  outboxRows: OutboxRows;
  progressPerSecond: number;
  /** Takes over a run whose attempts were ended while they waited. */
  rest: (id: string, untilMs: number) => void;
}

/** A stored run and the definition by which this app executes it. */
export interface FoundRun {
  stored: StoredGraph;
  definition: GraphDefinition;
}

/** Lease number of a run that this process holds from its start. */
const FIRST_LEASE = 1;
/** Time before a run is loaded again after a failed commit. */
const RELOAD_MS = 1000;

export class ActiveRuns implements RunSupervisor {
  readonly #options: ActiveRunsOptions;
  readonly #graphs: GraphStore;
  readonly #clock: Clock;
  readonly #state: EngineState;
  readonly #busy: Busy;
  readonly #cluster: ClusterPort | undefined;
  readonly #runs: RunTable;
  readonly #loop: RunLoop;
  readonly #faults: FaultLog;
  readonly #due: DueTimers;
  readonly #suspender: Suspender | undefined;
  /** Runs that are being loaded. Concurrent callers share the result. */
  readonly #loading = new Map<string, Promise<ActiveRun>>();
  /** Runs that are held only while callers change them. */
  readonly temporaryLeases = new TemporaryLeases();

  constructor(options: ActiveRunsOptions) {
    this.#options = options;
    this.#graphs = options.graphs;
    this.#clock = options.clock;
    this.#state = options.state;
    this.#busy = options.busy;
    this.#cluster = options.cluster;
    this.#runs = options.runs;
    this.#due = new DueTimers(options.clock);
    this.#faults = new FaultLog(options.log, options.clock);
    const { runs, clock, state, rest } = options;
    // With several processes, each holds its waiting runs under leases.
    this.#suspender = options.cluster ? undefined : new Suspender({ runs, clock, state, rest });
    this.#loop = new RunLoop({ ...options, supervisor: this, besideWarning: new BesideWarning(options.log) });
  }

  /** One function for all runs, to save memory. */
  readonly #onPark = (run: ActiveRun): void => this.#suspender?.parked(run);

  get(id: string): ActiveRun | undefined {
    return this.#runs.get(id);
  }

  all(): ActiveRun[] {
    return this.#runs.all();
  }

  /** Whether no attempt of the run is running or about to run. */
  isAtRest(id: string): boolean {
    return !this.get(id)
      ?.machine.nodes()
      .some(({ status }) => status === "running" || status === "ready");
  }

  // Starts.

  /** Creates a run with these rows. It is active from now on. */
  create(stored: StoredGraph, definition: GraphDefinition): ActiveRun {
    return this.#adopt(stored, definition, undefined);
  }

  /** Stores a new run. If it is due, the same commit contains its start. */
  async insert(run: ActiveRun, first: FirstParts): Promise<void> {
    const { machine } = run;
    const { row } = machine;
    const transition = firstUnit(machine, first);
    if (waitsForKey(row)) return this.#insertWaiting(run, transition);
    const holder = this.#cluster?.enter(row.id);
    if (this.#cluster && holder === undefined) {
      // Any process with capacity takes it.
      this.#runs.remove(row.id);
      await this.#loop.write(run, { ...transition, heldBy: null });
      return;
    }
    if (holder !== undefined) [transition.heldBy, run.lease] = [holder, FIRST_LEASE];
    if (row.dueMs <= row.createdMs && !this.#state.isClosing) machine.begin(row.createdMs, transition);
    const started = this.#loop.startReady(run, transition);
    try {
      await this.#loop.write(run, transition);
    } catch (error) {
      this.#runs.remove(row.id);
      run.isLost = true;
      this.#loop.release(started);
      // After a broken connection or a failed sync the outcome is unknown. If the run was stored after all, this process executes it.
      this.#reloadLater(row.id, run.lease);
      throw error;
    }
    this.#loop.begin(run, started);
    this.#beginWhenDue(run);
  }

  /** Stores a new run that waits for its key. It is not in memory until it is admitted, because very many may wait. */
  async #insertWaiting(run: ActiveRun, transition: Transition): Promise<void> {
    const { row } = run.machine;
    this.#runs.remove(row.id);
    try {
      await this.#loop.write(run, this.#cluster ? { ...transition, heldBy: null } : transition);
    } catch (error) {
      // It may have been stored after all.
      this.#clock.schedule(RELOAD_MS, () => this.#options.admission.joined(row));
      throw error;
    }
    this.#options.admission.joined(row);
  }

  /** Continues a run that the store has admitted, unless it has ended meanwhile. */
  async admitted(id: string, nowMs: number): Promise<void> {
    const [stored] = this.get(id) ? [] : await this.#graphs.load([id]);
    const known = this.get(id);
    if (known) {
      known.machine.admitted(nowMs);
      if (known.machine.isTerminal) this.#options.admission.request(known.machine.row);
      else this.#beginWhenDue(known);
    } else if (stored && !hasEnded(stored.row)) await this.recover(stored, false);
    else if (stored) this.#options.admission.request(stored.row);
  }

  /** Continues a run if the store has admitted it, but the answer was lost. */
  async maybeAdmitted(id: string): Promise<void> {
    const [stored] = await this.#graphs.load([id]);
    if (stored?.row.phase !== "queued" || stored.row.admittedMs === undefined) return;
    await this.admitted(id, stored.row.admittedMs);
  }

  // Commands.

  /**
   * Loads a run for a change: it may be active, ended, waiting to be reloaded, or not recovered yet.
   * @throws SvcError `SVC_NOT_FOUND`; `SVC_TRANSITION` if this process lacks its definition.
   */
  async take(id: string): Promise<ActiveRun> {
    const known = this.get(id);
    // In this turn: commands count in the order of their calls.
    if (known && !known.replay) return known;
    const run = known ?? (await this.load(id));
    if (!run.replay) return run;
    await run.replay;
    // A fault may have replaced it.
    return this.get(id) ?? run;
  }

  /** As `take`, without waiting for attempts that were suspended. */
  async load(id: string): Promise<ActiveRun> {
    const known = this.get(id) ?? this.#loading.get(id);
    if (known) return known;
    const loading = this.#load(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  async #load(id: string): Promise<ActiveRun> {
    const { stored, definition } = await this.find(id);
    const known = this.get(id);
    if (known) return known;
    const lease = this.temporaryLeases.lease(id);
    if (hasEnded(stored.row)) return this.#runOf(stored, definition, lease);
    return this.#resume(stored, definition, false, lease).run;
  }

  /** Commits a caller's command. @throws rejections of the machine, errors of the store. */
  async control(run: ActiveRun, message: ControlMessage): Promise<void> {
    // After a fault the process uses a reloaded run, because this one has changes that were never written.
    const known = this.get(run.id);
    if (known && known !== run) throw new StaleLeaseError();
    await run.request(message);
    this.#beginWhenDue(run);
  }

  /** Called after a command. Once no other command is pending, this process keeps the run or returns it. */
  async settle(id: string): Promise<void> {
    const lease = this.temporaryLeases.end(id);
    if (lease === undefined) return;
    const run = this.get(id);
    if (run && this.#cluster?.isRunner && !waitsForKey(run.machine.row)) return;
    if (run) this.#drop(run);
    await this.#cluster?.giveBack(id, lease);
  }

  /** Reads a run from the store. @throws as `take` */
  async find(id: string): Promise<FoundRun> {
    const [stored] = await this.#graphs.load([id]);
    if (!stored) throw new SvcError("SVC_NOT_FOUND", `There is no graph "${id}"`);
    const { row } = stored;
    const definition = this.#options.registry.of(row);
    if (definition) return { stored, definition };
    const what = calledIn(row);
    throw new SvcError("SVC_TRANSITION", `The graph ${row.id} was started as ${what}, which this app no longer has`);
  }

  // Recovery.

  /** Recovers a run that this process holds from now on. @param beside nodes that the previous process ran in other processes */
  async hold(id: string, lease: number, hasCrashed: boolean, beside?: readonly string[]): Promise<void> {
    const [stored] = await this.#graphs.load([id]);
    if (stored) await this.recover(stored, hasCrashed, lease, beside);
  }

  /**
   * Continues a run that was left, unless it is active.
   * @param hasCrashed whether its process died. @param beside nodes that it ran in other processes.
   */
  async recover(
    stored: StoredGraph,
    hasCrashed: boolean,
    lease?: number,
    beside: readonly string[] = [],
  ): Promise<void> {
    const { row } = stored;
    if (this.#runs.has(row.id)) return;
    const definition = this.#options.registry.of(row) ?? standIn(stored);
    const { run, settled } = this.#resume(stored, definition, hasCrashed, lease, beside);
    await settled;
    if (row.phase === "parked") await this.#leaveParked(run);
    else if (waitsForKey(row)) await this.#leaveWaiting(run);
    else if (run.machine.ending.isHeld) await this.#leaveUnfit(run, hasCrashed);
  }

  /** A run waits for its key. With several processes none of them holds it: an admission gives it to one of them. */
  async #leaveWaiting(run: ActiveRun): Promise<void> {
    const { row } = run.machine;
    if (this.#cluster && run.isActive && run.lease !== undefined) {
      this.#drop(run);
      await this.#cluster.giveBack(row.id, run.lease);
    }
    this.#options.admission.joined(row);
  }

  /** A parked run is loaded again for a command, or by a build with its definition. */
  async #leaveParked(run: ActiveRun): Promise<void> {
    const { row } = run.machine;
    if (!run.isActive) return;
    this.#drop(run);
    if (!this.#cluster || run.lease === undefined) return;
    this.#options.log.warn(
      { graphId: row.id, worker: row.worker },
      `The run ${row.id} is parked: ${row.error?.message}`,
    );
    await this.#cluster.giveBack(row.id, run.lease);
  }

  /** The run is being compensated, and this build lacks its nodes. In a cluster, another process may have them. */
  async #leaveUnfit(run: ActiveRun, hasCrashed: boolean): Promise<void> {
    const { row } = run.machine;
    if (!this.#cluster || !run.isActive || run.lease === undefined) return;
    this.#drop(run);
    this.#options.log.warn(
      { graphId: row.id, worker: row.worker },
      `The run ${row.id} can't be compensated by this build, which lacks its graph or one of its nodes. A process with its definition continues it.`,
    );
    await this.#cluster.giveBack(row.id, run.lease, { hasCrashed });
  }

  /** @returns the run, and a promise for the commit of its recovery, or for the retry after a fault. */
  #resume(
    stored: StoredGraph,
    definition: GraphDefinition,
    hasCrashed: boolean,
    lease?: number,
    beside: readonly string[] = [],
  ): { run: ActiveRun; settled: Promise<void> } {
    const run = this.#adopt(stored, definition, lease);
    const { machine } = run;
    const ranRemotely = this.#cluster && ranRemotelyOf(machine.nodes(), this.#cluster, beside);
    // A failed commit is logged by runFailed.
    const suspended = machine.nodes().filter(isSuspended);
    if (suspended.length > 0 && machine.row.phase === "running" && !this.#cluster)
      awaitReplay(
        run,
        suspended.map((node) => node.id),
        this.#clock,
      );
    const settled = run.request({ type: "recover", hasCrashed, ranRemotely }).catch(() => undefined);
    if (!machine.isTerminal) {
      for (const node of machine.retrying()) this.#loop.retryLater(run, node);
      this.#beginWhenDue(run);
    }
    return { run, settled };
  }

  #beginWhenDue(run: ActiveRun): void {
    const { row } = run.machine;
    if (row.phase !== "queued") return;
    if (waitsForKey(row)) return void this.#leaveWaiting(run);
    const begin = (): void => {
      if (row.phase !== "queued" || this.#state.isClosing) return;
      run
        .request({ type: "begin" })
        .then(() => (waitsForKey(row) ? this.#leaveWaiting(run) : undefined))
        // A failed commit is logged by runFailed.
        .catch(() => undefined);
    };
    if (row.dueMs > this.#clock.now()) run.at(row.dueMs, begin);
    else begin();
  }

  #adopt(stored: StoredGraph, definition: GraphDefinition, lease: number | undefined): ActiveRun {
    const run = this.#runOf(stored, definition, lease);
    this.#runs.add(run);
    return run;
  }

  #runOf({ row, nodes, lastSeq, signals }: StoredGraph, definition: GraphDefinition, lease?: number): ActiveRun {
    const { outboxRows, progressPerSecond } = this.#options;
    const machine = new Machine(row, nodes, lastSeq, definition, outboxRows, signals);
    const run = new ActiveRun(machine, this.#loop, {
      clock: this.#clock,
      due: this.#due,
      progressPerSecond,
      ...(this.#suspender && { onPark: this.#onPark }),
    });
    run.lease = lease;
    return run;
  }

  // Reports of runs.

  runChanged(run: ActiveRun): void {
    if (!run.isActive) this.#runs.add(run);
  }

  runEnded(run: ActiveRun): void {
    if (!run.machine.isTerminal || !run.isActive) return;
    run.stop();
    this.#runs.remove(run.id);
    this.#cluster?.left(run.id);
    this.#announceEnd(run.machine.row);
    this.#options.admission.request(run.machine.row);
  }

  runFailed(run: ActiveRun, error: unknown): void {
    const { id } = run;
    // A transition that follows the failed one.
    if (!run.isActive) return;
    this.#faults.failed(id, error, `A commit of run ${id} failed. The run is loaded again.`);
    this.#lose(run);
    this.#reloadLater(id, run.lease);
  }

  /** Another process holds the run, or the state in memory is wrong: no later change of it is written. */
  #lose(run: ActiveRun): void {
    if (run.isActive) this.#runs.remove(run.id);
    run.isLost = true;
    run.abortAll(new Shutdown());
    run.stop();
    // A command may wait for its attempts.
    run.onHandled?.();
  }

  /** The end of a run ends its children and is reported to its parent. */
  #announceEnd(row: GraphRow): void {
    this.#busy.begin();
    this.#options.children
      .ended(row)
      .catch((err: unknown) =>
        this.#options.log.error(
          { graphId: row.id, err },
          `The end of run ${row.id} could not be passed to its children and parent`,
        ),
      )
      .finally(() => this.#busy.end());
  }

  // Faults of the store.

  /** Recovers a run that could not be read when the process started. */
  recoverLater(id: string, error: unknown): void {
    this.#faults.failed(id, error, `The run ${id} could not be loaded. It is tried again.`);
    this.#reloadLater(id, undefined, true);
  }

  /**
   * Reloads a run after a delay, and again after each fault. @param lease lease under which this process held it. @param hasCrashed whether
   * the process that executed it died
   */
  #reloadLater(id: string, lease: number | undefined, hasCrashed = false): void {
    this.#clock.schedule(RELOAD_MS, () => {
      if (this.#state.isClosing || this.#runs.has(id)) return;
      this.#reload(id, lease, hasCrashed).catch((error: unknown) => {
        this.#faults.failed(id, error, `The run ${id} could not be loaded. It is tried again.`);
        this.#reloadLater(id, lease, hasCrashed);
      });
    });
  }

  /** The outcome of the failed commit is unknown, so the store is read (decision 060). */
  async #reload(id: string, lease: number | undefined, hasCrashed: boolean): Promise<void> {
    const cluster = this.#cluster;
    // A process without workers holds runs only for callers, so it returns this one (cluster.ts).
    if (cluster?.isRunner === false) return cluster.left(id);
    // The commit may have failed because another process holds the run by now.
    const isHeld = !cluster || (lease !== undefined && (await cluster.confirms(id, lease)));
    const [stored] = await this.#graphs.load([id]);
    const isOver = stored !== undefined && hasEnded(stored.row);
    // The failed commit was the last one and was written after all, so the end has not been announced.
    if (isOver) this.#announceEnd(stored.row);
    if (isOver) this.#options.admission.request(stored.row);
    if (isOver || !isHeld) return cluster?.left(id);
    if (stored && !this.#state.isClosing) await this.recover(stored, hasCrashed, lease);
  }

  /** Drops all runs, because other processes hold them. */
  dropAll(): void {
    for (const run of this.all()) this.#drop(run);
  }

  #drop(run: ActiveRun): void {
    this.#lose(run);
    this.#cluster?.left(run.id);
  }

  // Shutdown.

  /** Starts nothing new. Running attempts may end; they are aborted after `drainMs`. */
  async close(drainMs: number): Promise<void> {
    this.#state.isClosing = true;
    for (const run of this.all()) run.cancelTimers();
    const deadline = this.#clock.schedule(drainMs, () => {
      for (const run of this.all()) run.abortAll(new Shutdown());
    });
    await this.#busy.idle();
    deadline.cancel();
    for (const run of this.all()) {
      run.progress.stop();
      // Attempts that wait.
      run.abortAll(new Shutdown());
    }
  }
}

/** Ids of nodes that did not run in the process that held their run. */
function ranRemotelyOf(
  nodes: readonly NodeRow[],
  cluster: ClusterPort,
  beside: readonly string[],
): ReadonlySet<string> {
  const remoteNodes = nodes.filter(({ id, worker }) => !cluster.remoteNodes.runsHere(worker) || beside.includes(id));
  return new Set(remoteNodes.map(({ id }) => id));
}
