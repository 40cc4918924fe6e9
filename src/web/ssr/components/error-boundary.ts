/** `<ErrorBoundary>`: what fails is replaced as a whole, on the server and in the browser, so a page never holds half a piece. */
import type { Child, Markup } from "../../jsx/element.ts";
import { Answer, ERRORS, SvcError } from "../../../platform/shared/errors.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { provide, provided } from "../context.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

/**
 * JSX in place of what failed. A function is given the error, of which visitors should see little, and `reset`, which brings
 * the content back; after a failure of the server it asks for the page again.
 */
export type Fallback = Child | ((error: unknown, reset: () => void) => Child);

export interface ErrorBoundaryProps {
  /**
   * In place of the children. The browser can show markup, which the server writes ahead, and what a function makes of one host
   * element; what a function makes of components only the server shows.
   */
  fallback: Fallback;
  children?: Child;
}

interface Compiled extends ErrorBoundaryProps {
  /** Writes the element that ends the boundary and knows how the browser makes the fallback. */
  end?: () => string;
}

/** Under which the nearest boundary's fallback is handed down, for pieces that fail after the page has gone out. */
const BOUNDARY = {};

/**
 * Its children; or `fallback` when one of them throws, while the server renders, or in a handler, binding, effect or row in
 * the browser. The error goes to the server's log, or is reported by the browser.
 * Redirects and refusals (`notFound()` and its kin) are the page's answer and pass. Of an `<Await>` below that fails
 * later, and has no `catch`, `fallback` takes the place of that piece alone.
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

/** Children between marks, where the browser can show the fallback and any of them has code that can fail there. */
function content({ children, end, fallback }: Compiled): string {
  const render = currentRender();
  if (end === undefined && typeof fallback === "function") return t(children);
  const before = render.mark().scopes + render.pieces.size;
  const html = render.scopes.guard(true, () => t(children));
  if (render.mark().scopes + render.pieces.size === before) return html;
  const last = end ? end() : `<template ${DOM.boundary}>${t(fallback as Child)}</template>`;
  return `<!--${DOM.boundary}-->${html}${last}`;
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
  return t(typeof fallback === "function" ? fallback(error, () => {}) : fallback);
}

/** Fallback of the nearest boundary; nothing where there is none. */
export function nearestFallback(): Fallback {
  return provided(BOUNDARY, undefined) as Fallback;
}

function isAnswer(error: unknown): boolean {
  return error instanceof Answer || (error instanceof SvcError && ERRORS[error.code].family === "client");
}
