/** Commands for runs, and their callers. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Attributes } from "../../storage/contract/attributes.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";
import type { GraphQuery } from "../../storage/contract/queries.ts";
import type { SignalDefinition } from "./signal-types.ts";

/** The caller of a command and the reason, stored in the command's event. */
export interface AuditContext {
  /** `operator`, or a user's id. Default: none. */
  by?: string;
  /** Reason in a few words. */
  note?: string;
  /** The client's address: stored in the audit trail, not in events. */
  address?: string;
}

/** `by` is stored in the event `graph.queued`. A start with a `note` counts as manual and is in the audit trail as well. */
export interface StartOptions extends AuditContext {
  /**
   * Another start with the same key, name and input returns the same run; with another input it is rejected (`SVC_KEY_REUSED`). A key is
   * known as long as its run is stored: until retention or a purge deletes it.
   */
  idempotencyKey?: string;
  /** Time until the run may start, such as `"10m"`. Default: none. */
  delay?: Duration;
  /**
   * Longest time for which the run waits for its key (`concurrency`, `singleton`), such as `"10m"`: it is cancelled then. Default: the
   * graph's.
   */
  ttl?: Duration;
  /** Added to the workers' priority. A whole number from -1000 to 1000; default 0. */
  priority?: number;
  /** Earliest start, Unix milliseconds; `delay` counts from it. A time in the past means now. */
  at?: number;
  tags?: string[];
  /**
   * Values by which runs are searched: `{ plan: "pro", cents: 500 }`. Workers change them (`ctx.setAttributes`). At most 32; texts have at
   * most 256 characters. Default: none.
   */
  attributes?: Attributes;
  /** One-line summary until a worker sets another (`ctx.summary`). Cut after 200 characters. Default: none. */
  summary?: string;
  /** Origin, for lists. Default: the action, form or route that is being handled, else the app's code. */
  origin?: Origin;
  /** Parent run and node: shown in both, and searchable. */
  parent?: { graphId: string; node?: string };
}

export interface PauseOptions extends AuditContext {
  /**
   * Time in which running nodes may reach their end or their next step, such as `"30s"`. After it they are aborted, and begin again when
   * the run is resumed; the attempt does not count. Default: no limit.
   */
  grace?: Duration;
}

export interface CancelOptions extends AuditContext {
  /** Message of the run's error. Default: "Cancelled by an operator". */
  message?: string;
}

export interface RetryOptions extends AuditContext {
  /**
   * A node, or an item of a fan-out such as `inspect/3`: runs again with all that follow it, also in a finished run. Earlier results are
   * kept (`pastNodes`). Default: all unfinished nodes of a failed run.
   */
  from?: string;
}

export interface ForkOptions extends AuditContext {
  /**
   * First node of the new run, or an item such as `inspect/3`; results of nodes that do not follow it are copied. Or a step, sleep, wait or
   * call of a node, such as `charge#refund`: the outcomes that the node recorded before it are copied as well, and the node's worker runs
   * with them from its first line.
   */
  from: string;
  /** Replaces the input that the definition computes for this node. */
  input?: Json;
}

export interface SignalOptions extends AuditContext {
  /** A signal with the same key is sent once. */
  idempotencyKey?: string;
}

export interface UpdateOptions extends AuditContext {
  /** Identifies the request: a call with the same key waits for the same answer. Default: each call is a request of its own. */
  idempotencyKey?: string;
  /** Longest time to wait for the answer. The request stays; the worker may handle it later. Default "30s". */
  timeout?: Duration;
  /** Ends the wait, not the request. */
  signal?: AbortSignal;
}

/** Options of a start that sends a signal. @typeParam Value the signal's value. */
export interface SignalWithStartOptions<Value = Json> extends StartOptions {
  signal: SignalDefinition<Value, unknown>;
  value: NoInfer<Value>;
  /** Identifies the run: the run that was started with it receives the signal. */
  idempotencyKey: string;
  /** A signal with the same key is sent once. Default: each call sends one. */
  signalKey?: string;
}

export type BulkAction = "pause" | "resume" | "cancel" | "retry";

export interface BulkOptions extends AuditContext {
  /** Filter; an empty one selects all runs. */
  filter: Omit<GraphQuery, "limit" | "cursor">;
  /** Most runs to change. Default and maximum 10,000. */
  limit?: number;
  /** Cursor of an earlier call: runs with lower ids only. */
  cursor?: string;
  /** Only counts: with a cursor, up to `limit` runs from there; without, the total of `engine.list`. */
  isDryRun?: boolean;
  /** Called with intermediate results after about every hundred runs. Its promise is awaited. */
  onProgress?: (soFar: Readonly<BulkReport>) => void | Promise<void>;
  /** After an abort, no further hundred starts; `next_cursor` continues. */
  signal?: AbortSignal;
  /** Called with each run that rejected the command or is gone, and the reason. Must not throw. */
  onRefused?: (graphId: string, refusal: SvcError) => void;
}

export interface BulkReport {
  action: BulkAction;
  /** Matching runs when the call started. */
  matched: number;
  changed: number;
  /** Runs that rejected the command. */
  refused: number;
  dry_run: boolean;
  /** Continues the command; null if none is left. */
  next_cursor: string | null;
}
