/** Retries streams that the browser gave up because the response was not a stream: whether to retry, and how long to wait. */

/** Delay before the first retry. Each further delay doubles, up to the maximum. */
export const FIRST_WAIT_MS = 1000;
export const LONGEST_WAIT_MS = 30_000;

/** Response statuses after which a retry is useless. */
const FINAL = new Set([400, 401, 403, 404]);

/** @returns whether the server itself rejects it. The stream alone cannot distinguish that from a proxy without a backend. */
export async function isRejected(url: URL): Promise<boolean> {
  const leave = new AbortController();
  const status = await fetch(url, { signal: leave.signal }).then(
    (answer) => answer.status,
    () => 0,
  );
  leave.abort();
  return FINAL.has(status);
}
