/**
 * A process that shares its database with others: joins them, takes graphs as there is room for, has wishes fulfilled where a graph is
 * held, and tells what is new. It puts the parts together; each stands in a file of its own.
 */
import type { Fleet, Held, Wish } from "../graph/fleet.ts";
import type { Snapshot } from "../graph/machine/view-types.ts";
import type { Clock } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { NodesElsewhere } from "./elsewhere.ts";
import { nodeTask, type JobPayload } from "./task.ts";
import { Commands } from "./commands.ts";
import type { OpenedDatabase } from "./database.ts";
import { JobQueues } from "./job-queues.ts";
import { prepareJobs } from "./jobs.ts";
import { Leases } from "./leases.ts";
import { Membership, type MemberProfile, type ProcessFigures, type ProcessView } from "./membership.ts";
import { CHANNEL, LONGEST_NEWS, newsOf, Notices, readNews, type News } from "./notices.ts";
import { patiently } from "./open-database.ts";
import { SharedPermits } from "./permits.ts";
import { Reach } from "./reach.ts";
import { TakeBatch } from "./take-batch.ts";

/** A graph that rests gives its place to another after this long. */
const REST_LOOK_MS = 1000;
/** Between looks for what no notification told, and for what came too late to be given up. */
const SWEEP_MS = 5000;
/** Sweeps between looks for all that anybody waits for: those cost a question for each. */
const DOUBT_SWEEPS = 6;

/** Between two notices that webhooks have changed, however many deliveries end. */
const TELL_MS = 1000;

/** As `invalidate` takes it. */
const ALL_PAGES = ["/*"];

export interface ClusterOptions {
  database: OpenedDatabase;
  profile: MemberProfile;
  /** Whether nodes run in this process. */
  isRunner: boolean;
  /** Task identifiers of the graphs that it can go on with. */
  identifiers: readonly string[];
  /** Graphs under way in this process, those aside that wait. */
  concurrency: number;
  /** Nodes that it runs at once for graphs of others. */
  nodePlaces: number;
  clock: Clock;
  log: Log;
  /** Told what others have written. */
  onNews: (news: News) => void;
  /** Others may have written what they told nobody: all that is waited for is to be looked for. */
  onDoubt: () => void;
  /** A process has come or gone. */
  onProcesses: () => void;
  /** How this process is doing. Default: nothing is known. */
  figures?: () => ProcessFigures;
  patienceMs?: number;
}

export class Cluster implements Fleet {
  readonly #options: ClusterOptions;
  readonly #leases: Leases;
  readonly #membership: Membership;
  readonly #notices: Notices;
  readonly #commands: Commands;
  readonly #takes: TakeBatch;
  readonly #reach: Reach;
  readonly #queues: JobQueues;
  readonly permits: SharedPermits;
  readonly elsewhere: NodesElsewhere;
  /** Graphs that take a place, and what is to be called when they leave it. */
  readonly #places = new Map<string, () => void>();
  #held: Held | undefined;
  #sweeps = 0;
  #forgotten: ReadonlySet<string> = new Set();
  #hasJoined = false;
  #isClosing = false;
  #isTelling = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { database, profile, clock, log } = options;
    this.#leases = new Leases(database);
    const send = async (payload: string): Promise<void> => {
      if (this.#membership.others > 0) await database.query("select pg_notify($1, $2)", [CHANNEL, payload]);
    };
    this.#notices = new Notices(clock, send, () => this.#membership.id);
    this.#commands = new Commands({
      database,
      clock,
      notices: this.#notices,
      fulfil: (graphId, wish) => this.#reach.fulfil(graphId, wish),
    });
    const me = (): string | undefined => this.#membership.id;
    this.#reach = new Reach({
      leases: this.#leases,
      commands: this.#commands,
      clock,
      log,
      identifiers: options.identifiers,
      me,
      held: () => this.#held,
      isTakingUp: (graphId) => this.#places.has(graphId),
      isClosing: () => this.#isClosing,
    });
    this.#queues = new JobQueues({ database, clock, log, me });
    this.permits = new SharedPermits({
      database,
      clock,
      log,
      me,
      onGivenBack: () => {
        if (this.#membership.others > 0) this.#notices.add("changed", "permits");
      },
    });
    this.elsewhere = new NodesElsewhere({
      database,
      clock,
      log,
      build: profile.build,
      workers: profile.workers,
      isRunner: options.isRunner,
      me,
      held: () => this.#held,
      tell: (process) => this.#notices.tell("called", process),
      tellWanted: () => this.#notices.tell("changed", "places"),
    });
    this.#takes = new TakeBatch((ids) => this.#leases.take(ids, this.#requireId()));
    this.#membership = new Membership({
      database,
      profile,
      clock,
      log,
      onSession: async (session) => {
        session.onNotice((_channel, payload) => this.#hear(readNews(payload)));
        await session.query(`listen ${CHANNEL}`);
      },
      onJoin: async (id) => {
        await this.#queues.list(id);
        this.elsewhere.joined();
        // Nothing was heard before.
        options.onDoubt();
        if (this.#hasJoined) options.onNews(newsOf({ invalidated: ALL_PAGES }));
        this.#hasJoined = true;
      },
      onLoss: () => {
        this.#held?.dropAll();
        this.elsewhere.dropAll();
      },
      giveUp: async (id) => {
        await this.#leases.giveUpFor(id);
        this.#doubt();
        this.#notices.tell("changed", "lost");
      },
      onOthers: options.onProcesses,
      onLook: (listed) => this.elsewhere.noticed(listed),
      ...(options.figures && { figures: options.figures }),
      ...(options.patienceMs !== undefined && { patienceMs: options.patienceMs }),
    });
  }

  get isRunner(): boolean {
    return this.#options.isRunner;
  }

  /** All processes that share the database. */
  processes(): Promise<ProcessView[]> {
    return this.#membership.list();
  }

  /** Joins, and takes graphs from then on. The tables of graphs are there already. */
  async start(): Promise<void> {
    const { database, log, identifiers, concurrency } = this.#options;
    // The database may be away for a moment just now, as it may later.
    await patiently(() => prepareJobs(database.pool, log));
    await patiently(() => this.#membership.join());
    this.#sweepLater();
    if (!this.isRunner) return;
    const { nodePlaces, profile } = this.#options;
    if (identifiers.length > 0)
      await this.#queues.start({ identifiers, concurrency, isAhead: true, onJob: (job) => this.#onJob(job) });
    // Of nodes that this process runs for graphs of others.
    const nodeTasks = profile.workers.map(nodeTask);
    const onJob = ({ id }: JobPayload): Promise<void> => this.elsewhere.run(id);
    if (nodeTasks.length > 0)
      await this.#queues.start({ identifiers: nodeTasks, concurrency: nodePlaces, isAhead: false, onJob });
  }

  /** Fetches nothing more. What is held goes on. */
  async drain(): Promise<void> {
    this.#isClosing = true;
    for (const leave of this.#places.values()) leave();
    await this.elsewhere.leave();
    await this.#queues.close();
  }

  /** Gives up what is held, for others, and leaves. */
  async close(): Promise<void> {
    const { id } = this.#membership;
    if (id !== undefined) await this.#leases.giveUpFor(id, false).catch(() => undefined);
    this.#notices.close();
    this.permits.close();
    this.elsewhere.close();
    await this.#membership.close();
    await this.#options.database.close();
  }

  // What the engine asks.

  attach(held: Held): void {
    this.#held = held;
  }

  enter(graphId: string): string | undefined {
    const { id } = this.#membership;
    if (!this.isRunner || this.#isClosing || id === undefined || this.#places.size >= this.#options.concurrency)
      return undefined;
    this.#places.set(graphId, () => undefined);
    return id;
  }

  left(graphId: string): void {
    const leave = this.#places.get(graphId);
    this.#places.delete(graphId);
    leave?.();
  }

  wrote(graphId: string, registrationIds: readonly string[]): void {
    if (this.#membership.others === 0) return;
    this.#notices.add("graphs", graphId);
    for (const id of registrationIds) this.#notices.add("registrations", id);
  }

  /** Registrations or deliveries have changed: told no more than once a second, to those who show them. */
  webhooksChanged(): void {
    if (this.#isTelling || this.#membership.others === 0) return;
    this.#isTelling = true;
    this.#options.clock.schedule(TELL_MS, () => {
      this.#isTelling = false;
      this.#notices.add("changed", "webhooks");
    });
  }

  controlsChanged(): void {
    this.#notices.add("changed", "queues");
  }

  /** Pages of these tags and paths show something else now. */
  invalidated(names: readonly string[]): void {
    if (this.#membership.others === 0) return;
    const isLong = names.some((name) => Buffer.byteLength(name) > LONGEST_NEWS);
    for (const name of isLong ? ALL_PAGES : names) this.#notices.add("invalidated", name);
  }

  reach(graphId: string, wish: Wish, here: (lease: number) => Promise<Snapshot>): Promise<Snapshot> {
    return this.#reach.ask(graphId, wish, here);
  }

  confirms(graphId: string, lease: number): Promise<boolean> {
    return this.#leases.isHeld(graphId, lease, this.#requireId());
  }

  /** Never rejects: whoever wanted something of the graph has it. What can't be given back is found by #takeUpForgotten. */
  async giveBack(graphId: string, lease: number): Promise<void> {
    await patiently(() => this.#leases.giveBack(graphId, lease)).catch((err: unknown) =>
      this.#options.log.warn({ graphId, err }, `The graph ${graphId} could not be given back yet`),
    );
  }

  // What others want.

  #hear(news: News): void {
    const { id } = this.#membership;
    for (const command of news.answered) this.#commands.answered(command);
    if (id !== undefined && news.asked.includes(id)) this.#lookForCommands(id);
    if (id !== undefined && news.called.includes(id)) this.elsewhere.look();
    if (news.changed.includes("queues")) this.#readControls();
    if (news.changed.includes("places") && news.from !== id) this.elsewhere.lookForWants();
    if (news.changed.includes("permits")) this.permits.lookAgain();
    if (news.changed.includes("lost")) this.#doubt();
    // What this process has written itself it knows: those who follow would read it again.
    const isOwn = news.from !== undefined && news.from === id;
    this.#options.onNews(isOwn ? { ...news, graphs: [], registrations: [], invalidated: [] } : news);
  }

  /** A process may have told nobody what it did last. */
  #doubt(): void {
    const { onDoubt, log } = this.#options;
    onDoubt();
    this.#held
      ?.lookAfterChildren()
      .catch((err: unknown) => log.warn({ err }, "Children of graphs could not be looked after; that is done again"));
  }

  #readControls(): void {
    const { log } = this.#options;
    this.#held
      ?.readControls()
      .catch((err: unknown) => log.warn({ err }, "Queues and schedules could not be read again"));
  }

  #lookForCommands(id: string): void {
    const { log } = this.#options;
    this.#commands.look(id).catch((err: unknown) => log.warn({ err }, "Another process could not be answered"));
  }

  // Graphs from the queue.

  async #onJob({ id: graphId, hasCrashed = false, beside }: JobPayload): Promise<void> {
    const held = this.#held;
    if (this.#isClosing || !held) throw new Error("The process is stopping");
    // Asked of the database, whatever this process believes to hold: others may have given it up, and then the job is all there is.
    const number = await this.#takes.take(graphId);
    // Another has it, or it has ended, or waits for somebody; or the job is there twice.
    if (number === undefined || held.holds(graphId) || this.#places.has(graphId)) return;
    const left = new Promise<void>((leave) => this.#places.set(graphId, leave));
    try {
      await held.hold(graphId, number, hasCrashed, beside);
    } catch (error) {
      this.left(graphId);
      // For whoever can read it; where not even that can be said, #takeUpForgotten finds it.
      await this.#leases.giveBack(graphId, number);
      throw error;
    }
    if (!held.holds(graphId)) return this.left(graphId);
    this.#leaveAtRest(graphId);
    await left;
  }

  /**
   * Takes up what this process holds and does not know of: its answer was lost, or could not be read. One that runs nothing gives it back:
   * taken up there, it would never go on.
   * @param before what was so at the last look. @returns what is so now.
   */
  async #takeUpForgotten(id: string, before: ReadonlySet<string>): Promise<Set<string>> {
    const forgotten = new Set<string>();
    for (const { id: graphId, number } of await this.#leases.heldBy(id)) {
      const held = this.#held;
      // Of one that runs nothing there is only what is lent.
      if (held?.isLent(graphId) || (this.isRunner && (held?.holds(graphId) || this.#places.has(graphId)))) continue;
      if (!before.has(graphId)) forgotten.add(graphId);
      else if (this.isRunner) await held?.hold(graphId, number, false);
      else await this.giveBack(graphId, number);
    }
    return forgotten;
  }

  /** What waits, for a time or for somebody, takes no place. */
  #leaveAtRest(graphId: string): void {
    this.#options.clock.schedule(REST_LOOK_MS, () => {
      if (!this.#places.has(graphId)) return;
      if (this.#held?.isAtRest(graphId)) this.left(graphId);
      else this.#leaveAtRest(graphId);
    });
  }

  #requireId(): string {
    const { id } = this.#membership;
    if (id !== undefined) return id;
    throw new SvcError("SVC_STORE", "This process has lost its database, and joins anew");
  }

  #sweepLater(): void {
    const { clock, log } = this.#options;
    clock.schedule(SWEEP_MS, () => {
      if (this.#isClosing) return;
      this.#sweepLater();
      const { id } = this.#membership;
      if (id === undefined) return;
      this.#lookForCommands(id);
      this.#readControls();
      if (++this.#sweeps % DOUBT_SWEEPS === 0) {
        this.#doubt();
        this.#leases.addLostJobs().catch((err: unknown) => log.debug({ err }, "Lost jobs could not be looked for"));
      }
      this.#takeUpForgotten(id, this.#forgotten).then(
        (forgotten) => (this.#forgotten = forgotten),
        (err: unknown) => log.debug({ err }, "What is held could not be looked for"),
      );
      if (this.isRunner)
        this.#leases
          .handOn()
          .catch((err: unknown) => log.debug({ err }, "Graphs of other builds could not be looked for"));
      this.#leases.sweep().catch((err: unknown) => log.debug({ err }, "What others left could not be looked for"));
      this.#commands.sweep().catch((err: unknown) => log.debug({ err }, "What others asked for could not be swept"));
    });
  }
}
