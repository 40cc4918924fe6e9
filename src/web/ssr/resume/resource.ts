/** `resource`, as components call it: begins to fetch while the page is rendered, and ends with the page. */
import { ServerResource, type Resource } from "../../reactivity/server-resource.ts";
import { untrack } from "../../reactivity/signal.ts";
import { renderInProgress } from "../current-page.ts";

/** What a fetcher gets besides what to fetch. */
export interface FetchOptions {
  /** Aborts when the result is wanted no more: a newer fetch has begun, or the page has gone. */
  signal: AbortSignal;
}

/**
 * A value that is fetched: on the server while the page is rendered, where `<Await value={…}>` waits for it and the page
 * takes the result along; in the browser again whenever what `source` reads has changed, or by `refetch()`. Of several
 * fetches under way the last one counts.
 * @param source what to fetch; reads signals, stores and props. Runs on both sides.
 * @param fetcher gets it; runs on both sides, so it calls a server action, or a URL that both reach.
 */
export function resource<S, T>(
  source: () => S,
  fetcher: (source: S, options: FetchOptions) => T | PromiseLike<T>,
): Resource<T> {
  const render = renderInProgress();
  const signal = render?.signal ?? new AbortController().signal;
  const start = (): T | PromiseLike<T> => fetcher(untrack(source), { signal });
  return new ServerResource(() => (render ? render.around(start) : start()));
}
