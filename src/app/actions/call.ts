/** Options of an action call; src/web/client/actions/call.ts is the browser's side. */

export interface CallOptions {
  /** Aborts the call: it rejects with an `ActionError` of status 0, and `currentContext().signal` of the action aborts. */
  signal?: AbortSignal;
  /**
   * Calls of one session with the same key run the action once; others get the first answer, for 24 hours. So a call may be repeated if
   * its arrival is unknown. 1 to 255 visible ASCII characters; create one with `crypto.randomUUID()` for each intent, not for each
   * attempt.
   */
  idempotencyKey?: string;
}

/**
 * Calls an action with options: `await call(search, { signal })(text)`. For browser code; on the server, where actions are called
 * directly, the options have no effect.
 * @example
 * const controller = new AbortController();
 * await call(addTodo, { signal: controller.signal, idempotencyKey: crypto.randomUUID() })("Buy milk");
 */
export function call<Args extends unknown[], Result>(
  action: (...args: Args) => Result,
  _options: CallOptions,
): (...args: Args) => Result {
  return action;
}
