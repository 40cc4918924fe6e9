/** Renders a page: as one string, or as a stream if the page has deferred content. */
import { SvcError } from "../../platform/shared/errors.ts";
import { DOCUMENT_END, documentStart, featureScripts, linksScript, loaderScripts, stateScript } from "./document.ts";
import { streamPage, type PageStream, type StreamOptions } from "./streaming/page-stream.ts";
import { renderInto, renderPlaced } from "./current-page.ts";
import { Render, type RenderSettings } from "./render.ts";

export interface PageRenderOptions extends StreamOptions, RenderSettings {
  /** Called before the page is streamed, and before any of it is written. */
  beginStream?: () => void;
  /** Called only when the page contains a token or is streamed. A stream sends its headers before svc knows whether it needs one. */
  csrfToken: () => string;
  /** Additional elements of the head. */
  head?: (() => unknown) | undefined;
}

export interface RenderedPage {
  /** The page; empty for a stream. */
  html: string;
  /** The page in parts, if some of its content is deferred. Reading it to the end, or calling `return`, releases its resources. */
  stream: PageStream | undefined;
  /** Whether the page has scopes, and therefore scripts. For a stream: whether its first part has. */
  interactive: boolean;
  /** Whether the page contains the visitor's token, so that caches must not share it. */
  usesCsrf: boolean;
  /** Errors that boundaries caught during the render. */
  errors: readonly unknown[];
}

/** @throws the view's errors; SvcError `SVC201` if browser code captures a value that can't be serialized. */
export function renderPage(view: () => unknown, options: PageRenderOptions): RenderedPage {
  const render = new Render(options.manifest, options.csrfToken, options);
  let stream: PageStream | undefined;
  try {
    const head = options.head ? renderInto(render, options.head) : "";
    if (render.deferred.size > 0) {
      throw new SvcError(
        "SVC_DEFINITION",
        "<Await> can't be used in the head of a page, because the head is sent first. Await the value in load of page(…).",
      );
    }
    const body = renderPlaced(render, view) + render.scopes.rest();
    const interactive = render.scopes.size > 0;
    if (render.deferred.size > 0) {
      options.beginStream?.();
      // Deferred content may need the token, but its cookie must be in the headers, which are sent first.
      if (options.isTokenless !== true) render.csrfToken();
      stream = streamPage(render, head, body, options);
    }
    const html = stream ? "" : renderWhole(render, head, body, options);
    return { html, stream, interactive, usesCsrf: render.usesCsrf, errors: render.errors };
  } finally {
    if (!stream) render.end();
  }
}

function renderWhole(render: Render, head: string, body: string, options: PageRenderOptions): string {
  const { events, features } = render;
  const isInteractive = render.scopes.size > 0;
  const start = documentStart(options, isInteractive ? events : undefined, features, head);
  const scripts = linksScript(options, isInteractive) + featureScripts(options, features);
  if (!isInteractive) return start + body + scripts + DOCUMENT_END;
  return `${start}${body}${scripts}${stateScript(options, render.state())}${loaderScripts(options, events)}${DOCUMENT_END}`;
}
