/**
 * Promises that workers get from their context. A worker may begin several calls and await them one after the other: if a call fails
 * meanwhile, such as by a cancel or a shutdown, the unhandled rejection would end the whole process.
 */

/** Marks a promise as handled. Its error still reaches the code that awaits it. */
export function handled<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

/** Begins a call at once. An error that it throws becomes a rejection. */
export function beginCall<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  return handled((async () => call())());
}
