/**
 * Attempts of nodes whose worker runs in another process: a row for each, which is its holder's and goes with it, a job that leads
 * some process with the worker to it, and rows of messages both ways. Told by a notification, and looked for every second while there
 * are any. What is said for an attempt that is over, or by a process that was given up, is not written.
 */
import { randomBytes } from "node:crypto";
import {
  Unfinished,
  type CallEnd,
  type CallListener,
  type Channel,
  type Elsewhere,
  type NodeOrder,
  type Performance,
} from "../graph/running/elsewhere.ts";
import type { FromThread, ToThread } from "../graph/running/thread-messages.ts";
import type { Clock, Timer } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type { ClusterDatabase } from "./database.ts";
import { decode, encode } from "../graph/running/call-messages.ts";
import { nodeTask } from "./task.ts";

/** Between looks for what no notification told, and for those that are gone. */
const LOOK_MS = 1000;

/** @param schema quoted already */
export function callTables(schema: string): string {
  return `
    create unlogged table if not exists ${schema}.node_calls (
      id text primary key,
      graph_id text not null,
      holder text not null references ${schema}.processes (id) on delete cascade,
      runner text,
      body json not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create index if not exists node_calls_holder on ${schema}.node_calls (holder);
    create unlogged table if not exists ${schema}.node_messages (
      call text not null references ${schema}.node_calls (id) on delete cascade,
      to_runner boolean not null,
      n int not null,
      process text not null,
      body json not null,
      primary key (call, to_runner, n)
    );
    create index if not exists node_messages_process on ${schema}.node_messages (process);
  `;
}

type Said = FromThread | Exclude<ToThread, { type: "run" }>;

/** One end of a call. */
interface End {
  id: string;
  isRunner: boolean;
  /** Yet to be written. */
  out: string[];
  /** Numbers of the next message each way. */
  nextOut: number;
  nextIn: number;
  isSending: boolean;
  /** Whether the call is written: nothing can be looked for before. */
  isOpen: boolean;
  hear: (message: Said) => void;
  lost: (error: Error) => void;
}

export interface CallsOptions {
  database: ClusterDatabase;
  clock: Clock;
  log: Log;
  /** Names of those whose nodes run in this process. */
  workers: ReadonlySet<string>;
  /** This process as the others know it; undefined while they don't. */
  me: () => string | undefined;
  /** There are messages for a process. */
  tell: (process: string) => void;
  /** Runs a worker. @returns undefined where it is not known here. */
  perform: (order: NodeOrder, channel: Channel) => Promise<Performance | undefined>;
}

export class Calls implements Elsewhere {
  readonly #options: CallsOptions;
  readonly #ends = new Map<string, End>();
  #timer: Timer | undefined;
  #isLooking = false;
  #isWoken = false;
  #isClosed = false;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  runsHere(worker: string): boolean {
    return this.#options.workers.has(worker);
  }

  /** Has some process run it. */
  call(order: NodeOrder, { hear, lost }: CallListener): CallEnd {
    const end = this.#end(`n_${randomBytes(9).toString("hex")}`, false, (message) => hear(message as FromThread), lost);
    this.#open(end, order).catch((error: unknown) => this.#lose(end, error as Error));
    return {
      say: (message) => this.#say(end, message),
      end: () => {
        this.#forget(end);
        this.#remove(end.id);
      },
    };
  }

  async #open(end: End, { context, ...order }: NodeOrder): Promise<void> {
    const { database, me } = this.#options;
    const { query, schema } = database;
    const holder = me();
    if (holder === undefined) throw new Unfinished(false);
    const { rows } = await query(
      `with call as (
         insert into ${schema}.node_calls (id, graph_id, holder, body)
         select $1, $2, $3, $4::json from ${schema}.graph where id = $2 and holder = $3
         on conflict (id) do update set id = excluded.id returning id)
       select graphile_worker.add_job($5, json_build_object('id', id), job_key => id, max_attempts => 1000) from call`,
      [end.id, context.graphId, holder, encode({ context, ...order }), nodeTask(order.worker)],
    );
    // Another has the graph by now, and runs the node itself.
    if (rows.length === 0) throw new Unfinished(false);
    end.isOpen = true;
    if (!this.#ends.has(end.id)) this.#remove(end.id);
  }

  /** A job: runs the worker, and resolves when it has ended, or waits: others may be fetched then. */
  async run(id: string): Promise<void> {
    const { database, me, perform } = this.#options;
    const { query, schema } = database;
    const runner = me();
    if (runner === undefined || this.#isClosed)
      throw new Error("This process is not listed: another is to have the job");
    const { rows } = await query<{ body: string | null; is_free: boolean }>(
      `with mine as (
         update ${schema}.node_calls set runner = $2 where id = $1 and (runner is null or runner = $2)
           and exists (select from ${schema}.processes where id = $2) returning body)
       select (select body::text from mine) as body, exists (select from ${schema}.node_calls where id = $1 and runner is null) as is_free`,
      [id, runner],
    );
    const { body, is_free } = rows[0] as { body: string | null; is_free: boolean };
    if (body === null && is_free) throw new Error("This process was given up: another is to have the job");
    // It is over, or another runs it.
    if (body === null || this.#ends.has(id)) return;
    const abort = new AbortController();
    let performance: Performance | undefined;
    const end = this.#end(
      id,
      true,
      (message) => performance?.hear(message as Exclude<ToThread, { type: "run" }>),
      (error) => abort.abort(error),
    );
    end.isOpen = true;
    const aborted = new Promise<void>((resolve) => abort.signal.addEventListener("abort", () => resolve()));
    performance = await perform(decode(body) as NodeOrder, {
      say: (message) => this.#say(end, message),
      signal: abort.signal,
    });
    const over = this.#over(end, performance, aborted);
    await Promise.race([over, ...(performance ? [performance.freed] : [])]);
  }

  /** One that ignores its signal is not waited for: nothing that it says is written. */
  async #over(end: End, performance: Performance | undefined, aborted: Promise<void>): Promise<void> {
    if (performance) await Promise.race([performance.ended, aborted]);
    await this.#sent(end);
    this.#forget(end);
  }

  /** There may be messages for this process. */
  look(): void {
    if (this.#ends.size === 0 || this.#isClosed) return;
    this.#isWoken = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#readWhileWoken()
      .catch((err: unknown) => this.#options.log.debug({ err }, "Messages of nodes could not be read yet"))
      .finally(() => (this.#isLooking = false));
  }

  /** What this process runs for others is left off, and runs again elsewhere; nothing more is taken. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const error = { name: "Unfinished", message: "", isFinal: false, retryAfter: undefined };
    const left = [...this.#ends.values()].filter(({ isRunner }) => isRunner);
    for (const end of left) {
      this.#say(end, { type: "ended", settlement: { error } });
      end.lost(new Unfinished(false));
    }
    await Promise.all(left.map((end) => this.#sent(end)));
  }

  /** Nothing of what was under way is this process's any more. */
  dropAll(): void {
    for (const end of this.#ends.values()) this.#lose(end, new Unfinished(false));
  }

  #end(id: string, isRunner: boolean, hear: End["hear"], lost: End["lost"]): End {
    const end: End = { id, isRunner, out: [], nextOut: 0, nextIn: 0, isSending: false, isOpen: false, hear, lost };
    this.#ends.set(id, end);
    this.#lookLater();
    return end;
  }

  #forget(end: End): void {
    if (this.#ends.get(end.id) === end) this.#ends.delete(end.id);
  }

  #lose(end: End, error: Error): void {
    if (this.#ends.get(end.id) !== end) return;
    this.#forget(end);
    end.lost(error);
  }

  #remove(id: string): void {
    const { database, log } = this.#options;
    database
      .query(
        `with gone as (delete from ${database.schema}.node_calls where id = $1 returning id)
         select graphile_worker.remove_job(id) from gone`,
        [id],
      )
      .catch((err: unknown) => log.debug({ err }, "A call could not be removed; it goes with its process"));
  }

  #say(end: End, message: Said): void {
    if (this.#ends.get(end.id) !== end) return;
    // Throws for what JSON can't hold, before it is counted.
    end.out.push(encode(message));
    if (!end.isSending) void this.#send(end);
  }

  /** In their order, one statement at a time. */
  async #send(end: End): Promise<void> {
    end.isSending = true;
    while (end.out.length > 0 && this.#ends.get(end.id) === end) {
      const bodies = end.out.slice();
      try {
        const process = await this.#write(end, bodies);
        end.out.splice(0, bodies.length);
        end.nextOut += bodies.length;
        if (process === undefined) this.#lose(end, new Unfinished(false));
        else this.#options.tell(process);
      } catch (err) {
        // Whoever leaves waits for no database that is away: its leaving is found by others then.
        if (this.#isClosed) break;
        this.#options.log.debug({ err }, "A message could not be written; it is tried again");
        await new Promise<void>((again) => this.#options.clock.schedule(LOOK_MS, again));
      }
    }
    end.isSending = false;
  }

  /** Resolves when all that was said is written, or nobody wants it. */
  async #sent(end: End): Promise<void> {
    while (end.isSending) await new Promise<void>((again) => this.#options.clock.schedule(10, again));
  }

  /** @returns whom it is for; undefined: the call is over, or this process has no part in it any more. */
  async #write(end: End, bodies: readonly string[]): Promise<string | undefined> {
    const { query, schema } = this.#options.database;
    const messages = bodies.map((body, at) => ({ n: end.nextOut + at, body }));
    const [from, to] = end.isRunner ? ["runner", "holder"] : ["holder", "runner"];
    const { rows } = await query<{ process: string }>(
      `with there as (select id, ${to} as process from ${schema}.node_calls where id = $1 and ${from} = $3 for key share),
         put as (insert into ${schema}.node_messages (call, to_runner, n, process, body)
           select $1, $2, m.n, there.process, m.body::json from there, json_to_recordset($4::json) as m(n int, body text)
           on conflict do nothing)
       select process from there`,
      [end.id, !end.isRunner, this.#options.me() ?? "", JSON.stringify(messages)],
    );
    return rows[0]?.process;
  }

  async #readWhileWoken(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const { database, me } = this.#options;
    const { query, schema } = database;
    const { rows } = await query<{ call: string; to_runner: boolean; n: number; body: string }>(
      `select call, to_runner, n, body::text from ${schema}.node_messages where process = $1 order by call, n`,
      [me() ?? ""],
    );
    if (rows.length === 0) return;
    for (const { call, n, body } of rows) {
      const end = this.#ends.get(call);
      if (!end || n !== end.nextIn) continue;
      end.nextIn++;
      end.hear(decode(body) as Said);
    }
    const read = rows.map(({ call, to_runner, n }) => ({ call, to_runner, n }));
    await query(
      `delete from ${schema}.node_messages m using json_to_recordset($1::json) as r(call text, to_runner boolean, n int)
       where m.call = r.call and m.to_runner = r.to_runner and m.n = r.n`,
      [JSON.stringify(read)],
    );
  }

  #lookLater(): void {
    if (this.#timer || this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(LOOK_MS, () => {
      this.#timer = undefined;
      if (this.#ends.size === 0) return;
      this.look();
      this.#findGone().catch((err: unknown) => this.#options.log.debug({ err }, "Calls could not be looked after"));
      this.#lookLater();
    });
  }

  async #findGone(): Promise<void> {
    const { query, schema } = this.#options.database;
    const open = [...this.#ends.values()].filter(({ isOpen }) => isOpen);
    const { rows } = await query<{ id: string; is_gone: boolean; is_lost: boolean }>(
      `select id, runner is not null and not exists (select from ${schema}.processes p where p.id = runner)
           -- What it said before it went is heard first: it may have left the node off, or ended it.
           and not exists (select from ${schema}.node_messages m where m.call = node_calls.id and not m.to_runner) as is_gone,
         runner is null and created_at < clock_timestamp() - interval '5 s'
           and not exists (select from graphile_worker._private_jobs j where j.key = node_calls.id) as is_lost
       from ${schema}.node_calls where id = any($1)`,
      [open.map(({ id }) => id)],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const end of open) {
      const row = found.get(end.id);
      if (!row) this.#lose(end, new Unfinished(false));
      else if (!end.isRunner && (row.is_gone || row.is_lost)) this.#lose(end, new Unfinished(row.is_gone));
    }
  }
}
