/** What a thread and the engine say to each other while an isolated worker runs. */
import type { Json } from "../../../platform/shared/json.ts";
import type { FailureOrigin, FailureReason } from "../../../storage/contract/graph-rows.ts";
import type { TransactionValue } from "../../../storage/contract/transaction.ts";
import { FinalError } from "../../definition/final-error.ts";
import { CallError, WaitTimeoutError } from "../attempt/call-error.ts";
import { noteOrigin, originOf } from "../error-origin.ts";
import type { WorkerToolOptions } from "../attempt/worker-tools.ts";

/** An error as it crosses over. */
export interface ErrorMessage {
  name: string;
  message: string;
  isFinal: boolean;
  retryAfter: string | number | undefined;
  origin?: FailureOrigin | undefined;
  /** Of a call that has failed. */
  call?: { node: string; reason: FailureReason };
}

export type Told = "log" | "emit" | "progress" | "summary" | "heartbeat" | "setState";
export type Asked = "checkpoint" | "step" | "sleep" | "waitFor" | "call" | "map" | "artifact" | "tx";

/** What a promise came to. */
export type Settlement = { value: unknown } | { error: ErrorMessage };

export type ToThread =
  | {
      type: "run";
      module: string;
      worker: string;
      input: unknown;
      context: { graphId: string; nodeId: string; attempt: number; epoch: number; deps: Record<string, Json> };
      state: Json | undefined;
      tools: WorkerToolOptions;
    }
  | { type: "settled"; id: number; settlement: Settlement }
  /** The function of a step is to run. */
  | { type: "step"; id: number; idempotencyKey: string; attempt: number }
  /** That try of the step is over, whatever it still comes to. */
  | { type: "late"; id: number; attempt: number; message: string }
  /** A signal that has come for the wait `id` is to be held against its schema. */
  | { type: "check"; id: number; check: number; payload: Json }
  /** The function of a transaction is to run, which is open. */
  | { type: "begun"; id: number }
  /** What a statement came to. */
  | { type: "answered"; query: number; settlement: Settlement };

export type FromThread =
  | { type: "told"; method: Told; args: unknown[] }
  | { type: "asked"; method: Asked; id: number; args: unknown[] }
  /** What a try of a step came to, and what its `retryIf` says; or a transaction, which has one try, 0. */
  | { type: "stepped"; id: number; attempt: number; settlement: Settlement; mayRetry: boolean }
  /** What the schema says: a `value`, or `issues`. */
  | { type: "checked"; check: number; settlement: Settlement }
  /** A statement in the transaction `id`. */
  | { type: "query"; id: number; query: number; sql: string; values: readonly TransactionValue[] | undefined }
  | { type: "ended"; settlement: Settlement };

export function errorMessage(error: unknown): ErrorMessage {
  const { name, message, isFinal, retryAfter } = (
    typeof error === "object" && error !== null ? error : { message: String(error) }
  ) as { name?: unknown; message?: unknown; isFinal?: unknown; retryAfter?: unknown };
  return {
    name: String(name ?? "Error"),
    message: String(message ?? ""),
    isFinal: isFinal === true,
    retryAfter: typeof retryAfter === "string" || typeof retryAfter === "number" ? retryAfter : undefined,
    origin: originOf(error),
    ...(error instanceof CallError && { call: { node: error.node, reason: error.reason } }),
  };
}

/** The error again, as far as retries and those who read it go by it: those of this package are of their class, for `instanceof`. */
export function errorOf(given: ErrorMessage): Error {
  const { name, message, isFinal, retryAfter } = given;
  const error = emptyOf(given);
  error.message = message;
  error.name = name;
  noteOrigin(error, given.origin);
  return Object.assign(error, isFinal && { isFinal }, retryAfter !== undefined && { retryAfter });
}

function emptyOf({ name, message, call }: ErrorMessage): Error {
  if (name === "WaitTimeoutError") return new WaitTimeoutError(message);
  if (call) return new CallError(call.node, { message, ...call });
  return name === "FinalError" ? new FinalError(message) : new Error(message);
}
