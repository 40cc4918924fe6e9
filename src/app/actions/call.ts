/** How an action is called when its arguments alone don't say it: see src/web/client/actions/call.ts for the browser's side. */

export interface CallOptions {
  /** Gives the call up: it rejects with an `ActionError` of status 0, and `currentContext().signal` of the action aborts. */
  signal?: AbortSignal;
  /**
   * Calls of one session with the same key run the action once; the others get the answer of the first, for 24 hours. So a
   * call of which nobody knows whether it arrived may be sent again. 1 to 255 visible ASCII characters; make one with
   * `crypto.randomUUID()` for each intent, not for each attempt.
   */
  idempotencyKey?: string;
}

/**
 * The same action, called with options: `await call(search, { signal })(text)`. For browser code; on the server, where an
 * action is called directly, they change nothing.
 */
export function call<Args extends unknown[], Result>(
  action: (...args: Args) => Result,
  _options: CallOptions,
): (...args: Args) => Result {
  return action;
}
