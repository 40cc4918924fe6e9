/** `<ErrorBoundary>`: what can't be rendered is replaced as a whole, so a page never holds half a piece. */
import type { Child, Markup } from "../jsx/element.ts";
import { Answer, ERRORS, SvcError } from "../shared/errors.ts";
import { Html } from "./html.ts";
import { currentRender } from "./render.ts";
import { t } from "./write.ts";

export interface ErrorBoundaryProps {
  /** In place of the children; a function is given the error, of which visitors should see little. */
  fallback: Child | ((error: unknown) => Child);
  children?: Child;
}

/**
 * Its children, or `fallback` when one of them throws while the server renders. The error goes to the server's log.
 * Redirects and refusals (`notFound()` and its kin) are the page's answer and pass.
 */
export function ErrorBoundary(props: ErrorBoundaryProps): Markup {
  return new Html(() => {
    const render = currentRender();
    const mark = render.mark();
    try {
      return t(props.children);
    } catch (error) {
      if (isAnswer(error)) throw error;
      render.rollBack(mark);
      render.errors.push(error);
      return t(typeof props.fallback === "function" ? props.fallback(error) : props.fallback);
    }
  });
}

function isAnswer(error: unknown): boolean {
  return error instanceof Answer || (error instanceof SvcError && ERRORS[error.code].family === "yours");
}
