/** Sorts the active requests for their table. Pure. */
import type { RequestView } from "../../ops.ts";

/**
 * Requests without a response first, then streams, which stay open as long as the client likes. Each group starts with the longest-running.
 * @param own ID of the current request, which is left out
 */
export function sortRequests(requests: readonly RequestView[], own: string): RequestView[] {
  const others = requests.filter((request) => request.request_id !== own);
  return [...others.filter((request) => !request.is_stream), ...others.filter((request) => request.is_stream)];
}
