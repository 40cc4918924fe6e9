/**
 * `ActionError` for code on the server. In the browser it is a class of its own (src/web/client/actions/act.ts); on the server an action
 * is called directly, and its errors are `SvcError`s with the same `status`, `message` and `issues`. So `error instanceof ActionError`
 * holds on both sides.
 */
import { ERRORS, SvcError, type Issue } from "../../platform/shared/errors.ts";

/**
 * Error of an action call that the server refused, or that could not reach the server.
 * @example
 * try {
 *   await addTodo(text.value);
 * } catch (error) {
 *   if (error instanceof ActionError && error.status === 422) message.value = error.message;
 * }
 */
export class ActionError extends Error {
  /** HTTP status of the refusal; 0 if the server could not be reached, or the call was aborted. */
  declare readonly status: number;
  /** Problems of the arguments by path; undefined or empty unless the server validated them. */
  declare readonly issues: readonly Issue[] | undefined;

  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof SvcError && ERRORS[error.code].family === "client";
  }
}
