/**
 * A process that shares its database with others: joins them, takes runs as it has capacity, routes commands to the process that holds a
 * run, and announces changes. Composes the parts of this folder.
 */
import type { ClusterPort, LeasedRun, RunCommand, Unfit } from "../engine/cluster-port.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import type { PayloadKey } from "../../storage/encryption/payload-keys.ts";
import { ClusterRemoteNodes } from "./remote-nodes.ts";
import { nodeTask, type JobPayload } from "./job-names.ts";
import { Commands } from "./run-commands.ts";
import type { OpenedDatabase } from "./database.ts";
import { LeasedRuns } from "./leased-runs.ts";
import { JobQueues } from "./job-queues.ts";
import { prepareJobs } from "./jobs.ts";
import { Leases } from "./leases.ts";
import { Membership, type MemberProfile, type ProcessFigures, type ProcessView } from "./membership.ts";
import {
  CHANNEL,
  MAX_NOTIFICATION,
  notificationOf,
  Notices,
  readNotification,
  type Notification,
} from "./pg-notify.ts";
import { patiently } from "./open-database.ts";
import { SharedPermits } from "./permits.ts";
import { Reach } from "./run-router.ts";
import { Rounds, type Sweep, type RoundsOptions } from "./sweeper.ts";

/** Time between two announcements of webhook changes, however many deliveries end. */
const NOTIFY_MS = 1000;

/** Argument of `invalidate`. */
const ALL_PAGES = ["/*"];

export interface ClusterOptions {
  database: OpenedDatabase;
  profile: MemberProfile;
  /** Whether nodes run in this process. */
  isRunner: boolean;
  /** Task identifiers of the runs that this process can execute. */
  identifiers: readonly string[];
  /** Limit of active runs in this process, without those that wait. */
  concurrency: number;
  /** Limit of concurrent nodes for runs of other processes. */
  remoteSlots: number;
  clock: Clock;
  log: Log;
  /** Called with changes of other processes. */
  onNotification: (notification: Notification) => void;
  /** Other processes may have changed data without an announcement: everything must be read again. */
  onDoubt: () => void;
  /** A process has joined or left. */
  onProcesses: () => void;
  /** Load of this process. Default: unknown. */
  figures?: () => ProcessFigures;
  patienceMs?: number;
  /** Keys of the inputs and results in messages between processes. Default: none. */
  payloadKeys?: readonly PayloadKey[];
}

export class Cluster implements ClusterPort {
  readonly #options: ClusterOptions;
  readonly #leases: Leases;
  readonly #membership: Membership;
  readonly #notices: Notices;
  readonly #commands: Commands;
  readonly #graphs: LeasedRuns;
  readonly #rounds: Rounds;
  readonly #reach: Reach;
  readonly #queues: JobQueues;
  readonly permits: SharedPermits;
  readonly remoteNodes: ClusterRemoteNodes;
  #held: LeasedRun | undefined;
  #hasJoined = false;
  #isClosing = false;
  #isNotifying = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const { database, profile, clock, log, payloadKeys = [] } = options;
    const cipher = new PayloadCipher(payloadKeys);
    this.#leases = new Leases(database);
    const send = async (payload: string): Promise<void> => {
      if (this.#membership.others > 0) await database.query("select pg_notify($1, $2)", [CHANNEL, payload]);
    };
    this.#notices = new Notices(clock, send, () => this.#membership.id);
    this.#commands = new Commands({
      database,
      cipher,
      clock,
      notices: this.#notices,
      execute: (graphId, wanted) => this.#reach.execute(graphId, wanted),
    });
    const me = (): string | undefined => this.#membership.id;
    const { isRunner, concurrency } = options;
    const others = (): number => this.#membership.others;
    const state = { me, held: () => this.#held, isClosing: () => this.#isClosing };
    this.#graphs = new LeasedRuns({ leases: this.#leases, clock, log, concurrency, others, isRunner, ...state });
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
    this.remoteNodes = new ClusterRemoteNodes({
      database,
      cipher,
      clock,
      log,
      workers: profile.workers,
      me,
      held: () => this.#held,
      notify: (process) => this.#notices.notify("called", process),
    });
    this.#membership = new Membership({
      database,
      profile,
      clock,
      log,
      onSession: async (session) => {
        session.onNotice((_channel, payload) => this.#hear(readNotification(payload)));
        await session.query(`listen ${CHANNEL}`);
      },
      onJoin: async (id) => {
        await this.#queues.list(id);
        // Nothing was received before.
        options.onDoubt();
        if (this.#hasJoined) options.onNotification(notificationOf({ invalidated: ALL_PAGES }));
        this.#hasJoined = true;
      },
      onLoss: () => {
        this.#held?.dropAll();
        this.remoteNodes.dropAll();
      },
      onReturn: async (id) => void (await this.#leases.giveUpFor(id, false)),
      giveUp: async (id) => {
        await this.#leases.giveUpFor(id);
        this.#doubt();
        this.#notices.notify("changed", "lost");
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

  /** Joins the cluster and takes runs. The store's tables exist already. */
  async start(): Promise<void> {
    const { database, log, identifiers, concurrency } = this.#options;
    // The database may be briefly unavailable, now or later.
    await patiently(() => prepareJobs(database.pool, log));
    await patiently(() => this.#membership.join());
    this.#rounds.start();
    if (!this.isRunner) return;
    const { remoteSlots, profile } = this.#options;
    await patiently(() => this.#leases.unpark(identifiers, true));
    if (identifiers.length > 0)
      await this.#queues.start({ identifiers, concurrency, isAhead: true, onJob: (job) => this.#graphs.onJob(job) });
    // Nodes that this process runs for other processes.
    const nodeTasks = profile.workers.map(nodeTask);
    const onJob = ({ id }: JobPayload): Promise<void> => this.remoteNodes.run(id);
    if (nodeTasks.length > 0)
      await this.#queues.start({ identifiers: nodeTasks, concurrency: remoteSlots, isAhead: false, onJob });
  }

  /** Takes no more jobs. Held runs continue. */
  async drain(): Promise<void> {
    this.#isClosing = true;
    this.#rounds.close();
    this.#graphs.leaveAll();
    await this.remoteNodes.leave();
    await this.#queues.close();
  }

  /** Releases its leases and leaves the cluster. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#rounds.close();
    const { id } = this.#membership;
    if (id !== undefined) await this.#leases.giveUpFor(id, false).catch(() => undefined);
    this.#notices.close();
    this.permits.close();
    this.remoteNodes.close();
    await this.#membership.close();
    await this.#options.database.close();
  }

  // Called by the engine.

  attach(held: LeasedRun): void {
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

  /** Announces changed registrations or deliveries, at most once a second. */
  webhooksChanged(): void {
    if (this.#isNotifying || this.#membership.others === 0) return;
    this.#isNotifying = true;
    this.#options.clock.schedule(NOTIFY_MS, () => {
      this.#isNotifying = false;
      this.#notices.add("changed", "webhooks");
    });
  }

  controlsChanged(): void {
    this.#notices.add("changed", "queues");
  }

  /** Announces that pages with these tags and paths have changed. */
  invalidated(names: readonly string[]): void {
    if (this.#membership.others === 0) return;
    const isLong = names.some((name) => Buffer.byteLength(name) > MAX_NOTIFICATION);
    for (const name of isLong ? ALL_PAGES : names) this.#notices.add("invalidated", name);
  }

  reach(graphId: string, wanted: RunCommand, here: (lease: number) => Promise<Snapshot>): Promise<Snapshot> {
    return this.#reach.ask(graphId, wanted, here);
  }

  confirms(graphId: string, lease: number): Promise<boolean> {
    return this.#leases.isHeld(graphId, lease, this.#requireId());
  }

  giveBack(graphId: string, lease: number, unfit?: Unfit): Promise<void> {
    return this.#graphs.giveBack(graphId, lease, unfit);
  }

  // Notifications of other processes.

  #looks(): Pick<RoundsOptions, "always" | "seldom"> {
    const handOn: Sweep = () => this.#leases.handOn();
    const unpark: Sweep = () => this.#leases.unpark(this.#options.identifiers, false);
    const always: Sweep[] = [
      (me) => this.#lookForCommands(me),
      () => this.#readControls(),
      (me) => this.#graphs.lookForForgotten(me),
      () => this.#leases.sweep(),
      () => this.#commands.sweep(),
    ];
    return {
      always: this.isRunner ? [...always, handOn] : always,
      seldom: [() => this.#doubt(), () => this.#leases.addLostJobs(), unpark],
    };
  }

  #hear(notification: Notification): void {
    const { id } = this.#membership;
    for (const command of notification.answered) this.#commands.answered(command);
    if (id !== undefined && notification.asked.includes(id)) this.#lookForCommands(id);
    if (id !== undefined && notification.called.includes(id)) this.remoteNodes.look();
    if (notification.changed.includes("queues")) this.#readControls();
    if (notification.changed.includes("permits")) this.permits.lookAgain();
    if (notification.changed.includes("lost")) this.#doubt();
    // This process knows its own changes. Its followers would read them twice.
    const isOwn = notification.from !== undefined && notification.from === id;
    this.#options.onNotification(
      isOwn ? { ...notification, graphs: [], registrations: [], invalidated: [] } : notification,
    );
  }

  /** A process may not have announced its last changes. */
  #doubt(): void {
    const { onDoubt, log } = this.#options;
    onDoubt();
    this.#held
      ?.lookAfterChildren()
      .catch((err: unknown) =>
        log.warn({ err }, "The children of runs of a dead process could not be checked. It is tried again."),
      );
  }

  #readControls(): void {
    const { log } = this.#options;
    this.#held
      ?.readControls()
      .catch((err: unknown) => log.warn({ err }, "Changed queues and schedules could not be read"));
  }

  #lookForCommands(id: string): void {
    const { log } = this.#options;
    this.#commands
      .look(id)
      .catch((err: unknown) => log.warn({ err }, "A command of another process could not be answered"));
  }

  #requireId(): string {
    const { id } = this.#membership;
    if (id !== undefined) return id;
    throw new SvcError("SVC_STORE", "This process has lost its database and is joining again");
  }
}
