/** Open waits of attempts in this process. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { withoutOrigin, type Failure, type NodeRow } from "../../storage/contract/graph-rows.ts";
import type { EventWaitInput } from "../../storage/contract/sent-events.ts";
import { settled } from "./run-state.ts";
import type { SignalField } from "../definition/signal-fields.ts";
import type { RetryPolicy } from "../definition/retry.ts";
import type { NodeDefinition, Worker } from "../definition/definition-types.ts";

export type WaitOutcome = { ok: true; value: Json } | { ok: false; error: Failure };

/** An open wait of an attempt. */
export interface Wait {
  readonly kind: "sleep" | "signal" | "event" | "nodes";
  /** Id of the step; for `ctx.map`, the prefix of its items' ids. */
  readonly id: string;
  /** The node of the attempt. */
  readonly owner: NodeRow;
  /** Name of the signal. An event reaches its step as a signal too. */
  readonly signal?: string | undefined;
  /** The event, and the fields that it must have. */
  readonly event?: EventWaitInput | undefined;
  /** Fields of a form for its value, stored for the screens. */
  readonly fields?: readonly SignalField[] | undefined;
  /** As given, for the message. */
  readonly timeout?: Duration | undefined;
  /** Converts the payload of a signal into the worker's value. Rejects with `SVC_INVALID`. */
  readonly parse?: ((payload: Json) => Promise<Json>) | undefined;
  /** End of the sleep, or timeout of the wait. */
  dueMs?: number | undefined;
  /** Its time has come during a pause. It settles when the run is resumed, whatever the clock says then. */
  isOverdue?: boolean;
  /** Set once it is decided. */
  outcome?: WaitOutcome | undefined;
  /** Called once the outcome is committed. */
  readonly wake: () => void;
}

export interface CallOptions {
  worker: Worker<never, unknown>;
  /** Inputs: one, or one for each item of `ctx.map`. */
  inputs: readonly Json[];
  /** Limit of concurrent nodes. */
  concurrency: number;
  /** Whether the outcome reports each node's failure. */
  mayFail: boolean;
  retry?: RetryPolicy | undefined;
  timeout?: Duration | undefined;
}

/** Waits for other nodes to end. */
export class NodesWait implements Wait {
  readonly kind = "nodes";
  readonly id: string;
  readonly owner: NodeRow;
  readonly isMap: boolean;
  /** Number of its nodes. */
  readonly size: number;
  readonly mayFail: boolean;
  readonly definition: NodeDefinition;
  readonly wake: () => void;
  outcome?: WaitOutcome;
  /** In item order. */
  rows: readonly NodeRow[] = [];
  /** Number of unfinished nodes. */
  left = 0;
  readonly #concurrency: number;
  #active = 0;
  #at = 0;

  constructor(id: string, owner: NodeRow, isMap: boolean, options: CallOptions, wake: () => void) {
    const { worker, retry, timeout } = options;
    this.id = id;
    this.owner = owner;
    this.isMap = isMap;
    this.size = options.inputs.length;
    this.mayFail = options.mayFail;
    this.wake = wake;
    this.#concurrency = options.concurrency;
    this.definition = {
      name: id,
      worker,
      after: [],
      input: (graphInput) => graphInput,
      mayFail: true,
      ...(retry && { retry }),
      ...(timeout === undefined ? {} : { timeout }),
    };
  }

  /** Sets its rows. */
  take(rows: readonly NodeRow[]): void {
    this.rows = rows;
    this.left = rows.filter((row) => row.status === "pending").length;
  }

  get hasFailed(): boolean {
    return this.rows.some((row) => row.status === "failed");
  }

  /** Nodes to start. */
  next(): NodeRow[] {
    const taken: NodeRow[] = [];
    while (this.#active < this.#concurrency && this.#at < this.rows.length) {
      const row = this.rows[this.#at++];
      if (row?.status !== "pending") continue;
      this.#active++;
      taken.push(row);
    }
    return taken;
  }

  /** One of them has ended. */
  ended(): void {
    this.left--;
    this.#active--;
  }
}

/** Outcome of a call: the node's result, or an array of results for items; or the first failure. */
export function callOutcome({ rows, isMap, mayFail }: NodesWait): WaitOutcome {
  const failed = rows.find((row) => row.status === "failed");
  if (failed?.error && !mayFail) return { ok: false, error: withoutOrigin(failed.error) };
  if (!isMap) return { ok: true, value: rows[0]?.result ?? null };
  return { ok: true, value: rows.map((row) => (mayFail ? settled(row) : (row.result ?? null))) };
}
