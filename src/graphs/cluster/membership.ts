/**
 * This process in the cluster: it joins, records every second that it is alive, and watches the others. lease.ts decides about their
 * state.
 * Its session is a connection of its own that holds its advisory lock. When that ends - the server was restarted, the network was cut,
 * another process ended it - this process has lost all its leases: it drops its runs and joins again.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ClusterDatabase, Session } from "./database.ts";
import { standingOf } from "./lease.ts";
import { clusterTables, LOCK_CLASS } from "./schema.ts";

/** Interval for the sign of life and for looking for dead processes. The rest of two seconds is for taking over. */
const BEAT_MS = 1000;
/** Longer than a pause of the garbage collector or a machine snapshot. A killed process is found at once. */
const PATIENCE_MS = 10_000;
/**
 * Time since the last sign of life of a process without a session. A process that has only lost its session is back by then and releases its
 * leases itself, which counts as no crash.
 */
const RETURN_MS = 1500;
/** Pause between attempts to join while the database is unavailable. */
const REJOIN_MS = 250;

export interface MemberProfile {
  /** `web`, `worker` or `all`. */
  role: string;
  /** Names of the workers whose nodes it runs. */
  workers: readonly string[];
  /** Task identifiers of its definitions. */
  definitions: readonly string[];
  /** Build id for operators. */
  build: string;
  /** Distinguishes different code. */
  code: string;
  /** Name under which deliveries are claimed in the store. */
  claimant: string | undefined;
}

/** Load of a process. */
export interface ProcessFigures {
  /** Event-loop lag p99 over the last minute in milliseconds; null if unknown. */
  loop_p99_ms: number | null;
  /** Resident memory; null if unknown. */
  memory_bytes: number | null;
}

/** A row of the list of processes. */
export interface ProcessView extends ProcessFigures {
  /** Different after each start, and after each loss of the database. */
  id: string;
  /** Host name and process id: `box-3/4711`. */
  host: string;
  /** `web`, `worker` or `all`. */
  role: string;
  workers: string[];
  /** Build id of `svc build`. For an app that was not built: in a cluster an id of its code, in a single process the version of svc. */
  build: string;
  started_ms: number;
  /** Time since its last sign of life, by the clock of the database. */
  silent_ms: number;
}

export interface MembershipOptions {
  database: ClusterDatabase;
  profile: MemberProfile;
  clock: Clock;
  log: Log;
  /** A session has started: subscribe to its notifications. */
  onSession?: (session: Session) => Promise<void>;
  /** Joined under this id. Awaited before anything else. */
  onJoin: (id: string) => Promise<void> | void;
  /** The leases under this id are lost. Called before joining again. */
  onLoss: (id: string) => void;
  /** This process has lost its session and is back: releases what it held under this id, which did not crash. */
  onReturn?: (id: string) => Promise<void>;
  /** A process is dead: releases its leases in one transaction with its row. */
  giveUp: (id: string) => Promise<void>;
  /** A process has joined or left. */
  onOthers?: () => void;
  /** Sent with each sign of life. Default: unknown. */
  figures?: () => ProcessFigures;
  patienceMs?: number;
}

interface Row {
  id: string;
  backend_pid: number;
  silent_ms: number;
  has_lock: boolean;
}

export class Membership {
  readonly #options: MembershipOptions;
  readonly #patienceMs: number;
  #session: Session | undefined;
  #id: string | undefined;
  /** Its last id, if its session was lost. */
  #lostId: string | undefined;
  #others = 0;
  /** Ids of all processes at the last check. */
  #listed = "";
  #timer: Timer | undefined;
  /** Time until the next look. */
  #nextMs = BEAT_MS;
  #isClosed = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /** Undefined while it is not a member: it may take nothing then. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Number of other processes at the last check. */
  get others(): number {
    return this.#others;
  }

  /** Resolves when it has joined. @throws errors of the database */
  async join(): Promise<void> {
    const { database, profile, onJoin } = this.#options;
    const { schema } = database;
    const session = await database.session((error) => this.#lost(session, error));
    let isListed = false;
    try {
      await this.#options.onSession?.(session);
      await session.query(`select pg_advisory_lock(${LOCK_CLASS}, 0)`);
      await session.query(clusterTables(schema));
      this.#requireOpen();
      await this.#return();
      const id = `p_${randomBytes(8).toString("hex")}`;
      const { rows } = await session.query<{ number: number }>(
        `insert into ${schema}.processes (id, number, backend_pid, host, role, workers, definitions, build, claimant, told_build)
         select $1, n, pg_backend_pid(), $2, $3, $4, $5, $6, $7, $8
         from (select nextval('${schema}.process_numbers')::int as n) number, pg_advisory_lock(${LOCK_CLASS}, n)
         returning number`,
        [
          id,
          `${hostname()}/${process.pid}`,
          profile.role,
          profile.workers,
          profile.definitions,
          profile.code,
          profile.claimant ?? null,
          profile.build,
        ],
      );
      if (rows.length === 0) throw new Error("The process was not listed");
      // `close` did not know of this row.
      if (this.#isClosed) await session.query(`delete from ${schema}.processes where id = $1`, [id]);
      this.#requireOpen();
      await session.query(`select pg_advisory_unlock(${LOCK_CLASS}, 0)`);
      this.#session = session;
      this.#id = id;
      isListed = true;
      await onJoin(id);
      await this.look();
    } catch (error) {
      // The end of the session was handled already, and it joins again: a retry would join twice.
      if (isListed && this.#session !== session) return;
      if (isListed) {
        this.#lostId = this.#id;
        this.#options.onLoss(this.#id as string);
      }
      this.#session = undefined;
      this.#id = undefined;
      session.end();
      throw error;
    }
    this.#arm();
  }

  /** Before it is listed again, and in most cases before another process finds the session gone: that would count as a crash. */
  async #return(): Promise<void> {
    if (this.#lostId === undefined) return;
    await this.#options.onReturn?.(this.#lostId);
    this.#lostId = undefined;
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error("The process has left the cluster");
  }

  /** Records a sign of life, and releases leases of dead processes. */
  async look(): Promise<void> {
    const session = this.#session;
    const id = this.#id;
    if (!session || id === undefined) return;
    const { schema } = this.#options.database;
    const figures = this.#options.figures?.();
    const { rows } = await session.query<Row>(
      `with beat as (update ${schema}.processes set seen_at = clock_timestamp(), loop_p99_ms = $2, memory_bytes = $3 where id = $1)
       select id, backend_pid, (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as silent_ms,
         exists (select from pg_locks where locktype = 'advisory' and classid = ${LOCK_CLASS} and objid = number::oid
           and objsubid = 2 and granted and database = (select oid from pg_database where datname = current_database())) as has_lock
       from ${schema}.processes`,
      [id, figures?.loop_p99_ms ?? null, figures?.memory_bytes ?? null],
    );
    // Another process has found this one dead.
    if (!rows.some((row) => row.id === id)) return this.#lost(session, new Error("Another process declared it dead"));
    this.#others = rows.length - 1;
    this.#noteListed(rows);
    for (const row of rows) if (row.id !== id) await this.#lookAfter(row, session);
  }

  #noteListed(rows: readonly Row[]): void {
    const listed = rows
      .map((row) => row.id)
      .sort()
      .join();
    if (this.#listed !== "" && listed !== this.#listed) this.#options.onOthers?.();
    this.#listed = listed;
  }

  async #lookAfter({ id, backend_pid, silent_ms, has_lock }: Row, session: Session): Promise<void> {
    const { log, giveUp } = this.#options;
    const standing = standingOf({ hasLock: has_lock, silentMs: silent_ms }, this.#patienceMs);
    if (standing === "alive") return;
    if (standing === "dead" && silent_ms < RETURN_MS) return this.#lookIn(RETURN_MS - silent_ms);
    if (standing === "frozen") {
      log.warn(
        { process: id, silentMs: Math.round(silent_ms) },
        `The process ${id} is frozen. Its database session is terminated.`,
      );
      // The lock is released with the session. The next check finds the process dead.
      await session.query("select pg_terminate_backend($1)", [backend_pid]);
      return;
    }
    log.warn({ process: id }, `The process ${id} is gone. Its leases are released.`);
    await giveUp(id);
  }

  /** All listed processes. */
  async list(): Promise<ProcessView[]> {
    const { query, schema } = this.#options.database;
    const { rows } = await query<ProcessView>(
      `select id, host, role, workers, coalesce(told_build, build) as build, loop_p99_ms, memory_bytes, (extract(epoch from started_at) * 1000)::float8 as started_ms,
         (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as silent_ms
       from ${schema}.processes order by started_at, id`,
    );
    return rows;
  }

  /** Leaves. Its leases must be given up before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const session = this.#session;
    const id = this.#id;
    this.#session = undefined;
    this.#id = undefined;
    if (!session) return;
    const { schema } = this.#options.database;
    await session.query(`delete from ${schema}.processes where id = $1`, [id]).catch(() => undefined);
    session.end();
  }

  /** The next look is in this time, if that is before the next beat. */
  #lookIn(ms: number): void {
    this.#nextMs = Math.min(this.#nextMs, ms);
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    const delayMs = this.#nextMs;
    this.#nextMs = BEAT_MS;
    this.#timer = this.#options.clock.schedule(delayMs, () => {
      const session = this.#session;
      const late = this.#options.clock.schedule(this.#patienceMs, () => {
        if (session) this.#lost(session, new Error("The database does not answer"));
      });
      this.look()
        .catch((error: unknown) => {
          if (session) this.#lost(session, error);
        })
        .finally(() => {
          late.cancel();
          if (this.#session) this.#arm();
        });
    });
  }

  #lost(session: Session | undefined, error: unknown): void {
    session?.end();
    if (!session || this.#session !== session || this.#isClosed) return;
    const id = this.#id as string;
    this.#lostId = id;
    this.#session = undefined;
    this.#id = undefined;
    this.#timer?.cancel();
    const { log, onLoss } = this.#options;
    log.warn({ process: id, err: error }, "The session with the database was lost. This process drops its leases.");
    onLoss(id);
    this.#joinAgain();
  }

  #joinAgain(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(REJOIN_MS, () => {
      this.join().catch((error: unknown) => {
        this.#options.log.debug({ err: error }, "Joining the cluster failed. It is tried again.");
        this.#joinAgain();
      });
    });
  }
}
