/** Streams that the browser has given up, for their answer was none: whether to try again, and how long to wait. */

/** Before the first try; each one after it waits twice as long as the one before, and none longer than the longest. */
export const FIRST_WAIT_MS = 1000;
export const LONGEST_WAIT_MS = 30_000;

/** Statuses after which asking again is of no use. */
const FINAL = new Set([400, 401, 403, 404]);

/** @returns whether the server itself refuses it: a stream does not tell that from a proxy without a server behind it. */
export async function isRejected(url: URL): Promise<boolean> {
  const leave = new AbortController();
  const status = await fetch(url, { signal: leave.signal }).then(
    (answer) => answer.status,
    () => 0,
  );
  leave.abort();
  return FINAL.has(status);
}
