/** Errors of `ctx.call`, `ctx.map` and `ctx.waitFor`. Final unless caught, because their outcome is stored. */
import type { Failure, FailureReason } from "../../../storage/contract/graph-rows.ts";
import { FinalError } from "../../definition/final-error.ts";

/**
 * A called worker has failed permanently.
 * @example
 * worker("parent", async (_input, ctx) => {
 *   try {
 *     return await ctx.call("charge", charge, { cents: 500 });
 *   } catch (error) {
 *     if (error instanceof CallError) return { failedAt: error.node };
 *     throw error;
 *   }
 * });
 */
export class CallError extends FinalError {
  /** The node that failed. */
  readonly node: string;
  readonly reason: FailureReason;

  constructor(callId: string, { message, reason, node = callId }: Failure) {
    super(`"${node}" failed: ${message}`, { code: "SVC_CALL" });
    this.name = "CallError";
    this.node = node;
    this.reason = reason;
  }
}

/**
 * No signal arrived in time.
 * @example
 * worker("approve", async (_input, ctx) => {
 *   try {
 *     return await ctx.waitFor("approval", { timeout: "1d" });
 *   } catch (error) {
 *     if (error instanceof WaitTimeoutError) return { approved: false };
 *     throw error;
 *   }
 * });
 */
export class WaitTimeoutError extends FinalError {
  constructor(message: string) {
    super(message, { code: "SVC_WAIT_TIMEOUT" });
    this.name = "WaitTimeoutError";
  }
}
