/** The requests that are answered now, as they are listed. Pure. */
import type { RequestView } from "../../ops.ts";

/**
 * Those that have yet to be answered first: streams are open for as long as somebody looks. Each the longest first.
 * @param own id of the request that asks: it would be there every time
 */
export function inTurn(requests: readonly RequestView[], own: string): RequestView[] {
  const others = requests.filter((request) => request.request_id !== own);
  return [...others.filter((request) => !request.is_stream), ...others.filter((request) => request.is_stream)];
}
