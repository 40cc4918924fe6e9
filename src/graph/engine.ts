/**
 * Runs graphs: asks the machine what changes, commits it, runs what became ready. Everything here is I/O around
 * `machine.ts`. A write is acknowledged only after the durable commit. A worker is called only after the commit that holds
 * its node as running, and with it all it waited for: so the store knows of every call, whatever the call does to the
 * process. Where its worker has room, a node is marked running in the very unit that makes it ready.
 *
 * One engine owns its store. Units of a graph are committed in the order they are made, each on top of the one before
 * (`fence.seq`); should one fail, those behind it are refused, and the graph's mirror is read again from the store.
 */
import { createGraphId } from "../security/random.ts";
import type { Clock, Duration } from "../shared/clock.ts";
import { SvcError, type ErrorCode } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import { silentLog, type Log } from "../shared/log.ts";
import type { GraphQuery, GraphRow, NodeRow, Page, PurgeQuery, Store, Unit } from "../store/contract.ts";
import type { NewAudit } from "../store/control.ts";
import { auditOf } from "./audit.ts";
import { checkCount, readPriority } from "./checks.ts";
import { bulk } from "./bulk.ts";
import { Children } from "./children.ts";
import { Dispatcher, type Claim } from "./dispatcher.ts";
import { Isolation } from "./isolation.ts";
import { requireSize } from "./json-value.ts";
import { LiveGraph, Shutdown } from "./live.ts";
import { TERMINAL } from "./lifecycle.ts";
import { Machine } from "./machine.ts";
import { firstNodes } from "./node-rows.ts";
import { forkRows } from "./rerun.ts";
import { ProgressThrottle } from "./progress.ts";
import { calledIn, Registry } from "./registry.ts";
import { WorkerQueues } from "./queues.ts";
import { keptBy, purgeAll, Retention } from "./retention.ts";
import { Runner } from "./runner.ts";
import { sendSignal, type SignalTarget } from "./send-signal.ts";
import { Scheduler } from "./schedules.ts";
import { snapshotOf } from "./snapshot.ts";
import { Undoer } from "./undoer.ts";
import { subscribe } from "./subscription.ts";
import { transact } from "./transact.ts";
import type {
  AttemptReport,
  BulkAction,
  BulkOptions,
  BulkReport,
  Engine,
  ForkOptions,
  GraphDefinition,
  LaneReport,
  OutboxRows,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  ScheduleDefinition,
  Snapshot,
  StartOptions,
  Steering,
  Worker,
} from "./types.ts";

export interface EngineOptions {
  store: Store;
  workers?: readonly Worker<never, unknown>[];
  graphs?: readonly GraphDefinition[];
  /** Graphs that are started by the clock. Those of an earlier start that are not among them are gone. Default none. */
  schedules?: readonly ScheduleDefinition[];
  clock: Clock;
  /** Rows to write in the transaction of a graph's transition. Default none. */
  outboxRows?: OutboxRows;
  /** Attempts at once, of all workers together; by priority, then by who has waited longest. Default: no limit but theirs. */
  concurrency?: number;
  /** For jitter: 0 to below 1. Default Math.random. */
  random?: () => number;
  /** Told of trouble that no caller sees. Default: nothing. */
  log?: Log;
  /** How long graphs are kept once they have finished. Default: for ever. */
  retention?: Duration;
  /** Told of each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: AttemptReport) => void;
}

/** How long to wait before a graph whose commit failed is read again. */
const RELOAD_DELAY_MS = 1000;
const REFUSALS: readonly ErrorCode[] = ["SVC_TRANSITION", "SVC_INVALID"];

/** @throws SvcError `SVC_DEFINITION` when two graphs or workers share a name. */
export function createEngine(options: EngineOptions): Engine {
  return new GraphEngine(options);
}

class GraphEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #registry: Registry;
  readonly #live = new Map<string, LiveGraph>();
  readonly #dispatcher: Dispatcher;
  readonly #runner: Runner;
  readonly #children: Children;
  readonly schedule: Scheduler;
  readonly queues: WorkerQueues;
  readonly #undoer: Undoer;
  readonly #isolation: Isolation;
  readonly #retention: Retention | undefined;
  /** Places that attempts hold, and commits under way. */
  #busy = 0;
  #idleWaiters: (() => void)[] = [];
  #isClosing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log ?? silentLog;
    this.#registry = new Registry(options.workers ?? [], options.graphs ?? []);
    this.#isolation = new Isolation((name) => this.#registry.worker(name));
    const isClosing = (): boolean => this.#isClosing;
    this.#dispatcher = new Dispatcher({
      clock: options.clock,
      concurrency: checkCount("The engine", "concurrency", options.concurrency) ?? Infinity,
      isClosing,
      isLive: (live) => this.#live.get(live.id) === live,
      start: (live, unit, claim) => void this.#go(live, () => unit, [claim]),
      onPlace: (isHeld) => (isHeld ? void this.#busy++ : this.#release()),
    });
    const live = (graphId: string): LiveGraph | undefined => this.#live.get(graphId);
    const go = (graph: LiveGraph, decide: () => Unit | undefined): void => void this.#go(graph, decide);
    const random = options.random ?? Math.random;
    this.#undoer = new Undoer({ clock: options.clock, random, isClosing, live, go, dispatcher: this.#dispatcher });
    const keptMs = keptBy(options.retention, options.graphs ?? []);
    const { graphs } = options.store;
    this.#retention = keptMs && new Retention({ graphs, clock: options.clock, log: this.#log, keptMs });
    this.#runner = new Runner({
      clock: options.clock,
      random,
      isClosing,
      onAttempt: options.onAttempt,
      live,
      go,
      apply: (graph, decide) => this.#apply(graph, this.#decide(graph, decide)),
      bind: (worker, node) => this.#isolation.bind(this.#children.bind(worker), node),
      signals: (graphId) => options.store.graphs.signals(graphId),
      artifacts: options.store.graphs,
      transact: (graph, run) => transact(options.store.graphs, run, (error) => this.#reload(graph, error)),
    });
    const { store, clock } = options;
    this.#children = new Children({ graphs: store.graphs, clock, log: this.#log, engine: this });
    const [dispatcher, workers] = [this.#dispatcher, this.#registry.workers()];
    this.queues = new WorkerQueues({ rows: store.queues, dispatcher, clock, workers });
    this.schedule = new Scheduler({
      graphs: store.graphs,
      rows: store.schedules,
      audit: store.audit,
      clock,
      log: this.#log,
      isKnown: (name) => this.#registry.get(name) !== undefined,
      start: (name, input, how) => this.start(name, input, how),
      onRun: (isBegun) => (isBegun ? void this.#busy++ : this.#release()),
    });
  }

  purge(query: PurgeQuery): Promise<number> {
    return purgeAll(this.#options.store.graphs, query);
  }

  async start(
    name: string,
    input: Json,
    options: StartOptions = {},
  ): Promise<{ snapshot: Snapshot; created: boolean }> {
    const definition = this.#registry.get(name);
    if (!definition)
      throw new SvcError(
        "SVC_NOT_FOUND",
        `No worker or graph is named "${name}"; known: ${this.#registry.names().join(", ") || "none"}`,
      );
    const known = this.#known(name, options.idempotencyKey);
    if (known) return { snapshot: known, created: false };
    requireSize(JSON.stringify(input) ?? "", `The input of "${name}"`);
    const row = this.#newRow(definition, input, options);
    const live = this.#adopt(row, firstNodes(row, definition), 1, definition);
    // As it is accepted; reading it back would cost as much as writing it.
    const snapshot = snapshotOf(row, live.machine.nodes(), definition, 1, []);
    try {
      await this.#insert(live);
    } catch (error) {
      // Another start with the same key was committed first.
      const other = this.#known(name, options.idempotencyKey);
      if (other) return { snapshot: other, created: false };
      throw error;
    }
    return { snapshot, created: true };
  }

  /** Writes a new graph, and in the same commit its beginning when that is due. */
  async #insert(live: LiveGraph, audit?: NewAudit): Promise<void> {
    const { machine } = live;
    const { row } = machine;
    const unit: Unit = {
      graphId: row.id,
      insert: { ...row },
      insertNodes: machine.nodes().map((node) => ({ ...node })),
      events: [{ graphId: row.id, type: "graph.queued", timestampMs: row.createdMs }],
      ...(audit && { audit }),
    };
    if (row.dueMs <= row.createdMs && !this.#isClosing) machine.begin(row.createdMs, unit);
    const claims = this.#dispatcher.claim(live, unit);
    try {
      await this.#commit(unit);
    } catch (error) {
      // Nothing of it is stored, so there is nothing to read again.
      this.#live.delete(row.id);
      for (const { place } of claims) place.leave();
      throw error;
    }
    for (const claim of claims) this.#run(claim);
    this.#watch(live);
    this.#beginWhenDue(live);
  }

  #known(worker: string, key: string | undefined): Snapshot | undefined {
    const row = key === undefined ? undefined : this.#options.store.graphs.byIdempotencyKey(worker, key);
    return row && this.snapshot(row.id);
  }

  #newRow(definition: GraphDefinition, input: Json, options: StartOptions): GraphRow {
    const nowMs = this.#clock.now();
    return {
      id: createGraphId(nowMs),
      worker: definition.name,
      status: "pending",
      phase: "queued",
      epoch: 1,
      pauseNo: 0,
      input,
      result: undefined,
      error: undefined,
      progress: undefined,
      tags: options.tags ?? [],
      idempotencyKey: options.idempotencyKey,
      definition: definition.hash,
      createdMs: nowMs,
      dueMs: Math.max(options.at ?? nowMs, nowMs) + (options.delayMs ?? 0),
      startedMs: undefined,
      finishedMs: undefined,
      priority: readPriority(options.priority ?? 0),
      parentGraph: options.parent?.graphId,
      parentNode: options.parent?.node,
      forkedFrom: undefined,
      version: definition.options.version,
      timeoutMs: undefined,
      deadlineMs: undefined,
    };
  }

  snapshot(graphId: string): Snapshot | undefined {
    const row = this.#options.store.graphs.graph(graphId);
    return row && this.#view(row);
  }

  list(query: GraphQuery): Page<Snapshot> {
    const page = this.#options.store.graphs.list(query);
    return { ...page, items: page.items.map((row) => this.#view(row)) };
  }

  #view(row: GraphRow): Snapshot {
    const { graphs } = this.#options.store;
    const definition = this.#registry.of(row);
    return snapshotOf(row, graphs.nodes(row.id), definition, graphs.lastSeq(row.id), graphs.children(row.id));
  }

  async pause(graphId: string, options: PauseOptions = {}): Promise<Snapshot> {
    await this.#control("pause", graphId, options, (machine, nowMs) => machine.pause(nowMs, options));
    this.#live.get(graphId)?.letGoAfter(options.graceMs);
    await this.#children.follow("pause", graphId, options);
    return this.snapshot(graphId) as Snapshot;
  }

  async resume(graphId: string, steering?: Steering): Promise<Snapshot> {
    await this.#control("resume", graphId, steering, (machine, nowMs) => machine.resume(nowMs, steering));
    await this.#children.follow("resume", graphId, steering);
    return this.snapshot(graphId) as Snapshot;
  }

  async cancel(graphId: string, steering?: Steering): Promise<Snapshot> {
    await this.#control("cancel", graphId, steering, (machine, nowMs) => machine.cancel(nowMs, steering));
    await this.#children.follow("cancel", graphId, steering);
    return this.snapshot(graphId) as Snapshot;
  }

  async retry(graphId: string, options?: RetryOptions): Promise<Snapshot> {
    return this.#control("retry", graphId, options, (machine, nowMs) => machine.retry(nowMs, options, options?.from));
  }

  signal(graphId: string, name: string, payload: Json = null, options: SignalOptions = {}): Promise<Snapshot> {
    const { idempotencyKey: key, ...steering } = options;
    const target: SignalTarget = {
      store: this.#options.store.graphs,
      live: () => this.#live.get(graphId) ?? this.#load(graphId),
      control: (decide) => this.#control("signal", graphId, steering, decide),
      snapshot: () => this.snapshot(graphId) as Snapshot,
    };
    return sendSignal(target, { graphId, name, payload, key, actor: steering.by });
  }

  async #control(
    step: string,
    graphId: string,
    steering: Steering | undefined,
    decide: (machine: Machine, nowMs: number) => Unit,
  ): Promise<Snapshot> {
    const live = this.#live.get(graphId) ?? this.#load(graphId);
    const unit = this.#decide(live, () => decide(live.machine, this.#clock.now()));
    unit.audit = auditOf(`graph.${step}`, graphId, this.#clock.now(), steering);
    live.abortEnded(new Error("The graph was cancelled"));
    this.#live.set(graphId, live);
    await this.#apply(live, unit);
    this.#beginWhenDue(live);
    const snapshot = this.snapshot(graphId);
    return snapshot as Snapshot;
  }

  async fork(graphId: string, { from, input, ...steering }: ForkOptions): Promise<Snapshot> {
    const { graphs } = this.#options.store;
    const source = graphs.graph(graphId) ?? missing(graphId);
    const definition = this.#registry.of(source) ?? undefinedHere(source);
    const isWhole = definition.nodes.length === 1 && input !== undefined;
    const row = this.#newRow(definition, isWhole ? input : source.input, { tags: source.tags });
    row.forkedFrom = graphId;
    const nodes = forkRows(row, definition, graphs.nodes(graphId), input === undefined ? { from } : { from, input });
    const audit = auditOf("graph.fork", graphId, row.createdMs, steering, { graph_id: row.id, from });
    await this.#insert(this.#adopt(row, nodes, 1, definition), audit);
    return this.snapshot(row.id) as Snapshot;
  }

  async bulk(action: BulkAction, options: BulkOptions): Promise<BulkReport> {
    const { graphs, audit } = this.#options.store;
    const report = await bulk({ graphs, take: (step, id, by) => this[step](id, by) }, action, options);
    if (report.dry_run) return report;
    const { matched, changed } = report;
    const data = { filter: { ...options.filter }, matched, changed };
    await audit.add(auditOf(`graphs.${action}`, "*", this.#clock.now(), options, data));
    return report;
  }

  #decide(live: LiveGraph, decide: () => Unit): Unit {
    try {
      return decide();
    } catch (error) {
      // A refusal comes before any change; anything else may have left the mirror half changed.
      if (!(error instanceof SvcError && REFUSALS.includes(error.code))) this.#reload(live, error);
      throw error;
    }
  }

  /** A graph that is not under way: finished, waiting to be read again, or of a definition this process does not have. */
  #load(graphId: string): LiveGraph {
    const row = this.#options.store.graphs.graph(graphId);
    if (!row) return missing(graphId);
    const definition = this.#registry.of(row) ?? undefinedHere(row);
    if (!TERMINAL.includes(row.phase)) return this.#takeUp(row, definition, false).live;
    const { graphs } = this.#options.store;
    const lastSeq = graphs.lastSeq(graphId);
    return this.#liveOf(row, graphs.nodes(graphId), lastSeq, definition);
  }

  subscribe(graphId: string, afterSeq: number, signal: AbortSignal) {
    return subscribe(this.#options.store.graphs, graphId, afterSeq, signal);
  }

  async recover(): Promise<number> {
    const rows = this.#options.store.graphs.unfinished().filter((row) => !this.#live.has(row.id));
    await Promise.all(rows.map((row) => this.#recoverOne(row, true)));
    for (const row of rows)
      if (this.#children.isOrphan(row)) await this.#children.follow("cancel", row.parentGraph ?? "");
    await this.schedule.begin(this.#options.schedules ?? []);
    this.#retention?.start();
    return rows.length;
  }

  async #recoverOne(row: GraphRow, hasCrashed: boolean): Promise<void> {
    const definition = this.#registry.of(row);
    if (!definition)
      return this.#log.warn(
        { graphId: row.id, worker: row.worker, version: row.version },
        `The graph ${row.id} waits: this app has no worker or graph named ${calledIn(row)}`,
      );
    await this.#takeUp(row, definition, hasCrashed).settled;
  }

  /**
   * Goes on with a graph as the store has it.
   * @param hasCrashed whether the process that ran it died.
   * @returns the graph, and when what had to be mended is committed or, after a fault, will be tried again.
   */
  #takeUp(
    row: GraphRow,
    definition: GraphDefinition,
    hasCrashed: boolean,
  ): { live: LiveGraph; settled: Promise<void> } {
    const { graphs } = this.#options.store;
    // The number first: should another process commit between these, the fence tells.
    const lastSeq = graphs.lastSeq(row.id);
    const now = graphs.graph(row.id) ?? row;
    const live = this.#adopt(now, graphs.nodes(row.id), lastSeq, definition);
    const { machine } = live;
    const nowMs = this.#clock.now();
    const settled = this.#go(live, () => machine.recover(nowMs, hasCrashed));
    if (!machine.isTerminal) {
      for (const node of machine.retrying()) this.#runner.scheduleRetry(live, node);
      this.#beginWhenDue(live);
    }
    return { live, settled };
  }

  lanes(): LaneReport[] {
    return this.#dispatcher.lanes();
  }

  idle(): Promise<void> {
    const isIdle = this.#busy === 0;
    return isIdle ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  async close(drainMs = 10_000): Promise<void> {
    this.#isClosing = true;
    this.schedule.close();
    this.#retention?.stop();
    for (const live of this.#live.values()) live.cancelTimers();
    const deadline = this.#clock.schedule(drainMs, () => {
      for (const live of this.#live.values()) live.abortAll(new Shutdown());
    });
    await this.idle();
    deadline.cancel();
    for (const live of this.#live.values()) {
      live.progress.stop();
      // Those that wait.
      live.abortAll(new Shutdown());
    }
    this.#isolation.close();
  }

  // Under way.

  #adopt(row: GraphRow, nodes: readonly NodeRow[], lastSeq: number, definition: GraphDefinition): LiveGraph {
    const live = this.#liveOf(row, nodes, lastSeq, definition);
    this.#live.set(row.id, live);
    return live;
  }

  #liveOf(row: GraphRow, nodes: readonly NodeRow[], lastSeq: number, definition: GraphDefinition): LiveGraph {
    const machine = new Machine(row, nodes, lastSeq, definition, this.#options.outboxRows ?? (() => []));
    const progress = new ProgressThrottle(
      this.#clock,
      (value) => void this.#go(live, () => machine.progressed(value, this.#clock.now())),
    );
    const live = new LiveGraph(machine, progress, this.#clock);
    return live;
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
  async #apply(live: LiveGraph, unit: Unit, claimed: readonly Claim[] = []): Promise<void> {
    // Decided now: by the time of the commit the machine may have moved on, and a later unit then ends the graph.
    const { isTerminal, inner } = live.machine;
    const claims = [...claimed, ...this.#dispatcher.claim(live, unit)];
    for (const id of inner.takeDropped()) live.abort(id, new Error("Nobody waits for this node any more"));
    const woken = inner.takeWoken();
    try {
      const isHeld = await this.#commit(unit);
      if (!isHeld) throw new Error("the store had another state than the engine");
    } catch (error) {
      this.#reload(live, error);
      for (const { place } of claims) place.leave();
      throw error;
    }
    if (isTerminal) this.#forget(live);
    else this.#watch(live);
    for (const wait of woken) wait.wake();
    for (const claim of claims) this.#run(claim);
  }

  /**
   * Decides and commits what no caller waits for. Never rejects: after a failure the graph is read again.
   * @param decide gives undefined when there is nothing to change.
   */
  async #go(live: LiveGraph, decide: () => Unit | undefined, claimed?: readonly Claim[]): Promise<void> {
    let unit: Unit | undefined;
    try {
      unit = decide();
    } catch (error) {
      return this.#reload(live, error);
    }
    // A failed commit is logged, and mended, by #reload.
    if (unit) await this.#apply(live, unit, claimed).catch(() => undefined);
    else {
      this.#dispatcher.dispatch(live);
      this.#watch(live);
    }
  }

  /** What goes on beside the nodes: the graph's time, and its undoing. */
  #watch(live: LiveGraph): void {
    if (this.#isClosing || this.#live.get(live.id) !== live) return;
    live.watchDeadline(() => {
      void this.#go(live, () => live.machine.ending.overdue(this.#clock.now()));
      live.abortEnded(new Error("The graph's time is over"));
    });
    this.#undoer.proceed(live);
  }

  #forget(live: LiveGraph): void {
    const { id } = live.machine.row;
    if (!live.machine.isTerminal || this.#live.get(id) !== live) return;
    live.stop();
    this.#live.delete(id);
    void this.#meanwhile(this.#children.ended(live.machine.row), id);
  }

  /** Work that no caller waits for, but `idle` does. */
  async #meanwhile(work: Promise<void>, graphId: string): Promise<void> {
    this.#busy++;
    await work.catch((err: unknown) =>
      this.#log.error({ graphId, err }, `The children of graph ${graphId} could not be told`),
    );
    this.#release();
  }

  /** The mirror is not to be trusted any more. */
  #reload(live: LiveGraph, error: unknown): void {
    const { id } = live.machine.row;
    // A unit behind the one that failed.
    if (this.#live.get(id) !== live) return;
    this.#log.error({ graphId: id, err: error }, `A commit of graph ${id} failed. It is read again.`);
    this.#live.delete(id);
    live.abortAll(new Shutdown());
    live.stop();
    this.#readAgain(id);
  }

  #readAgain(id: string): void {
    this.#clock.schedule(RELOAD_DELAY_MS, () => {
      if (this.#isClosing || this.#live.has(id)) return;
      this.#recoverById(id).catch((error: unknown) => {
        this.#log.error({ graphId: id, err: error }, `The graph ${id} could not be read. It is tried again.`);
        this.#readAgain(id);
      });
    });
  }

  async #recoverById(id: string): Promise<void> {
    const row = this.#options.store.graphs.graph(id);
    if (row && !TERMINAL.includes(row.phase)) await this.#recoverOne(row, false);
  }

  async #commit(unit: Unit): Promise<boolean> {
    this.#busy++;
    try {
      return await this.#options.store.graphs.commit(unit);
    } finally {
      this.#release();
    }
  }

  #release(): void {
    if (--this.#busy > 0) return;
    // A turn later: whoever waited for the commit goes on first, and may start more.
    setImmediate(() => {
      if (this.#busy > 0) return;
      for (const resolve of this.#idleWaiters.splice(0)) resolve();
    });
  }

  /** Runs an attempt whose start is committed. */
  #run(claim: Claim): void {
    this.#runner
      .attempt(claim)
      .catch((error: unknown) => this.#reload(claim.live, error))
      .finally(() => claim.place.leave());
  }
}

function missing(graphId: string): never {
  throw new SvcError("SVC_NOT_FOUND", `There is no graph "${graphId}"`);
}

function undefinedHere(row: GraphRow): never {
  const what = calledIn(row);
  throw new SvcError("SVC_TRANSITION", `The graph ${row.id} was started as ${what}, which this app no longer has`);
}
