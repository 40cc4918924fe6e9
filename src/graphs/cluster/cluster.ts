/**
 * A process that shares its database with others: joins them, takes graphs as there is room for, has wishes fulfilled where a graph is
 * held, and tells what is new. It puts the parts together; each stands in a file of its own.
 */
import type { Fleet, Held, Wish } from "../engine/cluster-port.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { NodesElsewhere } from "./remote-nodes.ts";
import { nodeTask, type JobPayload } from "./job-names.ts";
import { Commands } from "./run-commands.ts";
import type { OpenedDatabase } from "./database.ts";
import { HeldGraphs } from "./held-runs.ts";
import { JobQueues } from "./job-queues.ts";
import { prepareJobs } from "./jobs.ts";
import { Leases } from "./leases.ts";
import { Membership, type MemberProfile, type ProcessFigures, type ProcessView } from "./membership.ts";
import { CHANNEL, LONGEST_NEWS, newsOf, Notices, readNews, type News } from "./pg-notify.ts";
import { patiently } from "./open-database.ts";
import { SharedPermits } from "./permits.ts";
import { Reach } from "./run-router.ts";
import { Rounds, type Look, type RoundsOptions } from "./sweeper.ts";

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
  readonly #graphs: HeldGraphs;
  readonly #rounds: Rounds;
  readonly #reach: Reach;
  readonly #queues: JobQueues;
  readonly permits: SharedPermits;
  readonly elsewhere: NodesElsewhere;
  #held: Held | undefined;
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
    const { isRunner, concurrency } = options;
    const state = { me, held: () => this.#held, isClosing: () => this.#isClosing };
    this.#graphs = new HeldGraphs({ leases: this.#leases, clock, log, concurrency, isRunner, ...state });
    this.#rounds = new Rounds({ clock, log, me, ...this.#looks() });
    this.#reach = new Reach({
      leases: this.#leases,
      commands: this.#commands,
      clock,
      log,
      identifiers: options.identifiers,
      isTakingUp: (graphId) => this.#graphs.has(graphId),
      ...state,
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
      workers: profile.workers,
      me,
      held: () => this.#held,
      tell: (process) => this.#notices.tell("called", process),
    });
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
    this.#rounds.start();
    if (!this.isRunner) return;
    const { nodePlaces, profile } = this.#options;
    if (identifiers.length > 0)
      await this.#queues.start({ identifiers, concurrency, isAhead: true, onJob: (job) => this.#graphs.onJob(job) });
    // Of nodes that this process runs for graphs of others.
    const nodeTasks = profile.workers.map(nodeTask);
    const onJob = ({ id }: JobPayload): Promise<void> => this.elsewhere.run(id);
    if (nodeTasks.length > 0)
      await this.#queues.start({ identifiers: nodeTasks, concurrency: nodePlaces, isAhead: false, onJob });
  }

  /** Fetches nothing more. What is held goes on. */
  async drain(): Promise<void> {
    this.#isClosing = true;
    this.#rounds.close();
    this.#graphs.leaveAll();
    await this.elsewhere.leave();
    await this.#queues.close();
  }

  /** Gives up what is held, for others, and leaves. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#rounds.close();
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
    return this.#graphs.enter(graphId);
  }

  left(graphId: string): void {
    this.#graphs.left(graphId);
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

  giveBack(graphId: string, lease: number): Promise<void> {
    return this.#graphs.giveBack(graphId, lease);
  }

  // What others want.

  #looks(): Pick<RoundsOptions, "always" | "seldom"> {
    const handOn: Look = () => this.#leases.handOn();
    const always: Look[] = [
      (me) => this.#lookForCommands(me),
      () => this.#readControls(),
      (me) => this.#graphs.lookForForgotten(me),
      () => this.#leases.sweep(),
      () => this.#commands.sweep(),
    ];
    return {
      always: this.isRunner ? [...always, handOn] : always,
      seldom: [() => this.#doubt(), () => this.#leases.addLostJobs()],
    };
  }

  #hear(news: News): void {
    const { id } = this.#membership;
    for (const command of news.answered) this.#commands.answered(command);
    if (id !== undefined && news.asked.includes(id)) this.#lookForCommands(id);
    if (id !== undefined && news.called.includes(id)) this.elsewhere.look();
    if (news.changed.includes("queues")) this.#readControls();
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

  #requireId(): string {
    const { id } = this.#membership;
    if (id !== undefined) return id;
    throw new SvcError("SVC_STORE", "This process has lost its database, and joins anew");
  }
}
