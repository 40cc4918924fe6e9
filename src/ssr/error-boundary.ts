/** `<ErrorBoundary>`: what can't be rendered is replaced as a whole, so a page never holds half a piece. */
import type { Child, Markup } from "../jsx/element.ts";
import { Answer, ERRORS, SvcError } from "../shared/errors.ts";
import { provide, provided } from "./context.ts";
import { Html } from "./html.ts";
import { currentRender } from "./render.ts";
import { t } from "./write.ts";

/** JSX in place of what failed; a function is given the error, of which visitors should see little. */
export type Fallback = Child | ((error: unknown) => Child);

export interface ErrorBoundaryProps {
  /** In place of the children; a function is given the error, of which visitors should see little. */
  fallback: Fallback;
  children?: Child;
}

/** Under which the nearest boundary's fallback is handed down, for pieces that fail after the page has gone out. */
const BOUNDARY = {};

/**
 * Its children, or `fallback` when one of them throws while the server renders. The error goes to the server's log.
 * Redirects and refusals (`notFound()` and its kin) are the page's answer and pass. Of an `<Await>` below that fails
 * later, and has no `catch`, `fallback` takes the place of that piece alone.
 */
export function ErrorBoundary(props: ErrorBoundaryProps): Markup {
  return new Html(() => {
    const { fallback } = props;
    return guarded(
      () => provide(BOUNDARY, fallback, () => t(props.children)),
      (error) => writeFallback(fallback, error),
    );
  });
}

/** What `write` gives; when it throws what is no answer, what `instead` gives, as if `write` had never run. */
export function guarded(write: () => string, instead: (error: unknown) => string): string {
  const render = currentRender();
  const mark = render.mark();
  try {
    return write();
  } catch (error) {
    if (isAnswer(error)) throw error;
    render.rollBack(mark);
    render.errors.push(error);
    return instead(error);
  }
}

export function writeFallback(fallback: Fallback, error: unknown): string {
  return t(typeof fallback === "function" ? fallback(error) : fallback);
}

/** Fallback of the nearest boundary; nothing where there is none. */
export function nearestFallback(): Fallback {
  return provided(BOUNDARY, undefined) as Fallback;
}

function isAnswer(error: unknown): boolean {
  return error instanceof Answer || (error instanceof SvcError && ERRORS[error.code].family === "yours");
}
