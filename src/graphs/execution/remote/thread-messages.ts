/** Messages between a thread and the engine while an isolated worker runs. */
import { readableError } from "../../definition/thrown.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { FailureOrigin, FailureReason } from "../../../storage/contract/graph-rows.ts";
import type { TransactionValue } from "../../../storage/contract/transaction.ts";
import { FinalError } from "../../definition/final-error.ts";
import { CallError, WaitTimeoutError } from "../attempt/call-error.ts";
import { noteOrigin, originOf } from "../error-origin.ts";
import type { WorkerToolOptions } from "../attempt/worker-tools.ts";

/** A serialized error. */
export interface ErrorMessage {
  name: string;
  message: string;
  isFinal: boolean;
  retryAfter: string | number | undefined;
  origin?: FailureOrigin | undefined;
  /** Data of a CallError. */
  call?: { node: string; reason: FailureReason };
}

export type ReportMethod = "log" | "emit" | "progress" | "summary" | "heartbeat" | "setState";
export type Asked =
  | "checkpoint"
  | "step"
  | "sleep"
  | "waitFor"
  | "waitForEvent"
  | "call"
  | "map"
  | "artifact"
  | "tx"
  | "patched"
  | "setAttributes";

/** Outcome of a promise. */
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
  /** Run the function of a step. */
  | { type: "step"; id: number; idempotencyKey: string; attempt: number }
  /** This try of the step is over; its later outcome is ignored. */
  | { type: "late"; id: number; attempt: number; message: string }
  /** Validate a signal for the wait `id`. */
  | { type: "check"; id: number; check: number; payload: Json }
  /** Run the function of an open transaction. */
  | { type: "begun"; id: number }
  /** Result of a statement. */
  | { type: "answered"; query: number; settlement: Settlement };

export type FromThread =
  | { type: "told"; method: ReportMethod; args: unknown[] }
  | { type: "asked"; method: Asked; id: number; args: unknown[] }
  /** Outcome of a try of a step, with the answer of its `retryIf`; or of a transaction, as try 0. */
  | { type: "stepped"; id: number; attempt: number; settlement: Settlement; mayRetry: boolean }
  /** Result of the schema: a `value`, or `issues`. */
  | { type: "checked"; check: number; settlement: Settlement }
  /** A statement in the transaction `id`. */
  | { type: "query"; id: number; query: number; sql: string; values: readonly TransactionValue[] | undefined }
  | { type: "ended"; settlement: Settlement };

export function errorMessage(thrown: unknown): ErrorMessage {
  const error = readableError(thrown);
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

/** Restores an error with its data for retries and readers. Errors of this package have their class, for `instanceof`. */
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
