/** `<ErrorBoundary>`: replaces failed content as a whole, on the server and in the browser, so that a page never shows half of it. */
import type { Child, Markup } from "../../jsx/element.ts";
import { Answer, ERRORS, SvcError } from "../../../platform/shared/errors.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { provide, provided } from "../context.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

/**
 * JSX that replaces failed content. A function gets the error, whose details visitors should not see, and `reset`, which restores
 * the content; after an error on the server, `reset` requests the page again.
 */
export type Fallback = Child | ((error: unknown, reset: () => void) => Child);

export interface ErrorBoundaryProps {
  /**
   * Replaces the children. The browser can show static markup, which the server renders in advance, and the result of a function
   * that returns one host element. If a function returns components, only the server can show its result.
   */
  fallback: Fallback;
  children?: Child;
}

interface Compiled extends ErrorBoundaryProps {
  /** Writes the element that ends the boundary and refers to the browser code of the fallback. */
  end?: () => string;
}

/** Context key of the nearest boundary's fallback, for deferred content that fails after the page was sent. */
const BOUNDARY = {};

/**
 * Renders its children, or `fallback` if one of them throws: during the server render, or in a handler, binding, effect or row in
 * the browser. The server logs the error, or the browser reports it.
 * Redirects and refusals such as `notFound()` pass through, because they determine the response. If an `<Await>` inside fails later
 * and has no `catch`, `fallback` replaces only that deferred content.
 * @example
 * <ErrorBoundary fallback={(_error, reset) => <button onClick={reset}>Try again</button>}>
 *   <Chart />
 * </ErrorBoundary>
 */
export function ErrorBoundary(props: ErrorBoundaryProps): Markup {
  return new Html(() => {
    const { fallback } = props;
    return guarded(
      () => provide(BOUNDARY, fallback, () => content(props)),
      (error) => writeFallback(fallback, error),
    );
  });
}

/** Renders the children, between marks if the browser can show the fallback and the children have browser code or deferred content. */
function content({ children, end, fallback }: Compiled): string {
  const render = currentRender();
  if (end === undefined && typeof fallback === "function") return t(children);
  const before = render.mark().scopes + render.deferred.size;
  const html = render.scopes.guard(true, () => t(children));
  if (render.mark().scopes + render.deferred.size === before) return html;
  const last = end ? end() : `<template ${DOM.boundary}>${t(fallback as Child)}</template>`;
  return `<!--${DOM.boundary}-->${html}${last}`;
}

/** Returns the result of `write`. If it throws, rolls the render back and returns the result of `instead`; rethrows redirects and refusals. */
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
  return t(typeof fallback === "function" ? fallback(error, () => {}) : fallback);
}

/** Fallback of the nearest boundary; undefined outside of any. */
export function nearestFallback(): Fallback {
  return provided(BOUNDARY, undefined) as Fallback;
}

function isAnswer(error: unknown): boolean {
  return error instanceof Answer || (error instanceof SvcError && ERRORS[error.code].family === "client");
}
