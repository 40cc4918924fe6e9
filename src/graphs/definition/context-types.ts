/** The durable part of a worker's context: stored results, so that a new attempt continues where the last one stopped. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { TransactionHandle } from "../../storage/contract/transaction.ts";
import type { OutputOf, StandardSchema } from "../../platform/shared/schema.ts";
import type { ArtifactData } from "../execution/attempt/artifact.ts";
import type { EventDefinition, EventMatch, SentEvent } from "./event-types.ts";
import type { RetryPolicy } from "./retry.ts";
import type { AttributeChanges } from "./run-attributes.ts";
import type { SignalDefinition, UpdateDefinition } from "./signal-types.ts";

/** Outcome of an item in a fan-out that collects failures. */
export type Settled<Output> = { ok: true; value: Output } | { ok: false; error: { message: string; reason: string } };

/** A stored file. */
export type ArtifactRef = { name: string; type: string; bytes: number; sha256: string };

/** A worker as its callers see it. */
export interface Callable<Input, Output> {
  readonly kind: "worker";
  readonly name: string;
  readonly options: object;
  readonly run: (input: Input, ctx: never) => Output | Promise<Output>;
}

export interface StepOptions {
  /** Tries of this step within one attempt of its node. Default: one. */
  retry?: RetryPolicy;
  /** Longest time of one try. Default: none. */
  timeout?: Duration;
}

/** Argument of a step's function. */
export interface StepInfo {
  /** Aborts with the attempt, and at the step's timeout. */
  readonly signal: AbortSignal;
  /** The same for each try of this step. Pass it to external APIs. */
  readonly idempotencyKey: string;
  /** 1 for the first try. */
  readonly attempt: number;
}

export interface SleepOptions {
  /** Key of the stored result. Default: its number among the sleeps of the attempt, so their order must not change. */
  key?: string;
}

export interface WaitOptions<Schema extends StandardSchema = StandardSchema> {
  /** Key of the stored result. Default: the signal's name, with a number if it was used before. */
  key?: string;
  /** Time after which `WaitTimeoutError` is thrown. Default: forever. */
  timeout?: Duration;
  /** Validates the payload. A signal that does not match is rejected when it is sent; one that was sent before is dropped and logged. */
  schema?: Schema;
}

/** @typeParam Sent the data of the event, as it is sent. */
export interface EventWaitOptions<Sent = unknown> {
  /** Fields that the event's data must have: `{ orderId: order.id }`. Default: every event of the name. */
  match?: EventMatch<Sent>;
  /** Time after which `WaitTimeoutError` is thrown. Default: forever. */
  timeout?: Duration;
  /** Key of the stored result. Default: the event's name, with a number if it was used before. */
  key?: string;
  /** Events that were sent this long before the run was started count as well, if they are still stored. Default: none. */
  lookback?: Duration;
}

export interface HandleUpdateOptions {
  /** Key of the stored request and answer. Default: the update's name with a number, so the order of such calls must not change. */
  key?: string;
  /** Time after which `WaitTimeoutError` is thrown. Default: forever. */
  timeout?: Duration;
}

/** Second argument of the handler of an update. */
export type UpdateRequest = Pick<StepInfo, "signal" | "idempotencyKey">;

/** What became of a request. */
export type UpdateOutcome<Received, Answer> =
  | { ok: true; value: Received; answer: Answer }
  | { ok: false; value: Received; message: string };

export interface CallOptions {
  /** Overrides the worker's own policy, field by field. */
  retry?: RetryPolicy;
  /** Longest time of one attempt. Default: the worker's. */
  timeout?: Duration;
}

export interface MapCallOptions extends CallOptions {
  /** Limit of concurrent items. Default: the worker's limit. */
  concurrency?: number;
  /** `fail` (default): the first permanent failure ends the others. `collect`: the result reports each item. */
  onError?: "fail" | "collect";
}

/** @typeParam State values in `ctx.state`. */
export interface DurableCalls<State extends object = Record<string, Json>> {
  /** Values of this node, kept between attempts. A change is durable with the next step, wait, checkpoint, or the end. */
  readonly state: {
    get<Key extends keyof State & string>(key: Key): State[Key] | undefined;
    /** @throws TypeError for a value that JSON can't represent. */
    set<Key extends keyof State & string>(key: Key, value: State[Key]): void;
  };
  /** Makes the state durable. A run that is to pause or end does so here. */
  checkpoint(): Promise<void>;
  /**
   * Runs `run` once and stores its result: a new attempt reads it from there. External effects may happen twice if the process dies
   * before the commit; pass the idempotency key on.
   * @param key its name, once for each attempt.
   * @throws errors of `run`, which are not stored.
   */
  step<Result>(key: string, run: (info: StepInfo) => Result | Promise<Result>, options?: StepOptions): Promise<Result>;
  /**
   * Runs `run` in the transaction that stores its result: its writes happen exactly once, whatever happens. It uses the app's own
   * database, for your tables, and may run again if the transaction is retried. Needs a `sqlite:` or `postgres:` database. On SQLite all
   * writers wait for it: await only its statements.
   * @param run with `await db.query(sql, [values])` on either database; on SQLite also synchronous with `db.prepare(sql)`, except in a
   * thread.
   * @throws errors of `run`, or SvcError `SVC_STORE` if it was open for 10 s on SQLite: nothing is written then.
   * @param options.key as for `sleep`.
   */
  tx<Result>(run: (db: TransactionHandle) => Result | Promise<Result>, options?: SleepOptions): Promise<Result>;
  /**
   * Stores a file with the run, once; `GET /_svc/graphs/:id/artifacts/:name` sends it as a download. Kept as long as the run.
   * @param name unique in the run. @param data bytes, text or a stream of bytes, at most 1 GiB.
   * @param type media type; default "application/octet-stream".
   */
  artifact(name: string, data: ArtifactData, type?: string): Promise<ArtifactRef>;
  /**
   * Sets attributes of the run, by which `engine.list` finds it: texts, numbers and booleans; null removes one, and others stay. Durable
   * when it resolves, and done once: a later attempt that makes the same call with the same values changes nothing.
   * @throws FinalError for an invalid name or value, or more than 32 attributes.
   * @example
   * await ctx.setAttributes({ plan: "pro", cents: 500, coupon: null });
   */
  setAttributes(changes: AttributeChanges): Promise<void>;
  /** Sleeps for a duration or until a time, also across restarts, without a slot of the worker. */
  sleep(until: Duration | Date, options?: SleepOptions): Promise<void>;
  /**
   * Waits for a signal; one that was sent before counts. Each signal ends one wait.
   * @throws WaitTimeoutError
   */
  waitFor<Received>(
    signal: SignalDefinition<unknown, Received>,
    options?: Omit<WaitOptions, "schema">,
  ): Promise<Received>;
  waitFor<Schema extends StandardSchema>(
    name: string,
    options: WaitOptions<Schema> & { schema: Schema },
  ): Promise<OutputOf<Schema>>;
  waitFor<Payload = Json>(name: string, options?: Omit<WaitOptions, "schema">): Promise<Payload>;
  /**
   * Waits for an event that matches; one that was sent since the run was started counts. One event resumes every run that waits for it;
   * a node receives each event once.
   * @throws WaitTimeoutError
   * @example
   * const paid = await ctx.waitForEvent(orderPaid, { match: { orderId: order.id }, timeout: "3d" });
   */
  waitForEvent<Data, Sent>(
    event: EventDefinition<Data, Sent>,
    options?: EventWaitOptions<NoInfer<Sent>>,
  ): Promise<SentEvent<Data>>;
  /**
   * Waits for the next request of an update and answers it. Each request is handled once: `handler` runs as a step, and its result is the
   * stored answer. Requests that were sent earlier count, in their order.
   * @param handler gets the value; external effects as in a step. A `FinalError` of it refuses the request: its message is the answer. Any
   * other error fails the attempt, and the next one handles the request again.
   * @returns the value and the answer, also in later attempts, in which the handler does not run again.
   * @throws WaitTimeoutError
   */
  handleUpdate<Received, Answer>(
    update: UpdateDefinition<unknown, Received, Answer>,
    handler: (value: NoInfer<Received>, request: UpdateRequest) => NoInfer<Answer> | Promise<NoInfer<Answer>>,
    options?: HandleUpdateOptions,
  ): Promise<UpdateOutcome<Received, Answer>>;
  /**
   * Whether this run uses the code of a change: true for runs that reach this point for the first time, and stored then; false for runs
   * that were past it before the change. Use it to change the steps of a worker that has active runs.
   * @param name names the change, once for each change in a worker. @example
   * if (await ctx.patched("check-stock")) await ctx.step("stock", checkStock);
   */
  patched(name: string): Promise<boolean>;
  /** Runs another worker as a node of its own. @throws CallError if it has failed permanently. */
  call<Input, Output>(
    key: string,
    worker: Callable<Input, Output>,
    input: Input,
    options?: CallOptions,
  ): Promise<Output>;
  /** Runs another worker for each item; results in item order. @throws CallError for the first failure. */
  map<Item, Output>(
    key: string,
    items: readonly Item[],
    worker: Callable<Item, Output>,
    options: MapCallOptions & { onError: "collect" },
  ): Promise<Settled<Output>[]>;
  map<Item, Output>(
    key: string,
    items: readonly Item[],
    worker: Callable<Item, Output>,
    options?: MapCallOptions,
  ): Promise<Output[]>;
}
