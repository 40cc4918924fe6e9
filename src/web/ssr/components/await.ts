/** `<Await>`: content that is rendered when a promise settles, while the rest of the page is already sent. */
import type { Child, Markup } from "../../jsx/element.ts";
import { ServerResource, type Resource } from "../../reactivity/server-resource.ts";
import { durationMs, type Duration } from "../../../platform/shared/clock.ts";
import { guarded, nearestFallback, writeFallback, type Fallback } from "./error-boundary.ts";
import { Html } from "../html.ts";
import { DeferredContent } from "../streaming/deferred-content.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface AwaitProps<T> {
  /** A promise, a resource, or a function that returns a promise. A plain value, or a settled resource, is rendered at once. */
  value: Resource<T> | T | PromiseLike<T> | (() => T | PromiseLike<T>);
  /** Placeholder. In a table or a `<select>`: one element. */
  pending?: Child;
  /** Replaces the children on failure. Default: the fallback of the nearest `<ErrorBoundary>`, else nothing. */
  catch?: Fallback;
  /** Time limit, after which the content fails. Default: the page's. */
  deadline?: Duration;
  /** Renders the value. */
  children: (value: T) => Child;
}

/**
 * Renders its children with the value. The page is sent with `pending` as the placeholder. Deferred content follows as it becomes
 * ready, in any order. A page without browser code needs no script: it is sent in order. An error after the page was sent affects
 * only this content, and is logged on the server.
 * @example
 * <Await value={loadReviews()} pending={<p>Loading …</p>} catch={() => <p>No reviews</p>}>
 *   {(reviews) => <p>{reviews.length} reviews</p>}
 * </Await>
 */
export function Await<T>(props: AwaitProps<T>): Markup {
  return new Html(() => {
    const render = currentRender();
    const write = (value: unknown): string => t(props.children(value as T));
    const { value, deadline } = props;
    const given = promisedBy(value);
    if (!isPromise(given)) {
      const fallback = props.catch ?? nearestFallback();
      if (fallback === undefined) return write(given);
      return guarded(
        () => write(given),
        (error) => writeFallback(fallback, error),
      );
    }
    const source = {
      promise: given,
      deadlineMs: deadline === undefined ? render.deadlineMs : durationMs(deadline),
      pending: () => t(props.pending),
      fallback: props.catch,
      children: write,
    };
    return render.deferred.add((id) => new DeferredContent(id, render, source));
  });
}

function promisedBy(value: unknown): unknown {
  if (typeof value === "function") return (value as () => unknown)();
  if (!(value instanceof ServerResource)) return value;
  const { state } = value;
  return "v" in state ? state.v : value.settled;
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
