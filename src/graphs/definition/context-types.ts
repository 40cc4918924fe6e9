/** The durable part of a worker's context: what is remembered, so that an attempt that begins again goes on from there. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { TransactionHandle } from "../../storage/contract/transaction.ts";
import type { OutputOf, StandardSchema } from "../../platform/shared/schema.ts";
import type { ArtifactData } from "../execution/attempt/artifact.ts";
import type { RetryPolicy } from "./retry.ts";

/** What became of one item of a fan-out that collects failures. */
export type Settled<Output> = { ok: true; value: Output } | { ok: false; error: { message: string; reason: string } };

/** A file that is kept. */
export type ArtifactRef = { name: string; type: string; bytes: number; sha256: string };

/** A worker, as its callers see it. */
export interface Callable<Input, Output> {
  readonly kind: "worker";
  readonly name: string;
  readonly options: object;
  readonly run: (input: Input, ctx: never) => Output | Promise<Output>;
}

export interface StepOptions {
  /** Tries of this step within one attempt of its node. Default: one. */
  retry?: RetryPolicy;
  /** Longest one try may take. Default: none of its own. */
  timeout?: Duration;
}

/** Handed to the function of a step. */
export interface StepInfo {
  /** Aborts with the attempt, and when the step's time is over. */
  readonly signal: AbortSignal;
  /** The same for each try of this step: hand it to outside APIs. */
  readonly idempotencyKey: string;
  /** 1 for the first try. */
  readonly attempt: number;
}

export interface SleepOptions {
  /** What it is remembered by. Default: its number among the sleeps of the attempt, so their order must not change. */
  key?: string;
}

export interface WaitOptions<Schema extends StandardSchema = StandardSchema> {
  /** What it is remembered by. Default: the signal's name; where that was waited for before, with its number. */
  key?: string;
  /** How long to wait; then a `WaitTimeoutError` is thrown. Default: for ever. */
  timeout?: Duration;
  /** Checks the payload. A signal that does not fit is refused as it is sent; one sent before is left out, and logged. */
  schema?: Schema;
}

export interface CallOptions {
  /** In place of the worker's own; each field by itself. */
  retry?: RetryPolicy;
  /** Longest one attempt may run. Default: the worker's. */
  timeout?: Duration;
}

export interface MapCallOptions extends CallOptions {
  /** How many items may be under way at once. Default: as many as the worker may run. */
  concurrency?: number;
  /** `fail` (default): the first item that fails for good ends the others. `collect`: the result tells of each. */
  onError?: "fail" | "collect";
}

/** @typeParam State what the worker keeps in `ctx.state`. */
export interface DurableCalls<State extends object = Record<string, Json>> {
  /** Values of this node, kept over attempts. What is set is durable with the next step, wait, checkpoint, or the end. */
  readonly state: {
    get<Key extends keyof State & string>(key: Key): State[Key] | undefined;
    /** @throws TypeError for what JSON can't carry. */
    set<Key extends keyof State & string>(key: Key, value: State[Key]): void;
  };
  /** Makes the state durable. A graph that is to pause or end does so here. */
  checkpoint(): Promise<void>;
  /**
   * Runs `run` once and remembers what it returned: an attempt that begins again gets it from there. What it does outside
   * may happen twice, where the process dies between that and the commit; hand on the idempotency key.
   * @param key names it; once per attempt.
   * @throws what `run` throws: that is not remembered.
   */
  step<Result>(key: string, run: (info: StepInfo) => Result | Promise<Result>, options?: StepOptions): Promise<Result>;
  /**
   * Runs `run` once, in the transaction that remembers what it returned: what it writes is there exactly once, whatever
   * happens. It gets the app's own database, for tables of yours, and may be run again where the transaction had to be made
   * again. Needs a `sqlite:` or `postgres:` database. On SQLite everybody who writes waits for it: await nothing but its statements.
   * @param run with `await db.query(sql, [values])` on either database; on SQLite also without async, with `db.prepare(sql)`, though not in a thread.
   * @throws what `run` throws, or SvcError `SVC_STORE` when it was open for 10 s on SQLite: then nothing of it is written.
   * @param options.key as for `sleep`.
   */
  tx<Result>(run: (db: TransactionHandle) => Result | Promise<Result>, options?: SleepOptions): Promise<Result>;
  /**
   * Keeps a file beside the graph, once; `GET /_svc/graphs/:id/artifacts/:name` sends it as a download. Kept as long as the graph.
   * @param name alone in the graph. @param data bytes, text or a stream of bytes, 1 GiB at most.
   * @param type its media type; default "application/octet-stream".
   */
  artifact(name: string, data: ArtifactData, type?: string): Promise<ArtifactRef>;
  /** Waits for a length of time, or until a time, over restarts; without a place among the worker's attempts. */
  sleep(until: Duration | Date, options?: SleepOptions): Promise<void>;
  /**
   * Waits until the graph is sent a signal of this name; one that was sent before counts. Each signal ends one wait.
   * @throws WaitTimeoutError
   */
  waitFor<Schema extends StandardSchema>(
    name: string,
    options: WaitOptions<Schema> & { schema: Schema },
  ): Promise<OutputOf<Schema>>;
  waitFor<Payload = Json>(name: string, options?: Omit<WaitOptions, "schema">): Promise<Payload>;
  /** Runs another worker as a node of its own. @throws CallError when it has failed for good. */
  call<Input, Output>(
    key: string,
    worker: Callable<Input, Output>,
    input: Input,
    options?: CallOptions,
  ): Promise<Output>;
  /** Runs another worker for each item; their results in the order of the items. @throws CallError for the first that failed. */
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
