/**
 * This process among those that share the database: it joins, tells every second that it is there, and looks after the others.
 * What is to be thought of whom is decided in lease.ts.
 *
 * Its session is a connection of its own, which holds its advisory lock. When that ends - the server was restarted, the network
 * was cut, another process has ended it - all that this process held is no longer its own: it drops it and joins anew.
 */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ClusterDatabase, Session } from "./database.ts";
import { standingOf } from "./lease.ts";
import { clusterTables, LOCK_CLASS } from "./schema.ts";

/** As often a process tells that it is there and looks for those that are not: what is left of two seconds is for taking over. */
const BEAT_MS = 1000;
/** Longer than a pause of the garbage collector or a snapshot of the machine; a process that was killed is found at once. */
const PATIENCE_MS = 10_000;
/** Between attempts to join, while the database is away. */
const REJOIN_MS = 250;

export interface MemberProfile {
  /** `web`, `worker` or `all`. */
  role: string;
  /** Names of the workers whose nodes it runs. */
  workers: readonly string[];
  /** What jobs are called for graphs of the very definitions that it has. */
  definitions: readonly string[];
  /** As its operators know it. */
  build: string;
  /** Tells its code from other code. */
  code: string;
  /** Under which deliveries are claimed for it in the store. */
  claimant: string | undefined;
}

/** How a process is doing. */
export interface ProcessFigures {
  /** Milliseconds that things wait for their turn at the event loop, all but one in a hundred, over the last minute; null before it is known. */
  loop_p99_ms: number | null;
  /** Resident memory; null before it is known. */
  memory_bytes: number | null;
}

/** A row of the list of processes. */
export interface ProcessView extends ProcessFigures {
  /** Another after each start, and after each loss of the database. */
  id: string;
  /** Name of the machine, and the process's id there: `box-3/4711`. */
  host: string;
  /** `web`, `worker` or `all`. */
  role: string;
  workers: string[];
  /**
   * As `svc build` told it. Of an app that was never built: of several processes on a database what tells their code apart, of one
   * alone the version of `svc`.
   */
  build: string;
  started_ms: number;
  /** How long ago it was heard of, by the clock of the database. */
  silent_ms: number;
}

export interface MembershipOptions {
  database: ClusterDatabase;
  profile: MemberProfile;
  clock: Clock;
  log: Log;
  /** A session has begun: what it is to listen to. */
  onSession?: (session: Session) => Promise<void>;
  /** Joined, under this id. Awaited before anything else is looked for. */
  onJoin: (id: string) => Promise<void> | void;
  /** What was held under that id is another's to take. Called before it joins anew. */
  onLoss: (id: string) => void;
  /** A process is dead: what it held is to be given up, in one transaction with its row. */
  giveUp: (id: string) => Promise<void>;
  /** Some process has come or gone. */
  onOthers?: () => void;
  /** Told with each sign of life. Default: nothing is known. */
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
  #others = 0;
  /** Ids of all that were there at the last look. */
  #listed = "";
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  /** Undefined while it belongs to no one: then it may take nothing. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Other processes that were there at the last look. */
  get others(): number {
    return this.#others;
  }

  /** Resolves when it has joined. @throws what the database says */
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
      // Whoever has closed it meanwhile did not know of this row.
      if (this.#isClosed) await session.query(`delete from ${schema}.processes where id = $1`, [id]);
      this.#requireOpen();
      await session.query(`select pg_advisory_unlock(${LOCK_CLASS}, 0)`);
      this.#session = session;
      this.#id = id;
      isListed = true;
      await onJoin(id);
      await this.look();
    } catch (error) {
      // Its end was told already, and it joins anew: whoever tried again would join a second time.
      if (isListed && this.#session !== session) return;
      this.#session = undefined;
      this.#id = undefined;
      session.end();
      throw error;
    }
    this.#arm();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error("The process has left, and joins no more");
  }

  /** Tells that it is there, and gives up for others what they can't. */
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
    // Somebody has found this one dead.
    if (!rows.some((row) => row.id === id)) return this.#lost(session, new Error("It was given up by another process"));
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
    if (standing === "frozen") {
      log.warn({ process: id, silentMs: Math.round(silent_ms) }, `The process ${id} is frozen. Its session is ended.`);
      // The lock is let go of as the session ends; the next look finds it dead.
      await session.query("select pg_terminate_backend($1)", [backend_pid]);
      return;
    }
    log.warn({ process: id }, `The process ${id} is gone. What it held is given up.`);
    await giveUp(id);
  }

  /** All processes that are listed. */
  async list(): Promise<ProcessView[]> {
    const { query, schema } = this.#options.database;
    const { rows } = await query<ProcessView>(
      `select id, host, role, workers, coalesce(told_build, build) as build, loop_p99_ms, memory_bytes, (extract(epoch from started_at) * 1000)::float8 as started_ms,
         (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as silent_ms
       from ${schema}.processes order by started_at, id`,
    );
    return rows;
  }

  /** Leaves: what it held is to be given up before. */
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

  #arm(): void {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(BEAT_MS, () => {
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
    this.#session = undefined;
    this.#id = undefined;
    this.#timer?.cancel();
    const { log, onLoss } = this.#options;
    log.warn({ process: id, err: error }, "The session with the database was lost. What this process held is dropped.");
    onLoss(id);
    this.#joinAgain();
  }

  #joinAgain(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(REJOIN_MS, () => {
      this.join().catch((error: unknown) => {
        this.#options.log.debug({ err: error }, "The database can't be joined. It is tried again.");
        this.#joinAgain();
      });
    });
  }
}
