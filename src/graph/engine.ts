/**
 * The engine as its callers see it: starts graphs, shows them, steers them. What goes on in those under way is under-way.ts; what
 * changes is decided in machine.ts. A write is acknowledged only after the durable commit. One engine owns its store.
 */
import type { Clock, Duration } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import { silentLog, type Log } from "../shared/log.ts";
import type { Store } from "../store/contract.ts";
import type { GraphEvent, GraphPhase, GraphRow } from "../store/graph-rows.ts";
import type { Durations, GraphQuery, Page, PurgeQuery } from "../store/queries.ts";
import type { Unit } from "../store/unit.ts";
import { auditOf } from "./machine/audit.ts";
import { checkCount } from "./definition/checks.ts";
import { bulk } from "./bulk.ts";
import { Children } from "./children.ts";
import { Isolation } from "./running/isolation.ts";
import { requireSize } from "./definition/json-value.ts";
import { whenAborted, type LiveGraph } from "./running/live.ts";
import { Machine } from "./machine/machine.ts";
import { madeInput } from "./running/node-input.ts";
import { newGraph } from "./machine/new-graph.ts";
import { firstNodes } from "./machine/node-rows.ts";
import { boundElsewhere, perform, type Channel, type NodeOrder, type Performance } from "./running/elsewhere.ts";
import { Outrun, type Fleet, type Wish } from "./fleet.ts";
import type { Place } from "./running/place.ts";
import { forkRows } from "./machine/rerun.ts";
import { Registry } from "./registry.ts";
import { WorkerQueues } from "./queues.ts";
import { keptBy, purgeAll, Retention } from "./retention.ts";
import { resultOf } from "./result.ts";
import { sendSignal, type SignalTarget } from "./send-signal.ts";
import { Scheduler } from "./schedules/schedules.ts";
import { nodeDetail, snapshotOf } from "./machine/snapshot.ts";
import { subscribe } from "./subscription.ts";
import { UnderWay } from "./under-way.ts";
import { Unfit } from "./unfit.ts";
import { readLimits, type GraphLimits, type ValueLimits } from "./definition/value-limits.ts";
import { WorkerTools, type WorkerToolOptions } from "./running/worker-tools.ts";
import type { GraphDefinition, Worker } from "./definition/definition-types.ts";
import type { Engine } from "./engine-types.ts";
import type { AttemptReport, LaneReport, OutboxRows } from "./machine/report-types.ts";
import type { ScheduleDefinition } from "./schedules/schedule-types.ts";
import type {
  BulkAction,
  BulkOptions,
  BulkReport,
  ForkOptions,
  PauseOptions,
  RetryOptions,
  SignalOptions,
  StartOptions,
  Steering,
} from "./definition/steering-types.ts";
import type { EventsQuery, NodeDetail, Snapshot } from "./machine/view-types.ts";

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
  /** What `ctx.fetch` may reach and where `ctx.ai` asks. Default: public addresses, and nobody. */
  tools?: WorkerToolOptions;
  /** For jitter: 0 to below 1. Default Math.random. */
  random?: () => number;
  /** Told of trouble that no caller sees. Default: nothing. */
  log?: Log;
  /** How long graphs are kept once they have finished. Default: for ever. */
  retention?: Duration;
  /** How large values may be. Default: as `GraphLimits` says. */
  limits?: GraphLimits;
  /** Told by which name a graph was started, forks included. Must not throw. Default: nothing. */
  onStart?: (worker: string) => void;
  /** Where several processes share the store. Default: this one has it to itself. */
  fleet?: Fleet | undefined;
  /** Told of each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** Told after a queue was paused or resumed, and after a schedule has changed or run. Must not throw. Default: nothing. */
  onControls?: () => void;
}

/** As many as are read at once without being felt. */
const EVENTS = 1000;
/** What a graph can be resumed from. */
const PAUSED: readonly GraphPhase[] = ["pausing", "paused"];
/** Unfinished graphs that are read at once. */
const SLICE = 200;

/** @throws SvcError `SVC_DEFINITION` when two graphs or workers share a name. */
export function createEngine(options: EngineOptions): Engine {
  return new GraphEngine(options);
}

class GraphEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #underWay: UnderWay;
  readonly #children: Children;
  readonly #isolation: Isolation;
  readonly #unfit: Unfit;
  readonly #tools: WorkerTools;
  readonly #retention: Retention | undefined;
  readonly schedule: Scheduler;
  readonly queues: WorkerQueues;
  readonly limits: ValueLimits;

  constructor(options: EngineOptions) {
    const { store, clock, log = silentLog } = options;
    const { graphs } = store;
    this.#options = options;
    this.#clock = clock;
    this.limits = readLimits(options.limits);
    const registry = new Registry(options.workers ?? [], options.graphs ?? []);
    this.#registry = registry;
    this.#isolation = new Isolation((name) => registry.worker(name), options.tools ?? {});
    this.#tools = new WorkerTools(options.tools ?? {}, clock);
    this.#children = new Children({ graphs, clock, log, engine: this });
    this.#underWay = new UnderWay({
      graphs,
      registry,
      clock,
      log,
      concurrency: checkCount("The engine", "concurrency", options.concurrency) ?? Infinity,
      random: options.random ?? Math.random,
      outboxRows: options.outboxRows ?? (() => []),
      onAttempt: options.onAttempt,
      fleet: options.fleet,
      tools: this.#tools,
      values: this.limits,
      bind: (worker, node) => this.#bind(worker, node.state),
      onEnd: (row) => this.#children.ended(row),
    });
    const outboxRows = options.outboxRows ?? (() => []);
    this.#unfit = new Unfit({ graphs, registry, clock, outboxRows, inputBytes: this.limits.inputBytes });
    const { dispatcher, busy } = this.#underWay;
    options.fleet?.attach({
      holds: (graphId) => this.#underWay.get(graphId) !== undefined,
      isLent: (graphId) => this.#underWay.isLent(graphId),
      isAtRest: (graphId) => this.#underWay.isAtRest(graphId),
      hold: (graphId, lease, hasCrashed) => this.#underWay.hold(graphId, lease, hasCrashed),
      readControls: async () => {
        await this.queues.readAgain();
        await this.schedule.lookAgain();
      },
      dropAll: () => this.#underWay.dropAll(),
      perform: (order, channel) => this.#perform(order, channel),
      fulfil: (graphId, wish) => this.#fulfil(graphId, wish),
    });
    const keptMs = keptBy(options.retention, options.graphs ?? []);
    this.#retention = keptMs && new Retention({ graphs, clock, log, keptMs });
    const onChange = (): void => {
      options.fleet?.controlsChanged();
      options.onControls?.();
    };
    this.queues = new WorkerQueues({
      rows: store.queues,
      dispatcher,
      clock,
      workers: registry.workers(),
      onChange,
    });
    this.schedule = new Scheduler({
      graphs,
      rows: store.schedules,
      onChange,
      audit: store.audit,
      clock,
      log,
      isKnown: (name) => registry.get(name) !== undefined,
      start: (name, input, how) => this.start(name, input, how),
      onRun: (isBegun) => (isBegun ? busy.begin() : busy.end()),
    });
  }

  /** The worker as it is called here. */
  #bind(worker: Worker<never, unknown>, state: Json | undefined): Worker<never, unknown> {
    const { fleet } = this.#options;
    if (worker.graph !== undefined || fleet?.elsewhere.runsHere(worker.name) !== false)
      return this.#isolation.bind(this.#children.bind(worker), state);
    return boundElsewhere(worker, state, fleet.elsewhere, (name) => this.#registry.worker(name));
  }

  async #perform(order: NodeOrder, channel: Channel): Promise<Performance | undefined> {
    const worker = this.#registry.worker(order.worker);
    if (!worker) return undefined;
    const { signal } = channel;
    const aborted = whenAborted(signal);
    // Its permit and its rate are the other process's: counted where it was started.
    const given = new Promise<Place>((resolve) =>
      this.#underWay.dispatcher.place(worker, resolve, () => !signal.aborted, true),
    );
    const place = await Promise.race([given, aborted.promise]).finally(aborted.stop);
    const performance = perform(this.#isolation.bind(worker, order.state), order, this.#tools, channel, place);
    void performance.ended.finally(() => place.leave());
    return performance;
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
    const { idempotencyKey: key } = options;
    const known = key === undefined ? undefined : await this.#known(name, key);
    if (known) return { snapshot: known, created: false };
    this.#requireInput(input, `The input of "${name}"`);
    const row = newGraph(definition, input, options, this.#clock.now());
    const stored = { row, nodes: firstNodes(row, definition), lastSeq: 1, signals: [] };
    const live = this.#underWay.adopt(stored, definition);
    // As it is accepted; reading it back would cost as much as writing it.
    const snapshot = snapshotOf(row, live.machine.nodes(), definition, 1, []);
    try {
      const audit = options.note === undefined ? undefined : auditOf("graph.start", row.id, row.createdMs, options);
      await this.#underWay.insert(live, options, audit);
    } catch (error) {
      // Another start with the same key was committed first.
      const other = key === undefined ? undefined : await this.#known(name, key);
      if (other) return { snapshot: other, created: false };
      throw error;
    }
    this.#options.onStart?.(row.worker);
    return { snapshot, created: true };
  }

  #requireInput(input: Json, what: string): void {
    requireSize(JSON.stringify(input) ?? "", what, this.limits.inputBytes);
  }

  async #known(worker: string, key: string): Promise<Snapshot | undefined> {
    const row = await this.#options.store.graphs.byIdempotencyKey(worker, key);
    return row && this.snapshot(row.id);
  }

  async snapshot(graphId: string): Promise<Snapshot | undefined> {
    return (await this.#views([graphId]))[0];
  }

  async node(graphId: string, nodeId: string): Promise<NodeDetail | undefined> {
    const [stored] = await this.#options.store.graphs.load([graphId]);
    const node = stored?.nodes.find(({ id }) => id === nodeId);
    if (!stored || !node) return undefined;
    const { row, nodes } = stored;
    return nodeDetail(node, madeInput(row, nodes, this.#registry.of(row), node));
  }

  async nodes(graphId: string): Promise<NodeDetail[]> {
    const [stored] = await this.#options.store.graphs.load([graphId]);
    if (!stored) return [];
    const { row, nodes } = stored;
    const definition = this.#registry.of(row);
    return nodes.map((node) => nodeDetail(node, madeInput(row, nodes, definition, node)));
  }

  async pastNodes(graphId: string): Promise<NodeDetail[]> {
    return (await this.#options.store.graphs.pastNodes(graphId)).map((node) => nodeDetail(node));
  }

  events(graphId: string, { after = 0, limit = EVENTS }: EventsQuery = {}): Promise<GraphEvent[]> {
    return this.#options.store.graphs.events(graphId, after, limit);
  }

  async list(query: GraphQuery): Promise<Page<Snapshot>> {
    const page = await this.#options.store.graphs.list({ nowMs: this.#clock.now(), ...query });
    return { ...page, items: await this.#views(page.items.map(({ id }) => id)) };
  }

  durations(query: GraphQuery): Promise<Durations> {
    const nowMs = query.nowMs ?? this.#clock.now();
    return this.#options.store.graphs.durations({ ...query, nowMs }, nowMs);
  }

  async #views(ids: readonly string[]): Promise<Snapshot[]> {
    const { graphs } = this.#options.store;
    const [all, children] = await Promise.all([graphs.load(ids), graphs.children(ids)]);
    return all.map(({ row, nodes, lastSeq }) => {
      const own = children.filter(({ parentGraph }) => parentGraph === row.id);
      return snapshotOf(row, nodes, this.#registry.of(row), lastSeq, own);
    });
  }

  async #view(graphId: string): Promise<Snapshot> {
    return (await this.snapshot(graphId)) as Snapshot;
  }

  /** Fulfils a wish where the graph is held. */
  async #at(graphId: string, wish: Wish, here: () => Promise<Snapshot>): Promise<Snapshot> {
    const { fleet } = this.#options;
    if (!fleet) return here();
    try {
      if (this.#underWay.get(graphId)) return await this.#joined(graphId, here);
    } catch (error) {
      if (!(error instanceof Outrun)) throw error;
    }
    return fleet.reach(graphId, wish, async (lease) => {
      this.#underWay.borrow(graphId, lease);
      try {
        const unfit = await this.#unfit.steer(graphId, lease, wish);
        if (!unfit) return await here();
        await this.#follow(unfit, wish);
        return await this.#view(graphId);
      } finally {
        await this.#underWay.settle(graphId);
      }
    });
  }

  /** With a graph that is there; should that be for another's wish, it stays until this one is fulfilled. */
  async #joined(graphId: string, here: () => Promise<Snapshot>): Promise<Snapshot> {
    const isLent = this.#underWay.joins(graphId);
    try {
      return await here();
    } finally {
      if (isLent) await this.#underWay.settle(graphId);
    }
  }

  /** What goes with a step of a graph that was not taken up. */
  async #follow({ row, isTerminal }: Machine, { step, options }: Wish): Promise<void> {
    this.#options.fleet?.wrote(row.id, []);
    if (step === "pause" || step === "cancel") await this.#children.follow(step, row.id, options);
    if (isTerminal) await this.#children.ended(row);
  }

  pause(graphId: string, options: PauseOptions = {}): Promise<Snapshot> {
    return this.#at(graphId, { step: "pause", options }, async () => {
      await this.#control("pause", graphId, options, (machine, nowMs) => machine.pause(nowMs, options));
      this.#underWay.get(graphId)?.letGoAfter(options.graceMs ?? this.limits.pauseGraceMs);
      await this.#children.follow("pause", graphId, options);
      return this.#view(graphId);
    });
  }

  resume(graphId: string, steering?: Steering): Promise<Snapshot> {
    return this.#at(graphId, { step: "resume", options: steering }, async () => {
      const { machine } = await this.#underWay.take(graphId);
      // The children first: whoever is cut off in between finds their parent still paused, and resumes it again.
      if (PAUSED.includes(machine.row.phase)) await this.#children.take("resume", graphId, steering);
      await this.#control("resume", graphId, steering, (each, nowMs) => each.resume(nowMs, steering));
      return this.#view(graphId);
    });
  }

  cancel(graphId: string, steering?: Steering): Promise<Snapshot> {
    return this.#at(graphId, { step: "cancel", options: steering }, async () => {
      await this.#control("cancel", graphId, steering, (machine, nowMs) => machine.cancel(nowMs, steering));
      await this.#children.follow("cancel", graphId, steering);
      return this.#view(graphId);
    });
  }

  retry(graphId: string, options?: RetryOptions): Promise<Snapshot> {
    return this.#at(graphId, { step: "retry", options }, () =>
      this.#control("retry", graphId, options, (machine, nowMs) => machine.retry(nowMs, options, options?.from)),
    );
  }

  signal(graphId: string, name: string, payload: Json = null, options: SignalOptions = {}): Promise<Snapshot> {
    const { idempotencyKey: key, ...steering } = options;
    const target: SignalTarget<LiveGraph, Snapshot> = {
      store: this.#options.store.graphs,
      live: () => this.#underWay.take(graphId),
      control: (live, decide) => this.#steer("signal", live, steering, decide),
      snapshot: () => this.#view(graphId),
      inputBytes: this.limits.inputBytes,
    };
    return this.#at(graphId, { step: "signal", name, payload, options }, () =>
      sendSignal(target, { graphId, name, payload, key, actor: steering.by }),
    );
  }

  #fulfil(graphId: string, wish: Wish): Promise<Snapshot> {
    if (wish.step === "signal") return this.signal(graphId, wish.name, wish.payload, wish.options);
    if (wish.step === "pause") return this.pause(graphId, wish.options);
    return this[wish.step](graphId, wish.options);
  }

  async #control(
    step: string,
    graphId: string,
    steering: Steering | undefined,
    decide: (machine: Machine, nowMs: number) => Unit,
  ): Promise<Snapshot> {
    return this.#steer(step, await this.#underWay.take(graphId), steering, decide);
  }

  async #steer(
    step: string,
    live: LiveGraph,
    steering: Steering | undefined,
    decide: (machine: Machine, nowMs: number) => Unit,
  ): Promise<Snapshot> {
    const nowMs = this.#clock.now();
    await this.#underWay.steer(live, () => {
      const unit = decide(live.machine, nowMs);
      unit.audit = auditOf(`graph.${step}`, live.id, nowMs, steering);
      return unit;
    });
    return this.#view(live.id);
  }

  async fork(graphId: string, { from, input, ...steering }: ForkOptions): Promise<Snapshot> {
    const { stored, definition } = await this.#underWay.find(graphId);
    const { row: source } = stored;
    if (input !== undefined) this.#requireInput(input, `The input of "${from}" in a fork of "${source.worker}"`);
    const isWhole = definition.nodes.length === 1 && input !== undefined;
    const row = newGraph(definition, isWhole ? input : source.input, { tags: source.tags }, this.#clock.now());
    row.forkedFrom = graphId;
    const nodes = forkRows(row, definition, stored.nodes, input === undefined ? { from } : { from, input });
    const audit = auditOf("graph.fork", graphId, row.createdMs, steering, { graph_id: row.id, from });
    const live = this.#underWay.adopt({ row, nodes, lastSeq: 1, signals: [] }, definition);
    await this.#underWay.insert(live, steering, audit);
    this.#options.onStart?.(row.worker);
    return this.#view(row.id);
  }

  async bulk(action: BulkAction, options: BulkOptions): Promise<BulkReport> {
    const { graphs, audit } = this.#options.store;
    const report = await bulk({ graphs, take: (step, id, by) => this[step](id, by) }, action, {
      ...options,
      filter: { nowMs: this.#clock.now(), ...options.filter },
    });
    if (report.dry_run) return report;
    const { matched, changed } = report;
    const data = { filter: { ...options.filter }, matched, changed };
    await audit.add(auditOf(`graphs.${action}`, "*", this.#clock.now(), options, data));
    return report;
  }

  subscribe(graphId: string, afterSeq: number, signal: AbortSignal) {
    return subscribe(this.#options.store.graphs, graphId, afterSeq, signal);
  }

  result(graphId: string, { signal }: { signal?: AbortSignal } = {}): Promise<Json> {
    const machineOf = (id: string): Machine | undefined => this.#underWay.get(id)?.machine;
    return resultOf({ graphs: this.#options.store.graphs, machineOf }, graphId, signal);
  }

  async recover(): Promise<number> {
    const { fleet } = this.#options;
    await this.queues.begin();
    const count = fleet ? 0 : await this.#takeUpAll();
    if (fleet?.isRunner !== false) await this.schedule.begin(this.#options.schedules ?? []);
    this.#retention?.start();
    return count;
  }

  /** What was left under way belongs to this process, which has the store to itself. */
  async #takeUpAll(): Promise<number> {
    const { graphs } = this.#options.store;
    const children: GraphRow[] = [];
    let count = 0;
    for (let after: string | undefined = ""; after !== undefined;) {
      const ids: string[] = await graphs.unfinished(after, SLICE);
      const left = await graphs.load(ids.filter((id) => !this.#underWay.get(id)));
      await Promise.all(left.map((stored) => this.#underWay.recover(stored, true)));
      children.push(...left.flatMap(({ row }) => (row.parentGraph === undefined ? [] : [row])));
      count += left.length;
      after = ids.at(-1);
    }
    for (const row of children)
      if (await this.#children.isOrphan(row)) await this.#children.follow("cancel", row.parentGraph ?? "");
    return count;
  }

  lanes(): LaneReport[] {
    return this.#underWay.dispatcher.lanes();
  }

  idle(): Promise<void> {
    return this.#underWay.busy.idle();
  }

  async close(drainMs = 10_000): Promise<void> {
    this.schedule.close();
    this.#children.close();
    this.#retention?.stop();
    await this.#underWay.close(drainMs);
    this.#isolation.close();
    await this.#tools.close();
  }
}
