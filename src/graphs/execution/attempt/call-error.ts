/** Errors of `ctx.call`, `ctx.map` and `ctx.waitFor`. Final unless caught, because their outcome is stored. */
import type { Failure, FailureReason } from "../../../storage/contract/graph-rows.ts";
import { FinalError } from "../../definition/final-error.ts";

/** A called worker has failed permanently. */
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

/** No signal arrived in time. */
export class WaitTimeoutError extends FinalError {
  constructor(message: string) {
    super(message, { code: "SVC_WAIT_TIMEOUT" });
    this.name = "WaitTimeoutError";
  }
}
