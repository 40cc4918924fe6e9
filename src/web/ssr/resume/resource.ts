/** `resource` on the server: starts fetching during the render, and aborts when the page ends. */
import { ServerResource, type Resource } from "../../reactivity/server-resource.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { noteState } from "../../reactivity/server-store.ts";
import { Cell, untrack } from "../../reactivity/signal.ts";
import { dispose } from "../../reactivity/system.ts";
import { renderInProgress } from "../current-page.ts";
import type { TemplateInfo } from "../template-info.ts";
import { lift } from "./function-props.ts";

/** Options of a fetcher. */
export interface FetchOptions {
  /** Aborts when the result is no longer needed, because a newer fetch started or the page ended. */
  signal: AbortSignal;
}

/**
 * A fetched value. The server fetches it during the render: `<Await value={…}>` waits for it, and the page contains the result.
 * The browser fetches again when something that `source` reads changes, or on `refetch()`. If several fetches are pending, the
 * last one wins.
 * @param source returns the fetcher's input; may read signals, stores and props. Runs on both sides.
 * @param fetcher fetches the value. Runs on both sides, so call a server action, or a URL that both sides can reach.
 * @example
 * function Weather() {
 *   const city = signal("Bern");
 *   const report = resource(
 *     () => city.value,
 *     async (name, { signal: abort }) => {
 *       const response = await fetch(`/api/weather?city=${name}`, { signal: abort });
 *       return response.text();
 *     },
 *   );
 *   return <p>{report.pending ? "Loading …" : report.value}</p>;
 * }
 */
export function resource<S, T>(
  source: () => S,
  fetcher: (source: S, options: FetchOptions) => T | PromiseLike<T>,
): Resource<T> {
  const render = renderInProgress();
  const signal = render?.signal ?? new AbortController().signal;
  // A component may get it from a hook or a context.
  noteState();
  const start = (): T | PromiseLike<T> => fetcher(untrack(source), { signal });
  return new ServerResource(() => (render ? render.around(start) : start()));
}

/**
 * `resource` in a function that components call. The next scope of the page connects it in the browser. Called by compiled modules.
 * @param where file, line and column of the call
 * @param block with `symbol` and `slots`: how the browser connects the resource. Missing if only the server can fetch it
 * @throws SvcError SVC111 in development, if the source of such a resource reads a signal or computed
 */
export function resourceOfHook(
  where: string,
  block?: TemplateInfo,
  symbol = "",
  slots: () => readonly unknown[] = () => [],
): typeof resource {
  return (source, fetcher) => {
    const render = renderInProgress();
    if (!block && render?.isDevelopment && readsState(source))
      throw new SvcError(
        "SVC111",
        `SVC111 ${where}\nThe source of this resource reads a signal, but the browser can't run its code, so it can't fetch again. Call resource(…) in the component, and pass it to the function: const item = resource(() => id.value, load).`,
      );
    const made = resource(source, fetcher);
    if (block)
      render?.scopes.addEffect(
        lift(
          block,
          symbol,
          () => [made, ...slots()],
          () => undefined,
        ),
      );
    return made;
  };
}

function readsState(source: () => unknown): boolean {
  const reads = new Cell(undefined, source);
  void reads.value;
  const isReactive = reads._sources !== undefined;
  dispose(reads);
  return isReactive;
}
