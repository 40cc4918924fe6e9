/**
 * Attempts of nodes whose worker runs in another process: each has a row, which belongs to the run's process, and a job that leads a
 * process with the worker to it. messages.ts transports the messages.
 */
import { randomBytes } from "node:crypto";
import {
  Unfinished,
  type CallEnd,
  type CallListener,
  type Channel,
  type NodeOrder,
  type Performance,
} from "../execution/remote/remote-attempts.ts";
import type { ErrorMessage, FromThread } from "../execution/remote/thread-messages.ts";
import type { PayloadCipher } from "../../storage/encryption/payload-cipher.ts";
import type { ClusterDatabase } from "./database.ts";
import { decode, encode } from "../execution/remote/remote-call-messages.ts";
import type { End, HolderSays, Messages } from "./messages.ts";
import { nodeTask } from "./job-names.ts";
import { openMessage, sealMessage } from "./sealed-messages.ts";

/** Outcome of an abandoned node, which runs again in another process. */
const LEFT_OFF: ErrorMessage = { name: "Unfinished", message: "", isFinal: false, retryAfter: undefined };

export interface CallsOptions {
  database: ClusterDatabase;
  cipher: PayloadCipher;
  messages: Messages;
  /** Id of this process in the cluster; undefined while it is not a member. */
  me: () => string | undefined;
  /** Runs a worker. @returns undefined if it is unknown here. */
  perform: (order: NodeOrder, channel: Channel) => Promise<Performance | undefined>;
}

interface SealedOrder {
  context: Pick<NodeOrder["context"], "nodeId">;
  sealed: string;
}

const placeOf = (id: string): string => `node_call/${id}`;

export class Calls {
  readonly #options: CallsOptions;
  readonly #messages: Messages;
  /** Calls that this process runs for others. */
  readonly #run = new Set<End>();
  #isClosed = false;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#messages = options.messages;
  }

  /** Runs the attempt in another process. */
  call(order: NodeOrder, { hear, lost }: CallListener): CallEnd {
    const id = `n_${randomBytes(9).toString("hex")}`;
    const end = this.#messages.begin({ id, isRunner: false, hear, lost }, false);
    this.#open(end, order).catch((error: unknown) => this.#messages.lose(end, error as Error));
    return {
      say: (message) => this.#messages.say(end, message),
      end: () => {
        this.#messages.forget(end);
        this.#messages.remove(end.id);
      },
    };
  }

  async #begin(id: string, body: string, channel: Channel): Promise<Performance | undefined> {
    return this.#options.perform(this.#orderIn(id, body), channel);
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
      [end.id, context.graphId, holder, this.#bodyOf(end.id, { context, ...order }), nodeTask(order.worker)],
    );
    // Another process holds the run by now, and runs the node.
    if (rows.length === 0) throw new Unfinished(false);
    end.isOpen = true;
    if (!this.#messages.has(end.id)) this.#messages.remove(end.id);
  }

  /** The id of the node stays readable: the database lists nodes that ran beside a dead process. */
  #bodyOf(id: string, order: NodeOrder): string {
    const { cipher } = this.#options;
    const text = encode(order);
    if (!cipher.isOn) return text;
    const sealed: SealedOrder = {
      context: { nodeId: order.context.nodeId },
      sealed: sealMessage(cipher, text, placeOf(id)),
    };
    return JSON.stringify(sealed);
  }

  #orderIn(id: string, body: string): NodeOrder {
    const { sealed } = JSON.parse(body) as Partial<SealedOrder>;
    return decode(sealed === undefined ? body : openMessage(this.#options.cipher, sealed, placeOf(id))) as NodeOrder;
  }

  /** Handles a job: runs the worker, and resolves when it has ended or waits, so that more jobs can be taken. */
  async run(id: string): Promise<void> {
    const { database, me } = this.#options;
    const { query, schema } = database;
    const runner = me();
    if (runner === undefined || this.#isClosed)
      throw new Error("This process is not registered. Another process runs the job.");
    const { rows } = await query<{ body: string | null; is_free: boolean }>(
      `with mine as (
         update ${schema}.node_calls set runner = $2 where id = $1 and (runner is null or runner = $2)
           and exists (select from ${schema}.processes where id = $2) returning body)
       select (select body::text from mine) as body, exists (select from ${schema}.node_calls where id = $1 and runner is null) as is_free`,
      [id, runner],
    );
    const { body, is_free } = rows[0] as { body: string | null; is_free: boolean };
    if (body === null && is_free) throw new Error("This process was declared dead. Another process runs the job.");
    // It is over, or another process runs it.
    if (body === null || this.#messages.has(id)) return;
    const abort = new AbortController();
    let performance: Performance | undefined;
    const end = this.#messages.begin(
      {
        id,
        isRunner: true,
        hear: (message: HolderSays) => performance?.hear(message),
        lost: (error) => abort.abort(error),
      },
      true,
    );
    this.#run.add(end);
    const aborted = new Promise<void>((resolve) => abort.signal.addEventListener("abort", () => resolve()));
    const channel = { say: (message: FromThread) => this.#messages.say(end, message), signal: abort.signal };
    performance = await this.#begin(id, body, channel).catch(() => undefined);
    // It could not start, or this process lacks the key of the order. If the node is no longer needed, nobody reads this message.
    if (!performance) this.#messages.say(end, { type: "ended", settlement: { error: LEFT_OFF } });
    const over = this.#over(end, performance, aborted);
    await Promise.race([over, ...(performance ? [performance.freed] : [])]);
  }

  /** Does not wait for a worker that ignores its signal: its messages are not written. */
  async #over(end: End, performance: Performance | undefined, aborted: Promise<void>): Promise<void> {
    if (performance) await Promise.race([performance.ended, aborted]);
    await this.#messages.sent(end);
    this.#messages.forget(end);
    this.#run.delete(end);
  }

  /** Abandons the calls that this process runs for others, which run again in other processes. Takes no more. */
  async leave(): Promise<void> {
    this.#isClosed = true;
    const left = [...this.#run];
    for (const end of left) {
      this.#messages.say(end, { type: "ended", settlement: { error: LEFT_OFF } });
      end.lost(new Unfinished(false));
    }
    await Promise.all(left.map((end) => this.#messages.sent(end)));
  }
}
