/** Retries streams that the browser gave up because the response was not a stream: whether to retry, and how long to wait. */

/** Delay before the first retry. Each further delay doubles, up to the maximum. */
export const FIRST_WAIT_MS = 1000;
export const LONGEST_WAIT_MS = 30_000;

/** Response statuses after which a retry is useless. */
const FINAL = new Set([400, 403, 404]);

/**
 * Asks why the browser gave up. The stream alone looks the same when a proxy has no backend. @returns `"over"`: the server rejects the
 * stream; `"expired"`: it wants a new address; `"later"`: a retry may succeed
 */
export async function refusalOf(url: URL): Promise<"over" | "expired" | "later"> {
  const leave = new AbortController();
  const status = await fetch(url, { signal: leave.signal }).then(
    (answer) => answer.status,
    () => 0,
  );
  leave.abort();
  if (status === 401) return "expired";
  return FINAL.has(status) ? "over" : "later";
}
