/** `<Await>`: a piece of the page that is written when a promise is settled, while the rest of the page is there already. */
import type { Child, Markup } from "../../jsx/element.ts";
import { ServerResource, type Resource } from "../../reactivity/server-resource.ts";
import { durationMs, type Duration } from "../../../platform/shared/clock.ts";
import { guarded, nearestFallback, writeFallback, type Fallback } from "./error-boundary.ts";
import { Html } from "../html.ts";
import { DeferredContent } from "../streaming/deferred-content.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface AwaitProps<T> {
  /** What to wait for: a promise, a resource, or a function that gives a promise. What is there is written at once. */
  value: Resource<T> | T | PromiseLike<T> | (() => T | PromiseLike<T>);
  /** Shown until then. Rows of a table and options: one element. */
  pending?: Child;
  /** In place of the children when it fails. Default: the fallback of the nearest `<ErrorBoundary>`, else nothing. */
  catch?: Fallback;
  /** After which it has failed. Default: that of the page. */
  deadline?: Duration;
  /** Writes the value. */
  children: (value: T) => Child;
}

/**
 * Its children with the value. The page goes out without it and has `pending` in its place; the piece follows when it is
 * there, in whatever order pieces become ready. A page without browser code needs no script for that: it is sent in order.
 * An error after the page went out is the piece's alone; it goes to the server's log.
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
    return render.pieces.add((id) => new DeferredContent(id, render, source));
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
