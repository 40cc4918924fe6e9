/**
 * The graphs that are under way in this process: what changes in one is decided by its machine, committed, and what became
 * ready of it is run. A worker is called only after the commit that holds its node as running, and with it all it waited for:
 * so the store knows of every call, whatever the call does to the process.
 *
 * Units of a graph are committed in the order they are made, each on top of the one before (`fence.seq`); should one fail,
 * those behind it are refused, and the graph is read again from the store.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError, type ErrorCode } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { hasEnded, type GraphRow, type NodeRow, type StoredGraph } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import type { NewAudit } from "../../storage/contract/control.ts";
import { Busy } from "./idle-tracker.ts";
import { Commits } from "./commit-run.ts";
import { FaultLog } from "./fault-log.ts";
import { Loans } from "./temporary-leases.ts";
import { Rereads } from "./run-reloader.ts";
import { Attempts } from "../execution/attempts.ts";
import type { Claim, Dispatcher } from "../execution/dispatcher.ts";
import { LiveGraph, Shutdown } from "../execution/live-run.ts";
import { firstUnit } from "../machine/new-run.ts";
import { LiveGraphs, type FoundGraph } from "./live-runs.ts";
import { Outrun, type Fleet } from "./cluster-port.ts";
import { calledIn, type Registry } from "./registry.ts";
import type { RunnerOptions } from "../execution/runner.ts";
import type { Starts } from "../execution/start-throttle.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { OutboxRows } from "../machine/report-types.ts";
import type { Steering } from "../definition/audit-types.ts";

export interface UnderWayOptions extends Pick<RunnerOptions, "random" | "onAttempt" | "bind" | "tools" | "values"> {
  graphs: GraphStore;
  registry: Registry;
  clock: Clock;
  log: Log;
  /** Attempts at once, of all workers together. */
  concurrency: number;
  /** Told of the worker of each node that becomes ready. */
  onReady: ((worker: string) => void) | undefined;
  outboxRows: OutboxRows;
  /** Where several processes share the store. */
  fleet: Fleet | undefined;
  /** Told once the end of a graph is committed; `busy` until that has settled. */
  onEnd: (row: GraphRow) => Promise<void>;
}

/** Of a graph that is held from its beginning. */
const FIRST_LEASE = 1;
/** Told before anything has changed. */
const REFUSALS: readonly ErrorCode[] = ["SVC_TRANSITION", "SVC_INVALID"];

export class UnderWay {
  readonly #options: UnderWayOptions;
  readonly #clock: Clock;
  readonly #live: LiveGraphs;
  /** Graphs that are being read, so that who asks meanwhile gets the same. */
  readonly #reading = new Map<string, Promise<LiveGraph>>();
  readonly #faults: FaultLog;
  readonly #rereads: Rereads;
  /** Graphs that are held for those who want to change them. */
  readonly loans = new Loans();
  readonly #attempts: Attempts;
  /** Places that attempts hold, and commits under way. */
  readonly busy = new Busy();
  readonly #commits: Commits;
  #isClosing = false;

  constructor(options: UnderWayOptions) {
    this.#options = options;
    this.#clock = options.clock;
    const { clock, random, graphs, onAttempt, onReady, tools, values, bind, concurrency, fleet } = options;
    this.#live = new LiveGraphs({
      graphs,
      clock,
      registry: options.registry,
      outboxRows: options.outboxRows,
      progressPerSecond: values.progressPerSecond,
      onProgress: (live, said) => void this.#go(live, () => live.machine.telling.progressed(said, clock.now())),
    });
    this.#commits = new Commits({ graphs, fleet, busy: this.busy });
    this.#attempts = new Attempts({
      clock,
      random,
      onAttempt,
      onReady,
      tools,
      values,
      bind,
      concurrency,
      isClosing: () => this.#isClosing || fleet?.isRunner === false,
      permits: fleet?.permits,
      elsewhere: fleet?.elsewhere,
      artifacts: graphs,
      live: (graphId) => this.#live.get(graphId),
      go: (live, decide, claims) => void this.#go(live, decide, claims),
      apply: (live, decide) => this.#apply(live, this.#decide(live, decide)),
      reload: (live, error) => this.#reload(live, error),
      isCommitting: () => this.#commits.areUnderWay,
      onPlace: (isHeld) => (isHeld ? this.busy.begin() : this.busy.end()),
      transact: (live, run) => this.#commits.transact(live, run, (error) => this.#reload(live, error)),
    });
    this.#faults = new FaultLog(options.log, clock);
    this.#rereads = new Rereads({
      graphs,
      clock,
      faults: this.#faults,
      fleet,
      isClosing: () => this.#isClosing,
      isLive: (graphId) => this.#live.has(graphId),
      recover: (stored, lease) => this.recover(stored, false, lease),
      onEnd: (row) => this.#tellEnd(row),
    });
  }

  get dispatcher(): Dispatcher {
    return this.#attempts.dispatcher;
  }

  get starts(): Starts {
    return this.#attempts.starts;
  }

  get(graphId: string): LiveGraph | undefined {
    return this.#live.get(graphId);
  }

  all(): LiveGraph[] {
    return this.#live.all();
  }

  /**
   * A graph to be changed: one under way, or one that has finished, waits to be read again or has yet to be taken up.
   * @throws SvcError `SVC_NOT_FOUND`; `SVC_TRANSITION` for one of a definition that this process does not have.
   */
  async take(graphId: string): Promise<LiveGraph> {
    const known = this.#live.get(graphId) ?? this.#reading.get(graphId);
    if (known) return known;
    const reading = this.#read(graphId).finally(() => this.#reading.delete(graphId));
    this.#reading.set(graphId, reading);
    return reading;
  }

  async #read(graphId: string): Promise<LiveGraph> {
    const { stored, definition } = await this.find(graphId);
    const known = this.#live.get(graphId);
    if (known) return known;
    const lease = this.loans.lease(graphId);
    if (hasEnded(stored.row)) return this.#live.of(stored, definition, lease);
    return this.#takeUp(stored, definition, false, lease).live;
  }

  /** It is changed: once nobody else is about to, this process goes on with it, or lets go of it. */
  async settle(graphId: string): Promise<void> {
    const lease = this.loans.end(graphId);
    if (lease === undefined) return;
    const { fleet } = this.#options;
    const live = this.#live.get(graphId);
    if (live && fleet?.isRunner) return;
    if (live) this.#drop(live);
    await fleet?.giveBack(graphId, lease);
  }

  /** Whether nothing of it runs, or is about to. */
  isAtRest(graphId: string): boolean {
    const live = this.#live.get(graphId);
    return !live?.machine.nodes().some(({ status }) => status === "running" || status === "ready");
  }

  /** Takes up a graph that this process holds now. @param beside nodes that the one before it had run in other processes. */
  async hold(graphId: string, lease: number, hasCrashed: boolean, beside?: readonly string[]): Promise<void> {
    const [stored] = await this.#options.graphs.load([graphId]);
    if (stored) await this.recover(stored, hasCrashed, lease, beside);
  }

  /** All that this process held is others': nothing that still comes of it is written. */
  dropAll(): void {
    for (const live of this.#live.all()) this.#drop(live);
  }

  #drop(live: LiveGraph): void {
    if (this.#live.isIt(live)) this.#live.remove(live.id);
    live.abortAll(new Shutdown());
    live.stop();
    this.#options.fleet?.left(live.id);
  }

  /** As the store has it. @throws as `take` */
  find(graphId: string): Promise<FoundGraph> {
    return this.#live.find(graphId);
  }

  /** Takes a graph among those under way, with the rows that it has, or is to have. */
  adopt(stored: StoredGraph, definition: GraphDefinition, lease?: number): LiveGraph {
    return this.#live.adopt(stored, definition, lease);
  }

  /** Writes a new graph, and in the same commit its beginning when that is due. */
  async insert(live: LiveGraph, steering?: Steering, audit?: NewAudit): Promise<void> {
    const { machine } = live;
    const { row } = machine;
    const unit = firstUnit(machine, steering, audit);
    const { fleet } = this.#options;
    const holder = fleet?.enter(row.id);
    if (fleet && holder === undefined) return this.#queue(live, { ...unit, heldBy: null });
    if (holder !== undefined) [unit.heldBy, live.lease] = [holder, FIRST_LEASE];
    if (row.dueMs <= row.createdMs && !this.#isClosing) machine.begin(row.createdMs, unit);
    const claims = this.#attempts.claim(live, unit);
    try {
      await this.#commits.write(live, unit);
    } catch (error) {
      this.#live.remove(row.id);
      this.#attempts.drop(claims);
      // Of a connection that was cut, or a disk that failed as it was synced, nobody knows: what is stored after all is this process's to run.
      this.#rereads.later(row.id, live.lease);
      throw error;
    }
    this.#attempts.begin(claims);
    this.#watch(live);
    this.#beginWhenDue(live);
  }

  /** Writes a new graph for whoever takes it. */
  async #queue(live: LiveGraph, unit: Transition): Promise<void> {
    this.#live.remove(live.id);
    await this.#commits.write(live, unit);
  }

  /** Commits what someone outside wants of it. @throws what `decide` throws, and what the store does. */
  async steer(live: LiveGraph, decide: () => Transition): Promise<void> {
    // After a fault its mirror is another by now: this one has what was never written.
    const known = this.#live.get(live.id);
    if (known && known !== live) throw new Outrun();
    const unit = this.#decide(live, decide);
    live.abortEnded("The graph was cancelled");
    this.#live.add(live);
    await this.#apply(live, unit);
    this.#beginWhenDue(live);
  }

  /**
   * Goes on with a graph that was left, unless it is under way.
   * @param hasCrashed whether the process that ran it died. @param beside nodes that it had run in other processes.
   */
  async recover(
    stored: StoredGraph,
    hasCrashed: boolean,
    lease?: number,
    beside: readonly string[] = [],
  ): Promise<void> {
    const { row } = stored;
    if (this.#live.has(row.id)) return;
    const definition = this.#options.registry.of(row);
    if (!definition)
      return this.#options.log.warn(
        { graphId: row.id, worker: row.worker, version: row.version },
        `The graph ${row.id} waits: this app has no worker or graph named ${calledIn(row)}`,
      );
    await this.#takeUp(stored, definition, hasCrashed, lease, beside).settled;
  }

  /** Nothing new begins; what runs is waited for, and after `drainMs` aborted. */
  async close(drainMs: number): Promise<void> {
    this.#isClosing = true;
    for (const live of this.#live.all()) live.cancelTimers();
    const deadline = this.#clock.schedule(drainMs, () => {
      for (const live of this.#live.all()) live.abortAll(new Shutdown());
    });
    await this.busy.idle();
    deadline.cancel();
    for (const live of this.#live.all()) {
      live.progress.stop();
      // Those that wait.
      live.abortAll(new Shutdown());
    }
  }

  #decide(live: LiveGraph, decide: () => Transition): Transition {
    try {
      return decide();
    } catch (error) {
      // A refusal comes before any change; anything else may have left the mirror half changed.
      if (!(error instanceof SvcError && REFUSALS.includes(error.code))) this.#reload(live, error);
      throw error;
    }
  }

  /**
   * Goes on with a graph as the store has it.
   * @param hasCrashed whether the process that ran it died. @param beside nodes that it had run in other processes.
   * @returns the graph, and when what had to be mended is committed or, after a fault, will be tried again.
   */
  #takeUp(
    stored: StoredGraph,
    definition: GraphDefinition,
    hasCrashed: boolean,
    lease?: number,
    beside: readonly string[] = [],
  ): { live: LiveGraph; settled: Promise<void> } {
    const live = this.adopt(stored, definition, lease);
    const { machine } = live;
    const nowMs = this.#clock.now();
    const { fleet } = this.#options;
    const ranBeside =
      fleet && (({ id, worker }: NodeRow): boolean => !fleet.elsewhere.runsHere(worker) || beside.includes(id));
    const settled = this.#go(live, () => machine.recover(nowMs, hasCrashed, ranBeside));
    if (!machine.isTerminal) {
      for (const node of machine.retrying()) this.#attempts.retryLater(live, node);
      this.#beginWhenDue(live);
    }
    return { live, settled };
  }

  #beginWhenDue(live: LiveGraph): void {
    const { row } = live.machine;
    if (row.phase !== "queued") return;
    const begin = (): void => {
      if (row.phase !== "queued" || this.#isClosing) return;
      void this.#go(live, () => live.machine.begin(this.#clock.now()));
    };
    const waitMs = row.dueMs - this.#clock.now();
    if (waitMs > 0) live.after(waitMs, begin);
    else begin();
  }

  /** Commits a transition, then runs what it made ready. @param claimed what it is the start of. */
  async #apply(live: LiveGraph, unit: Transition, claimed?: readonly Claim[]): Promise<void> {
    // Decided now: by the time of the commit the machine may have moved on, and a later unit then ends the graph.
    const { isTerminal, inner } = live.machine;
    const more = this.#attempts.claim(live, unit);
    const claims = claimed ? claimed.concat(more) : more;
    for (const id of inner.takeDropped()) live.abort(id, new Error("Nobody waits for this node any more"));
    const woken = inner.takeWoken();
    try {
      const isHeld = await this.#commits.write(live, unit);
      if (!isHeld) throw new Outrun();
    } catch (error) {
      this.#reload(live, error);
      this.#attempts.drop(claims);
      throw error;
    }
    if (isTerminal) this.#forget(live);
    else this.#watch(live);
    for (const wait of woken) wait.wake();
    this.#attempts.begin(claims);
  }

  /**
   * Decides and commits what no caller waits for. Never rejects: after a failure the graph is read again.
   * @param decide gives undefined when there is nothing to change.
   */
  async #go(live: LiveGraph, decide: () => Transition | undefined, claimed?: readonly Claim[]): Promise<void> {
    let unit: Transition | undefined;
    try {
      unit = decide();
    } catch (error) {
      return this.#reload(live, error);
    }
    if (!unit) {
      this.#attempts.dispatch(live);
      return this.#watch(live);
    }
    try {
      await this.#apply(live, unit, claimed);
    } catch {
      // A failed commit is logged, and mended, by #reload.
    }
  }

  /** What goes on beside the nodes: the graph's time, and its undoing. */
  #watch(live: LiveGraph): void {
    if (this.#isClosing || !this.#live.isIt(live)) return;
    live.watchDeadline(() => {
      void this.#go(live, () => live.machine.ending.overdue(this.#clock.now()));
      live.abortEnded("The graph's time is over");
    });
    this.#attempts.undo(live);
  }

  #forget(live: LiveGraph): void {
    const { id } = live.machine.row;
    if (!live.machine.isTerminal || !this.#live.isIt(live)) return;
    live.stop();
    this.#live.remove(id);
    this.#options.fleet?.left(id);
    this.#tellEnd(live.machine.row);
  }

  #tellEnd(row: GraphRow): void {
    void this.#meanwhile(this.#options.onEnd(row), row.id);
  }

  /** Work that no caller waits for, but `idle` does. */
  async #meanwhile(work: Promise<void>, graphId: string): Promise<void> {
    this.busy.begin();
    await work.catch((err: unknown) =>
      this.#options.log.error({ graphId, err }, `The children of graph ${graphId} could not be told`),
    );
    this.busy.end();
  }

  /** The mirror is not to be trusted any more. */
  #reload(live: LiveGraph, error: unknown): void {
    const { id } = live.machine.row;
    // A unit behind the one that failed.
    if (!this.#live.isIt(live)) return;
    this.#faults.failed(id, error, `A commit of graph ${id} failed. It is read again.`);
    this.#live.remove(id);
    live.abortAll(new Shutdown());
    live.stop();
    this.#rereads.later(id, live.lease);
  }
}
