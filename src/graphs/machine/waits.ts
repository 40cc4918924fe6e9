/** What an attempt waits for, while it is under way in this process. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { withoutOrigin, type Failure, type NodeRow } from "../../storage/contract/graph-rows.ts";
import { settled } from "./run-state.ts";
import type { RetryPolicy } from "../definition/retry.ts";
import type { NodeDefinition, Worker } from "../definition/definition-types.ts";

export type WaitOutcome = { ok: true; value: Json } | { ok: false; error: Failure };

/** One thing an attempt waits for. */
export interface Wait {
  readonly kind: "sleep" | "signal" | "nodes";
  /** Of the inner node; of `ctx.map`, what its items' ids start with. */
  readonly id: string;
  /** The node whose attempt waits. */
  readonly owner: NodeRow;
  /** Name of the signal. */
  readonly signal?: string;
  /** As it was given, for the message. */
  readonly timeout?: Duration | undefined;
  /** Makes the worker's value of a signal's payload. Rejects with `SVC_INVALID`. */
  readonly parse?: ((payload: Json) => Promise<Json>) | undefined;
  /** When the sleep is over, or the wait given up. */
  dueMs?: number | undefined;
  /** Its time has come, in a pause: that it is over is decided as the graph goes on, whatever the clock was set to by then. */
  isOverdue?: boolean;
  /** Set when it is decided. */
  outcome?: WaitOutcome;
  /** Called once the outcome is committed. */
  readonly wake: () => void;
}

export interface CallOptions {
  worker: Worker<never, unknown>;
  /** One, or of `ctx.map` one for each item. */
  inputs: readonly Json[];
  /** How many may be under way at once. */
  concurrency: number;
  /** Whether the outcome tells of each node what became of it. */
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
  /** How many nodes it is made of. */
  readonly size: number;
  readonly mayFail: boolean;
  readonly definition: NodeDefinition;
  readonly wake: () => void;
  outcome?: WaitOutcome;
  /** In item order. */
  rows: readonly NodeRow[] = [];
  /** Those that have not ended. */
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

  /** Its rows are known. */
  take(rows: readonly NodeRow[]): void {
    this.rows = rows;
    this.left = rows.filter((row) => row.status === "pending").length;
  }

  get hasFailed(): boolean {
    return this.rows.some((row) => row.status === "failed");
  }

  /** Nodes whose turn has come. */
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

/** What a call comes to: the node's result, or, of items, the array of them; or what failed first. */
export function callOutcome({ rows, isMap, mayFail }: NodesWait): WaitOutcome {
  const failed = rows.find((row) => row.status === "failed");
  if (failed?.error && !mayFail) return { ok: false, error: withoutOrigin(failed.error) };
  if (!isMap) return { ok: true, value: rows[0]?.result ?? null };
  return { ok: true, value: rows.map((row) => (mayFail ? settled(row) : (row.result ?? null))) };
}
