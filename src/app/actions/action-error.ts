/**
 * `ActionError` as code on the server sees it. In the browser it is a class of its own (src/web/client/actions/act.ts); here an action
 * is called directly, and what it refuses with is an `SvcError`, which has the same `status`, `message` and `issues`. So
 * `error instanceof ActionError` holds on both sides, in code that runs on both.
 */
import { ERRORS, SvcError, type Issue } from "../../platform/shared/errors.ts";

/** What a call of an action rejects with when the server refuses it, or can't be reached. */
export class ActionError extends Error {
  /** HTTP status of the refusal; 0 where the server could not be reached, or the call was given up. */
  declare readonly status: number;
  /** Which arguments are wrong and why, by path from the first; undefined or empty unless the server validated. */
  declare readonly issues: readonly Issue[] | undefined;

  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof SvcError && ERRORS[error.code].family === "client";
  }
}
