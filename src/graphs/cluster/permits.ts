/**
 * Permits in the database: a row for each attempt of a limited worker, from before its start until its end. A row belongs to its process:
 * the rows of an unregistered process do not count. Rows of workers with a rate stay until they no longer count. Times are
 * the database's.
 * Requests at the same time share a statement; waiting ones ask again when permits were returned. Each request has a name: if the answer
 * of a statement was lost, the repeated one finds its permit.
 */
import type { PermitAnswer, Permits, PermitWant, SharedLimits } from "../execution/queue/permit-types.ts";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import { addedColumns } from "./added-columns.ts";
import type { ClusterDatabase } from "./database.ts";

/** Polling interval of waiting requests. */
const LOOK_MS = 500;
/** The second half of these advisory lock keys is a worker's. */
const PERMIT_CLASS = 0x737664;

/** @param schema quoted */
export function permitTables(schema: string): string {
  return `
    create unlogged table if not exists ${schema}.permits (
      id bigint generated always as identity primary key,
      worker text not null,
      key text not null,
      rate_key text not null,
      process text references ${schema}.processes (id) on delete set null,
      started_at timestamptz not null,
      until timestamptz
    );
    ${addedColumns(`${schema}.permits`, ["ask text"])}
    create unique index if not exists permits_ask on ${schema}.permits (ask);
    create index if not exists permits_held on ${schema}.permits (worker, key) where process is not null;
    create index if not exists permits_process on ${schema}.permits (process) where process is not null;
    create index if not exists permits_rate on ${schema}.permits (worker, rate_key, started_at);
    create or replace function ${schema}.take_permits(me text, of_worker text, total int, per_key int, rate_limit int, per_ms float8, wants json)
      returns table (permit text, refusal text, wait_ms float8) language plpgsql as $$
    declare
      want record;
      now_at timestamptz;
      all_running int;
      running int;
      first_at timestamptz;
      started int;
      span interval := make_interval(secs => coalesce(per_ms, 0) / 1000);
    begin
      perform pg_advisory_xact_lock(${PERMIT_CLASS}, hashtext(of_worker));
      perform from ${schema}.processes where id = me for key share;
      if not found then return; end if;
      now_at := clock_timestamp();
      delete from ${schema}.permits p where p.worker = of_worker and p.process is null and (p.until is null or p.until <= now_at);
      if total is not null then
        select count(*) into all_running from ${schema}.permits p where p.worker = of_worker and p.process is not null;
      end if;
      for want in select * from json_to_recordset(wants) as w(ask text, key text, rate_key text, is_start boolean) loop
        permit := null; refusal := null; wait_ms := null;
        -- Of a statement whose answer was lost.
        select p.id::text into permit from ${schema}.permits p where p.ask = want.ask;
        if permit is not null then
          return next;
          continue;
        end if;
        if all_running >= total then refusal := 'busy'; end if;
        if refusal is null and per_key is not null then
          select count(*) into running from ${schema}.permits p where p.worker = of_worker and p.key = want.key and p.process is not null;
          if running >= per_key then refusal := 'busy'; end if;
        end if;
        if refusal is null and rate_limit is not null and want.is_start then
          select count(*), min(p.started_at) into started, first_at from ${schema}.permits p
            where p.worker = of_worker and p.rate_key = want.rate_key and p.until is not null and p.started_at > now_at - span;
          if started >= rate_limit then
            refusal := 'rate';
            wait_ms := greatest(1, ceil(extract(epoch from first_at + span - now_at) * 1000));
          end if;
        end if;
        if refusal is null then
          insert into ${schema}.permits (worker, ask, key, rate_key, process, started_at, until)
            values (of_worker, want.ask, want.key, want.rate_key,
              case when total is not null or per_key is not null then me end, now_at,
              case when rate_limit is not null and want.is_start then now_at + span end)
            returning id::text into permit;
          all_running := all_running + 1;
        end if;
        return next;
      end loop;
    end $$;`;
}

interface Asked extends PermitWant {
  /** Its number in this process: a repeated request gets the same permit. */
  n: number;
  /** Whether a lost answer may have granted it. */
  isInDoubt: boolean;
  resolve: (answer: PermitAnswer) => void;
}

/** Requests of one worker. */
interface Line {
  asked: Asked[];
  isAsking: boolean;
  timer: Timer | undefined;
}

export interface SharedPermitsOptions {
  database: ClusterDatabase;
  clock: Clock;
  log: Log;
  /** Id of this process in the cluster; undefined while it is not a member. */
  me: () => string | undefined;
  /** Announces returned permits to waiting processes. */
  onGivenBack: () => void;
}

export class SharedPermits implements Permits {
  readonly #options: SharedPermitsOptions;
  /** By worker and limits: versions of a worker may have different limits. */
  readonly #lines = new Map<string, Line>();
  #back: string[] = [];
  #asks = 0;
  #isClosed = false;

  constructor(options: SharedPermitsOptions) {
    this.#options = options;
  }

  take(want: PermitWant): Promise<PermitAnswer> {
    return new Promise((resolve) => {
      const name = JSON.stringify([want.worker, want.limits]);
      let line = this.#lines.get(name);
      if (!line) this.#lines.set(name, (line = { asked: [], isAsking: false, timer: undefined }));
      line.asked.push({ ...want, n: ++this.#asks, isInDoubt: false, resolve });
      this.#askSoon(line);
    });
  }

  giveBack(permit: string): void {
    if (this.#back.push(permit) > 1) return;
    setImmediate(() => {
      const back = this.#back;
      this.#back = [];
      this.#giveBack(back).then(
        () => {
          this.lookAgain();
          this.#options.onGivenBack();
        },
        (err: unknown) => this.#options.log.warn({ err }, "Permits could not be returned. It is tried again."),
      );
    });
  }

  async #giveBack(permits: string[]): Promise<void> {
    const { query, schema } = this.#options.database;
    try {
      await query(
        `with gone as (delete from ${schema}.permits where id = any($1::bigint[]) and (until is null or until <= clock_timestamp()))
         update ${schema}.permits set process = null where id = any($1::bigint[]) and until > clock_timestamp()`,
        [permits],
      );
    } catch (error) {
      if (!this.#isClosed)
        this.#options.clock.schedule(LOOK_MS, () => permits.forEach((permit) => this.giveBack(permit)));
      throw error;
    }
  }

  /** Permits may be available again. */
  lookAgain(): void {
    for (const line of this.#lines.values()) if (line.asked.length > 0) this.#askSoon(line);
  }

  /** Ends waiting requests without a permit. */
  close(): void {
    this.#isClosed = true;
    for (const line of this.#lines.values()) {
      line.timer?.cancel();
      for (const { resolve } of line.asked.splice(0)) resolve({ kind: "dropped" });
    }
  }

  #askSoon(line: Line): void {
    if (line.isAsking || this.#isClosed) return;
    line.isAsking = true;
    line.timer?.cancel();
    setImmediate(() => {
      this.#ask(line)
        .catch((err: unknown) => this.#options.log.warn({ err }, "Permits could not be requested. It is tried again."))
        .finally(() => {
          line.isAsking = false;
          if (line.asked.length > 0 && !this.#isClosed)
            line.timer = this.#options.clock.schedule(LOOK_MS, () => this.#askSoon(line));
        });
    });
  }

  async #ask(line: Line): Promise<void> {
    const asked = line.asked.splice(0);
    // An unwanted request that may have been granted is asked about once more, so that its permit is returned.
    const wanted = asked.filter((want) => want.isInDoubt || want.isWanted());
    for (const want of asked) if (!wanted.includes(want)) want.resolve({ kind: "dropped" });
    const [first] = wanted;
    const me = this.#options.me();
    if (!first) return;
    try {
      const answers = me === undefined ? [] : await this.#query(me, first.worker, first.limits, wanted);
      for (const [at, want] of wanted.entries()) {
        const answer = answers[at];
        want.isInDoubt = false;
        if (answer) want.resolve(answer);
        else line.asked.push(want);
      }
    } catch (error) {
      for (const want of wanted) want.isInDoubt = true;
      line.asked.unshift(...wanted);
      throw error;
    }
  }

  /** @returns answers in the order of the requests; none for those that wait. */
  async #query(
    me: string,
    worker: string,
    { total, perKey, rate }: SharedLimits,
    wants: readonly Asked[],
  ): Promise<(PermitAnswer | undefined)[]> {
    const { query, schema } = this.#options.database;
    const asked = wants.map(({ n, key, rateKey, isStart }) => ({
      ask: `${me}/${n}`,
      key,
      rate_key: rateKey,
      is_start: isStart,
    }));
    const { rows } = await query<{ permit: string | null; refusal: "busy" | "rate" | null; wait_ms: number | null }>(
      `select permit, refusal, wait_ms from ${schema}.take_permits($1, $2, $3, $4, $5, $6, $7)`,
      [me, worker, total ?? null, perKey ?? null, rate?.limit ?? null, rate?.perMs ?? null, JSON.stringify(asked)],
    );
    const isHeld = total !== undefined || perKey !== undefined;
    return rows.map(({ permit, refusal, wait_ms }): PermitAnswer | undefined => {
      if (refusal === "busy") return undefined;
      if (refusal === "rate") return { kind: "refused", waitMs: wait_ms ?? LOOK_MS };
      return { kind: "granted", permit: isHeld ? (permit ?? undefined) : undefined };
    });
  }
}
