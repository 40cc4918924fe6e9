/** What a thread and the engine say to each other while an isolated worker runs. */
import type { Json } from "../../shared/json.ts";
import type { TransactionValue } from "../../store/transaction.ts";
import type { WorkerToolOptions } from "./worker-tools.ts";

/** An error as it crosses over. */
export interface ErrorMessage {
  name: string;
  message: string;
  isFinal: boolean;
  retryAfter: string | number | undefined;
}

export type Told = "log" | "emit" | "progress" | "heartbeat" | "setState";
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
  | { type: "step"; id: number; idempotencyKey: string }
  /** The function of a transaction is to run, which is open. */
  | { type: "begun"; id: number }
  /** What a statement came to. */
  | { type: "answered"; query: number; settlement: Settlement };

export type FromThread =
  | { type: "told"; method: Told; args: unknown[] }
  | { type: "asked"; method: Asked; id: number; args: unknown[] }
  | { type: "stepped"; id: number; settlement: Settlement }
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
  };
}

/** The error again, as far as retries and those who read it go by it. */
export function errorOf({ name, message, isFinal, retryAfter }: ErrorMessage): Error {
  const error = new Error(message);
  error.name = name;
  return Object.assign(error, isFinal && { isFinal }, retryAfter !== undefined && { retryAfter });
}
