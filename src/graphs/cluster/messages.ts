/**
 * Messages between two processes about a node that one runs for the other: numbered rows in both directions, announced by a notification
 * and polled every second while a call is open. Messages for an ended call, or from a dead process, are not written. remote-calls.ts
 * defines their meaning.
 */
import { decode, encode } from "../execution/remote/remote-call-messages.ts";
import { Unfinished } from "../execution/remote/remote-attempts.ts";
import type { FromThread, ToThread } from "../execution/remote/thread-messages.ts";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import type { ClusterDatabase } from "./database.ts";
import { openMessage, sealMessage } from "./sealed-messages.ts";

/** Polling interval for lost notifications and dead processes. */
const LOOK_MS = 1000;

/** @param schema quoted */
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

function messagePlace(call: string, toRunner: boolean, n: number): string {
  return `node_message/${call}/${toRunner ? "runner" : "holder"}/${n}`;
}

/** Messages of the process that holds the run. */
export type HolderSays = Exclude<ToThread, { type: "run" }>;
/** Messages of the process that runs the node. */
export type RunnerSays = FromThread;

/** This process's side of a call. */
export interface End {
  readonly id: string;
  readonly isRunner: boolean;
  /** Messages that are not written yet. */
  out: string[];
  /** Numbers of the next message in each direction. */
  nextOut: number;
  nextIn: number;
  /** Whether the call is stored. Before that there is nothing to read. */
  isOpen: boolean;
  /** Receives a `HolderSays` or a `RunnerSays`; remote-calls.ts knows which. */
  readonly hear: (message: never) => void;
  readonly lost: (error: Error) => void;
}

export interface MessagesOptions {
  database: ClusterDatabase;
  cipher: PayloadCipher;
  clock: Clock;
  log: Log;
  /** Id of this process in the cluster; undefined while it is not a member. */
  me: () => string | undefined;
  /** Announces messages for a process. */
  notify: (process: string) => void;
}

export class Messages {
  readonly #options: MessagesOptions;
  readonly #ends = new Map<string, End>();
  #timer: Timer | undefined;
  #isLooking = false;
  #isWoken = false;
  #isWriting = false;
  #isHurried = false;
  #isClosed = false;
  /** Callers that wait until their messages are written. */
  #onWritten: (() => void)[] = [];

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  /** Registers a side. @param isOpen whether the call is stored. */
  begin(end: Pick<End, "id" | "isRunner" | "hear" | "lost">, isOpen: boolean): End {
    const made: End = { ...end, out: [], nextOut: 0, nextIn: 0, isOpen };
    this.#ends.set(end.id, made);
    this.#lookLater();
    return made;
  }

  has(id: string): boolean {
    return this.#ends.has(id);
  }

  forget(end: End): void {
    if (this.#ends.get(end.id) === end) this.#ends.delete(end.id);
  }

  lose(end: End, error: Error): void {
    if (this.#ends.get(end.id) !== end) return;
    this.forget(end);
    end.lost(error);
  }

  /** Removes the call: neither side sends more. */
  remove(id: string): void {
    const { database, log } = this.#options;
    database
      .query(
        `with gone as (delete from ${database.schema}.node_calls where id = $1 returning id)
         select graphile_worker.remove_job(id) from gone`,
        [id],
      )
      .catch((err: unknown) =>
        log.debug({ err }, "A remote call could not be removed. It is removed with its process."),
      );
  }

  say(end: End, message: HolderSays | RunnerSays): void {
    if (this.#ends.get(end.id) !== end) return;
    // Throws for a value that JSON can't represent, before the message is counted.
    end.out.push(encode(message));
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  /** Resolves when all messages are written or no longer needed. */
  async sent(end: End): Promise<void> {
    while (this.#isWriting && end.out.length > 0 && this.#ends.get(end.id) === end)
      await new Promise<void>((written) => this.#onWritten.push(written));
  }

  /** Reads the messages for this process, if there are any. */
  look(): void {
    if (this.#isClosed) return;
    this.#isWoken = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#readWhileWoken()
      .catch((err: unknown) => this.#options.log.debug({ err }, "Messages of remote nodes could not be read yet"))
      .finally(() => (this.#isLooking = false));
  }

  /** Does not wait for a missing database: other processes notice missing messages themselves. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Receives nothing more. */
  close(): void {
    this.#isClosed = this.#isHurried = true;
    this.#timer?.cancel();
  }

  /** Drops all calls: this process has lost them. */
  dropAll(): void {
    for (const end of this.#ends.values()) this.lose(end, new Unfinished(false));
  }

  /** In order, one statement at a time. Messages that arrive meanwhile go with the next one. */
  async #writeAll(): Promise<void> {
    for (let ends = this.#speaking(); ends.length > 0; ends = this.#speaking()) {
      const said = ends.map((end) => ({ end, bodies: end.out.slice() }));
      try {
        const processes = await this.#write(said);
        for (const { end, bodies } of said) {
          end.out.splice(0, bodies.length);
          end.nextOut += bodies.length;
          if (!processes.has(end.id)) this.lose(end, new Unfinished(false));
        }
        for (const process of new Set(processes.values())) this.#options.notify(process);
      } catch (err) {
        if (this.#isHurried) break;
        this.#options.log.debug({ err }, "Messages of remote nodes could not be written. It is tried again.");
        await new Promise<void>((again) => this.#options.clock.schedule(LOOK_MS, again));
      }
      this.#notifyWritten();
    }
    this.#isWriting = false;
    this.#notifyWritten();
  }

  #speaking(): End[] {
    return [...this.#ends.values()].filter(({ out }) => out.length > 0);
  }

  #notifyWritten(): void {
    for (const written of this.#onWritten.splice(0)) written();
  }

  /** @returns receivers by call; none for calls that are over or no longer this process's. */
  async #write(said: readonly { end: End; bodies: readonly string[] }[]): Promise<Map<string, string>> {
    const { cipher, database } = this.#options;
    const { query, schema } = database;
    const messages = said.flatMap(({ end: { id, isRunner, nextOut }, bodies }) =>
      bodies.map((text, at) => {
        const n = nextOut + at;
        return { call: id, to_runner: !isRunner, n, body: sealMessage(cipher, text, messagePlace(id, !isRunner, n)) };
      }),
    );
    const { rows } = await query<{ call: string; process: string }>(
      `with said as materialized (select * from json_to_recordset($1::json) as m(call text, to_runner boolean, n int, body text)),
         there as (select id, holder, runner from ${schema}.node_calls where id = any($2) for key share),
         meant as (select m.*, case when m.to_runner then c.runner else c.holder end as process
           from said m join there c on c.id = m.call and case when m.to_runner then c.holder else c.runner end = $3),
         put as (insert into ${schema}.node_messages (call, to_runner, n, process, body)
           select call, to_runner, n, process, body::json from meant on conflict do nothing)
       select distinct call, process from meant`,
      [JSON.stringify(messages), said.map(({ end }) => end.id), this.#options.me() ?? ""],
    );
    return new Map(rows.map(({ call, process }) => [call, process]));
  }

  async #readWhileWoken(): Promise<void> {
    while (this.#isWoken) {
      this.#isWoken = false;
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const { database, me, cipher } = this.#options;
    const { query, schema } = database;
    const { rows } = await query<{ call: string; to_runner: boolean; n: number; body: string }>(
      `select call, to_runner, n, body::text from ${schema}.node_messages where process = $1 order by call, n`,
      [me() ?? ""],
    );
    if (rows.length === 0) return;
    for (const { call, to_runner, n, body } of rows) {
      const text = openMessage(cipher, body, messagePlace(call, to_runner, n));
      const message = decode(text) as HolderSays | RunnerSays;
      const end = this.#ends.get(call);
      if (!end || n !== end.nextIn) continue;
      end.nextIn++;
      end.hear(message as never);
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
      this.#findGone().catch((err: unknown) => this.#options.log.debug({ err }, "Lost calls could not be checked"));
      this.#lookLater();
    });
  }

  async #findGone(): Promise<void> {
    const { query, schema } = this.#options.database;
    const open = [...this.#ends.values()].filter(({ isOpen }) => isOpen);
    if (open.length === 0) return;
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
      if (!row) this.lose(end, new Unfinished(false));
      else if (!end.isRunner && (row.is_gone || row.is_lost)) this.lose(end, new Unfinished(row.is_gone));
    }
  }
}
