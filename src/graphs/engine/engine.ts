/**
 * The engine as its callers see it: starts graphs, shows them, steers them. What goes on in those under way is active-runs.ts; what
 * changes is decided in machine.ts. A write is acknowledged only after the durable commit. One engine owns its store.
 */
import type { Clock, Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { silentLog, type Log } from "../../platform/shared/log.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphEvent, GraphRow, Origin } from "../../storage/contract/graph-rows.ts";
import type { Durations, GraphQuery, Page, PurgeQuery, TagCounts } from "../../storage/contract/queries.ts";
import { auditOf } from "../machine/audit.ts";
import { checkCount } from "../definition/definition-checks.ts";
import { bulk } from "./bulk-commands.ts";
import { Children } from "./child-runs.ts";
import { heldBy } from "./engine-port.ts";
import { Isolation } from "../execution/remote/isolation.ts";
import type { Machine } from "../machine/machine.ts";
import type { Fleet } from "./cluster-port.ts";
import { Performer } from "../execution/remote/remote-runner.ts";
import { Registry } from "./registry.ts";
import { WorkerQueues } from "./queues.ts";
import { absenceOf, type Absence } from "./missing-run.ts";
import { keptBy, purgeAll, readKept, Retention, type KeptTimes } from "./retention.ts";
import { resultOf } from "./run-result.ts";
import { NewGraphs } from "./start-run.ts";
import { Steps } from "./run-controls.ts";
import { Views } from "./run-views.ts";
import { Scheduler } from "../schedules/schedules.ts";
import { subscribe } from "./subscription.ts";
import { UnderWay } from "./active-runs.ts";
import { Unfit } from "./unknown-definition.ts";
import { readLimits, type GraphLimits, type ValueLimits } from "../definition/value-limits.ts";
import { WorkerTools, type WorkerToolOptions } from "../execution/attempt/worker-tools.ts";
import type { GraphDefinition, Worker } from "../definition/definition-types.ts";
import type { Engine } from "./engine-types.ts";
import type { AttemptReport, LaneReport, OutboxRows } from "../machine/report-types.ts";
import type { ScheduleDefinition } from "../schedules/schedule-types.ts";
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
} from "../definition/audit-types.ts";
import type { Artifact, ArtifactContent, EventsQuery, NodeDetail, Snapshot } from "../machine/view-types.ts";

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
  /** Told by which name a graph was started that had ended and goes on again. Must not throw. Default: nothing. */
  onRetry?: (worker: string) => void;
  /** Told of the worker of each node that becomes ready, for each attempt. Must not throw. Default: nothing. */
  onReady?: (worker: string) => void;
  /** What a graph is being started by, where that does not say: asked in the turn of its start. Default: the app's code. */
  origin?: () => Origin | undefined;
  /** Where several processes share the store. Default: this one has it to itself. */
  fleet?: Fleet | undefined;
  /** Told of each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** Told after a queue was paused or resumed, and after a schedule has changed or run. Must not throw. Default: nothing. */
  onControls?: () => void;
}

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
  readonly #performer: Performer;
  readonly #isolation: Isolation;
  readonly #views: Views;
  readonly #newGraphs: NewGraphs;
  readonly #steps: Steps;
  readonly #tools: WorkerTools;
  readonly #kept: KeptTimes;
  readonly #retention: Retention | undefined;
  readonly schedule: Scheduler;
  readonly queues: WorkerQueues;
  readonly limits: ValueLimits;

  constructor(options: EngineOptions) {
    const { store, clock, log = silentLog, fleet, outboxRows = () => [] } = options;
    const { graphs } = store;
    this.#options = options;
    this.#clock = clock;
    this.limits = readLimits(options.limits);
    const registry = new Registry(options.workers ?? [], options.graphs ?? []);
    this.#registry = registry;
    this.#isolation = new Isolation((name) => registry.worker(name), options.tools ?? {});
    this.#tools = new WorkerTools(options.tools ?? {}, clock);
    this.#children = new Children({ graphs, clock, log, engine: this });
    this.#underWay = this.#goingOn(outboxRows);
    const [underWay, { inputBytes }] = [this.#underWay, this.limits];
    const { dispatcher, starts } = underWay;
    const performer = new Performer({
      workerNamed: (name) => registry.worker(name),
      isolation: this.#isolation,
      bindGraph: (worker) => this.#children.bind(worker),
      tools: this.#tools,
      elsewhere: fleet?.elsewhere,
      dispatcher,
      starts,
    });
    this.#performer = performer;
    const views = new Views({ graphs, registry, clock });
    this.#views = views;
    const { onStart, origin } = options;
    this.#newGraphs = new NewGraphs({ graphs, registry, clock, underWay, views, inputBytes, onStart, origin });
    this.#steps = new Steps({
      graphs,
      clock,
      underWay,
      unfit: new Unfit({ graphs, registry, clock, outboxRows, inputBytes }),
      children: this.#children,
      views,
      limits: this.limits,
      fleet,
      onRetry: options.onRetry,
    });
    this.#kept = readKept(options.retention, [...registry.all().values()].flat());
    const keptMs = keptBy(this.#kept);
    this.#retention = keptMs && new Retention({ graphs, clock, log, keptMs });
    const onChange = (): void => {
      fleet?.controlsChanged();
      options.onControls?.();
    };
    this.queues = new WorkerQueues({
      rows: store.queues,
      dispatcher,
      clock,
      workers: registry.workers(),
      onChange,
    });
    this.schedule = this.#scheduler(onChange);
    const { queues, schedule } = this;
    const [children, steps] = [this.#children, this.#steps];
    fleet?.attach(heldBy({ registry, underWay, children, performer, steps, queues, schedule }));
  }

  #goingOn(outboxRows: OutboxRows): UnderWay {
    const {
      store,
      clock,
      log = silentLog,
      concurrency,
      random = Math.random,
      onAttempt,
      onReady,
      fleet,
    } = this.#options;
    return new UnderWay({
      graphs: store.graphs,
      registry: this.#registry,
      clock,
      log,
      concurrency: checkCount("The engine", "concurrency", concurrency) ?? Infinity,
      random,
      outboxRows,
      onAttempt,
      onReady,
      fleet,
      tools: this.#tools,
      values: this.limits,
      bind: (worker, node, hand) => this.#performer.bind(worker, node.state, hand),
      onEnd: (row) => this.#children.ended(row),
    });
  }

  #scheduler(onChange: () => void): Scheduler {
    const { store, clock, log = silentLog } = this.#options;
    const { busy } = this.#underWay;
    return new Scheduler({
      graphs: store.graphs,
      rows: store.schedules,
      onChange,
      audit: store.audit,
      clock,
      log,
      isKnown: (name) => this.#registry.get(name) !== undefined,
      start: (name, input, how, audit) => this.#newGraphs.start(name, input, how, audit),
      onRun: (isBegun) => (isBegun ? busy.begin() : busy.end()),
    });
  }

  purge(query: PurgeQuery): Promise<number> {
    return purgeAll(this.#options.store.graphs, query);
  }

  start(name: string, input: Json, options?: StartOptions): Promise<{ snapshot: Snapshot; created: boolean }> {
    return this.#newGraphs.start(name, input, options);
  }

  fork(graphId: string, options: ForkOptions): Promise<Snapshot> {
    return this.#newGraphs.fork(graphId, options);
  }

  snapshot(graphId: string): Promise<Snapshot | undefined> {
    return this.#views.snapshot(graphId);
  }

  node(graphId: string, nodeId: string): Promise<NodeDetail | undefined> {
    return this.#views.node(graphId, nodeId);
  }

  nodes(graphId: string): Promise<NodeDetail[]> {
    return this.#views.nodes(graphId);
  }

  pastNodes(graphId: string): Promise<NodeDetail[]> {
    return this.#views.pastNodes(graphId);
  }

  artifacts(graphId: string): Promise<Artifact[]> {
    return this.#views.artifacts(graphId);
  }

  artifact(graphId: string, name: string): Promise<ArtifactContent | undefined> {
    return this.#views.artifact(graphId, name);
  }

  events(graphId: string, query?: EventsQuery): Promise<GraphEvent[]> {
    return this.#views.events(graphId, query);
  }

  async absence(graphId: string): Promise<Absence> {
    return absenceOf(graphId, this.#kept);
  }

  list(query: GraphQuery): Promise<Page<Snapshot>> {
    return this.#views.list(query);
  }

  waiting(limit: number): Promise<Snapshot[]> {
    return this.#views.waiting(limit);
  }

  durations(query: GraphQuery): Promise<Durations> {
    return this.#views.durations(query);
  }

  tagCounts(query: GraphQuery): Promise<TagCounts> {
    return this.#views.tagCounts(query);
  }

  pause(graphId: string, options?: PauseOptions): Promise<Snapshot> {
    return this.#steps.pause(graphId, options);
  }

  resume(graphId: string, steering?: Steering): Promise<Snapshot> {
    return this.#steps.resume(graphId, steering);
  }

  cancel(graphId: string, steering?: Steering): Promise<Snapshot> {
    return this.#steps.cancel(graphId, steering);
  }

  retry(graphId: string, options?: RetryOptions): Promise<Snapshot> {
    return this.#steps.retry(graphId, options);
  }

  signal(graphId: string, name: string, payload?: Json, options?: SignalOptions): Promise<Snapshot> {
    return this.#steps.signal(graphId, name, payload, options);
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
    const { fleet, schedules = [] } = this.#options;
    const isRunner = fleet?.isRunner !== false;
    // What can't be begun is refused before anything is taken up.
    if (isRunner) await this.schedule.check(schedules);
    await this.queues.begin();
    const count = fleet ? 0 : await this.#takeUpAll();
    if (isRunner) await this.schedule.begin(schedules);
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
    const overdue = this.#clock.schedule(drainMs, () => this.#performer.leave());
    await this.#underWay.close(drainMs);
    overdue.cancel();
    this.#isolation.close();
    await this.#tools.close();
  }
}
