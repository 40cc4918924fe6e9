/**
 * Runs graphs: asks the machine what changes, commits it, dispatches what became ready. Everything here is I/O around
 * `machine.ts`. A write is acknowledged only after the durable commit; successors are dispatched only after it.
 *
 * One engine owns its store. Units of a graph are committed in the order they are made; should a commit fail, the graph's
 * mirror is thrown away and read again from the store.
 */
import { createGraphId } from "../security/random.ts";
import type { Clock, Timer } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import type { GraphQuery, GraphRow, NodeRow, Page, Store, Unit } from "../store/contract.ts";
import { runAttempt, type Outcome } from "./attempt.ts";
import { retryDelayMs } from "./backoff.ts";
import { firstNodes, Machine } from "./machine.ts";
import { ProgressThrottle } from "./progress.ts";
import { Queue } from "./queue.ts";
import { Registry } from "./registry.ts";
import { snapshotOf } from "./snapshot.ts";
import { subscribe } from "./subscription.ts";
import type { Engine, GraphDefinition, OutboxRows, Snapshot, StartOptions, Worker } from "./types.ts";

export interface EngineOptions {
  store: Store;
  workers?: readonly Worker<never, unknown>[];
  graphs?: readonly GraphDefinition[];
  clock: Clock;
  /** Rows to write in the transaction of a graph's transition. Default none. */
  outboxRows?: OutboxRows;
  /** For jitter: 0 to below 1. Default Math.random. */
  random?: () => number;
  /** Told of trouble that no caller sees. Default: nothing. */
  log?: (message: string) => void;
}

/** A worker's attempts at once, unless its options say otherwise. */
const DEFAULT_CONCURRENCY = 16;
/** How long to wait before a graph whose commit failed is read again. */
const RELOAD_DELAY_MS = 1000;

interface Live {
  machine: Machine;
  progress: ProgressThrottle;
  /** Running attempts by node id. */
  controllers: Map<string, AbortController>;
  timers: Set<Timer>;
}

interface Lane {
  waiting: Queue<{ live: Live; nodeId: string }>;
  running: number;
  concurrency: number;
}

/** @throws SvcError `SVC_DEFINITION` when two graphs or workers share a name. */
export function createEngine(options: EngineOptions): Engine {
  return new GraphEngine(options);
}

class GraphEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #live = new Map<string, Live>();
  readonly #lanes = new Map<string, Lane>();
  /** Attempts and commits under way. */
  #busy = 0;
  #idleWaiters: (() => void)[] = [];
  #isClosing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#registry = new Registry(options.workers ?? [], options.graphs ?? []);
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
    const row = this.#newRow(definition, input, options);
    const nodes = firstNodes(row, definition);
    const event = { graphId: row.id, type: "graph.queued" as const, timestampMs: row.createdMs };
    try {
      await this.#commit({
        graphId: row.id,
        insert: { ...row },
        insertNodes: nodes.map((node) => ({ ...node })),
        events: [event],
      });
    } catch (error) {
      // Another start with the same key was committed first.
      const other = this.#known(name, options.idempotencyKey);
      if (other) return { snapshot: other, created: false };
      throw error;
    }
    // As committed a moment ago, with its one event; reading it back would cost as much as writing it.
    const snapshot = snapshotOf(row, nodes, definition, 1);
    const live = this.#adopt(row, nodes, definition);
    this.#beginWhenDue(live);
    return { snapshot, created: true };
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
      dueMs: nowMs + (options.delayMs ?? 0),
      startedMs: undefined,
      finishedMs: undefined,
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
    return snapshotOf(row, graphs.nodes(row.id), this.#registry.get(row.worker), graphs.lastSeq(row.id));
  }

  async pause(graphId: string): Promise<Snapshot> {
    return this.#control(graphId, (machine, nowMs) => machine.pause(nowMs));
  }

  async resume(graphId: string): Promise<Snapshot> {
    return this.#control(graphId, (machine, nowMs) => machine.resume(nowMs));
  }

  async cancel(graphId: string): Promise<Snapshot> {
    return this.#control(graphId, (machine, nowMs) => machine.cancel(nowMs));
  }

  async retry(graphId: string): Promise<Snapshot> {
    return this.#control(graphId, (machine, nowMs) => machine.retry(nowMs));
  }

  async #control(graphId: string, decide: (machine: Machine, nowMs: number) => Unit): Promise<Snapshot> {
    const live = this.#live.get(graphId) ?? this.#load(graphId);
    const unit = decide(live.machine, this.#clock.now());
    if (live.machine.isTerminal) this.#abortAll(live, new Error("The graph was cancelled"));
    this.#live.set(graphId, live);
    await this.#apply(live, unit);
    const snapshot = this.snapshot(graphId);
    return snapshot as Snapshot;
  }

  /** A graph that is not under way: finished, or of a definition this process does not have. */
  #load(graphId: string): Live {
    const row = this.#options.store.graphs.graph(graphId);
    if (!row) throw new SvcError("SVC_NOT_FOUND", `There is no graph "${graphId}"`);
    const definition = this.#registry.get(row.worker);
    if (!definition)
      throw new SvcError(
        "SVC_TRANSITION",
        `The graph ${graphId} was started as "${row.worker}", which this app no longer has`,
      );
    return this.#liveOf(row, this.#options.store.graphs.nodes(graphId), definition);
  }

  subscribe(graphId: string, afterSeq: number, signal: AbortSignal) {
    return subscribe(this.#options.store.graphs, graphId, afterSeq, signal);
  }

  async recover(): Promise<number> {
    const rows = this.#options.store.graphs.unfinished();
    await Promise.all(rows.map((row) => this.#recoverOne(row)));
    return rows.length;
  }

  async #recoverOne(row: GraphRow): Promise<void> {
    const definition = this.#registry.get(row.worker);
    if (!definition)
      return this.#log(`The graph ${row.id} waits: this app has no worker or graph named "${row.worker}"`);
    const nodes = this.#options.store.graphs.nodes(row.id);
    const live = this.#adopt(row, nodes, definition);
    const nowMs = this.#clock.now();
    const lost = nodes.find((node) => !definition.nodes.some((known) => known.name === node.id.split("/", 1)[0]));
    const missing =
      row.definition === definition.hash
        ? []
        : firstNodes(row, definition).filter((node) => !live.machine.node(node.id));
    if (lost || missing.length > 0) {
      const what = lost
        ? `no longer has the node "${lost.id}"`
        : `has new nodes: ${missing.map((node) => node.id).join(", ")}`;
      return this.#apply(
        live,
        live.machine.abandon(
          `The definition of "${row.worker}" changed while this graph was under way: it ${what}`,
          nowMs,
        ),
      );
    }
    const unit = live.machine.recover(nowMs);
    if (unit) await this.#apply(live, unit);
    else this.#dispatch(live);
    for (const node of live.machine.retrying()) this.#scheduleRetry(live, node);
    if (row.phase === "queued") this.#beginWhenDue(live);
  }

  idle(): Promise<void> {
    const isIdle = this.#busy === 0;
    return isIdle ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  async close(drainMs = 10_000): Promise<void> {
    this.#isClosing = true;
    for (const live of this.#live.values()) for (const timer of live.timers) timer.cancel();
    const deadline = this.#clock.schedule(drainMs, () => {
      for (const live of this.#live.values()) this.#abortAll(live, new Shutdown());
    });
    await this.idle();
    deadline.cancel();
    for (const live of this.#live.values()) live.progress.stop();
  }

  // Under way.

  #adopt(row: GraphRow, nodes: readonly NodeRow[], definition: GraphDefinition): Live {
    const live = this.#liveOf(row, nodes, definition);
    this.#live.set(row.id, live);
    return live;
  }

  #liveOf(row: GraphRow, nodes: readonly NodeRow[], definition: GraphDefinition): Live {
    const machine = new Machine(row, nodes, definition, this.#options.outboxRows ?? (() => []));
    const progress = new ProgressThrottle(this.#clock, (value) => {
      const event = { graphId: row.id, type: "progress" as const, timestampMs: this.#clock.now(), data: { ...value } };
      row.progress = value;
      this.#commitLoose({ graphId: row.id, graph: { progress: value }, events: [event] });
    });
    return { machine, progress, controllers: new Map(), timers: new Set() };
  }

  #beginWhenDue(live: Live): void {
    const { row } = live.machine;
    const begin = (): void => {
      if (row.phase !== "queued" || this.#isClosing) return;
      this.#applyLoose(live, live.machine.begin(this.#clock.now()));
    };
    const waitMs = row.dueMs - this.#clock.now();
    if (waitMs > 0) this.#after(live, waitMs, begin);
    else begin();
  }

  #after(live: Live, delayMs: number, run: () => void): void {
    const timer = this.#clock.schedule(delayMs, () => {
      live.timers.delete(timer);
      run();
    });
    live.timers.add(timer);
  }

  /** Commits a transition, then goes on with what it made ready. */
  async #apply(live: Live, unit: Unit): Promise<void> {
    // Decided now: by the time of the commit the machine may have moved on, and a later unit then ends the graph.
    const isTerminal = live.machine.isTerminal;
    try {
      const isHeld = await this.#commit(unit);
      if (!isHeld) throw new Error("the store had another state than the engine");
    } catch (error) {
      this.#reload(live, error);
      throw error;
    }
    if (isTerminal) this.#forget(live);
    else this.#dispatch(live);
  }

  #applyLoose(live: Live, unit: Unit): void {
    // The graph is read again after a failure, and #reload has logged it.
    this.#apply(live, unit).catch(() => undefined);
  }

  #forget(live: Live): void {
    if (!live.machine.isTerminal) return;
    for (const timer of live.timers) timer.cancel();
    live.progress.stop();
    this.#live.delete(live.machine.row.id);
  }

  /** The mirror is not to be trusted any more. */
  #reload(live: Live, error: unknown): void {
    const { id } = live.machine.row;
    this.#log(`A commit of graph ${id} failed: ${(error as Error).message}. It is read again.`);
    this.#abortAll(live, new Shutdown());
    for (const timer of live.timers) timer.cancel();
    if (this.#live.get(id) !== live) return;
    this.#live.delete(id);
    this.#clock.schedule(RELOAD_DELAY_MS, () => {
      const row = this.#options.store.graphs.graph(id);
      if (row && !this.#isClosing && !this.#live.has(id))
        this.#recoverOne(row).catch((reason: unknown) => this.#log(String(reason)));
    });
  }

  #abortAll(live: Live, reason: Error): void {
    for (const controller of live.controllers.values()) controller.abort(reason);
    live.controllers.clear();
  }

  async #commit(unit: Unit): Promise<boolean> {
    this.#busy++;
    try {
      return await this.#options.store.graphs.commit(unit);
    } finally {
      this.#release();
    }
  }

  /** For what is told along the way (logs, progress): a failure is logged, the graph goes on. */
  #commitLoose(unit: Unit): void {
    this.#commit(unit).catch((error: unknown) =>
      this.#log(`An event of graph ${unit.graphId} was not written: ${(error as Error).message}`),
    );
  }

  #release(): void {
    if (--this.#busy > 0) return;
    // A turn later: whoever waited for the commit goes on first, and may start more.
    setImmediate(() => {
      if (this.#busy > 0) return;
      for (const resolve of this.#idleWaiters.splice(0)) resolve();
    });
  }

  #log(message: string): void {
    this.#options.log?.(message);
  }

  // Dispatch.

  #dispatch(live: Live): void {
    if (this.#isClosing) return;
    const touched = new Set<Lane>();
    for (const node of live.machine.takeReady()) {
      const lane = this.#laneOf(live.machine.definitionOf(node.id).worker);
      lane.waiting.push({ live, nodeId: node.id });
      touched.add(lane);
    }
    for (const lane of touched) this.#fill(lane);
  }

  #laneOf(worker: Worker<never, unknown>): Lane {
    let lane = this.#lanes.get(worker.name);
    if (!lane) {
      lane = { waiting: new Queue(), running: 0, concurrency: worker.options.concurrency ?? DEFAULT_CONCURRENCY };
      this.#lanes.set(worker.name, lane);
    }
    return lane;
  }

  #fill(lane: Lane): void {
    while (lane.running < lane.concurrency && !this.#isClosing) {
      const next = lane.waiting.shift();
      if (!next) return;
      const node = next.live.machine.node(next.nodeId);
      // Queued twice, or paused, cancelled or reloaded in the meantime.
      if (
        node?.status !== "ready" ||
        next.live.machine.row.phase !== "running" ||
        this.#live.get(node.graphId) !== next.live
      )
        continue;
      lane.running++;
      this.#busy++;
      void this.#run(next.live, node).finally(() => {
        lane.running--;
        this.#release();
        this.#fill(lane);
      });
    }
  }

  async #run(live: Live, node: NodeRow): Promise<void> {
    const { machine } = live;
    const definition = machine.definitionOf(node.id);
    const controller = new AbortController();
    live.controllers.set(node.id, controller);
    this.#applyLoose(live, machine.nodeStarted(node, this.#clock.now()));
    const { attempt, epoch } = node;
    let outcome: Outcome;
    try {
      const deps = machine.deps(definition);
      const input = definition.map ? node.input : definition.input(machine.row.input, deps);
      const sink = {
        event: (event: NonNullable<Unit["events"]>[number]) =>
          this.#commitLoose({ graphId: node.graphId, events: [event] }),
        progress: (value: number, note: string | undefined) => live.progress.set(value, note),
      };
      outcome = await runAttempt({
        node: { ...node },
        worker: definition.worker,
        input,
        deps,
        clock: this.#clock,
        controller,
        sink,
      });
    } catch (error) {
      const message = `The input of "${node.id}" can't be made: ${(error as Error).message}`;
      outcome = { kind: "failed", error: { message, reason: "error", node: node.id }, isFinal: true };
    }
    live.controllers.delete(node.id);
    const isCurrent =
      this.#live.get(node.graphId) === live &&
      node.status === "running" &&
      node.attempt === attempt &&
      machine.row.epoch === epoch;
    if (isCurrent) this.#settle(live, node, outcome, controller);
    else if (outcome.kind === "done") this.#discard(node);
  }

  #settle(live: Live, node: NodeRow, outcome: Outcome, controller: AbortController): void {
    const { machine } = live;
    const nowMs = this.#clock.now();
    if (outcome.kind === "done") return this.#applyLoose(live, machine.nodeDone(node, outcome.result, nowMs));
    if (outcome.kind === "aborted") {
      if (controller.signal.reason instanceof Shutdown) this.#applyLoose(live, machine.nodeInterrupted(node, nowMs));
      return;
    }
    const { retry } = machine.definitionOf(node.id).worker.options;
    const delayMs = outcome.isFinal
      ? undefined
      : retryDelayMs(retry, node.attempt, (this.#options.random ?? Math.random)());
    const retryAtMs = delayMs === undefined ? undefined : nowMs + delayMs;
    const unit = machine.nodeFailed(node, outcome.error, retryAtMs, nowMs);
    if (machine.isTerminal) this.#abortAll(live, new Error("Another node of the graph failed"));
    this.#applyLoose(live, unit);
    if (retryAtMs !== undefined) this.#scheduleRetry(live, node);
  }

  #scheduleRetry(live: Live, node: NodeRow): void {
    const { epoch } = live.machine.row;
    this.#after(live, Math.max(0, (node.dueMs ?? 0) - this.#clock.now()), () => {
      const isDue = node.status === "retrying" && live.machine.row.epoch === epoch && !live.machine.isTerminal;
      if (isDue && !this.#isClosing) this.#applyLoose(live, live.machine.nodeReady(node, this.#clock.now()));
    });
  }

  /** A result that came after a cancel, a timeout or a retry of the graph: told, not kept. */
  #discard(node: NodeRow): void {
    this.#commitLoose({
      graphId: node.graphId,
      events: [{ graphId: node.graphId, type: "node.discarded", node: node.id, timestampMs: this.#clock.now() }],
    });
  }
}

/** Why an attempt is aborted when the process stops: the node runs again after the start. */
class Shutdown extends Error {
  constructor() {
    super("The server is stopping");
  }
}
