/** What `ctx.call`, `ctx.map` and `ctx.waitFor` throw. Final unless caught: what came of them is remembered. */
import type { Failure, FailureReason } from "../../../storage/contract/graph-rows.ts";
import { FinalError } from "../../definition/final-error.ts";

/** A worker that was called has failed for good. */
export class CallError extends FinalError {
  /** The node that failed. */
  readonly node: string;
  readonly reason: FailureReason;

  constructor(callId: string, { message, reason, node = callId }: Failure) {
    super(`"${node}" failed: ${message}`);
    this.name = "CallError";
    this.node = node;
    this.reason = reason;
  }
}

/** No signal came in time. */
export class WaitTimeoutError extends FinalError {
  constructor(message: string) {
    super(message);
    this.name = "WaitTimeoutError";
  }
}
