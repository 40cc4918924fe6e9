/** A whole page: what the view renders to, as one text, or as a stream where pieces of it come later. */
import { SvcError } from "../../platform/shared/errors.ts";
import { DOCUMENT_END, documentStart, featureScripts, linksScript, loaderScripts, stateScript } from "./document.ts";
import { streamPage, type PageStream, type StreamOptions } from "./streaming/page-stream.ts";
import { renderInto, renderPlaced } from "./current-page.ts";
import { Render, type RenderSettings } from "./render.ts";

export interface PageRenderOptions extends StreamOptions, RenderSettings {
  /** The page goes out in parts. Told before anything of it is written. */
  beginStream?: () => void;
  /** Asked only when the page holds a token, or is streamed: then the headers go out before that is known. */
  csrfToken: () => string;
  /** More elements of the head. */
  head?: (() => unknown) | undefined;
}

export interface RenderedPage {
  /** The page; empty for a stream. */
  html: string;
  /** The page in parts, where some of it is not there yet. Its end, or its `return`, gives back what it holds. */
  stream: PageStream | undefined;
  /** Whether the page has a script: a page without any scope has none. Of a stream, whether its first part has. */
  interactive: boolean;
  /** Whether the page holds the visitor's token, and so belongs to nobody else. */
  usesCsrf: boolean;
  /** What boundaries caught while the page was rendered. */
  errors: readonly unknown[];
}

/** @throws what the view throws; SvcError `SVC201` when browser code captures what can't travel. */
export function renderPage(view: () => unknown, options: PageRenderOptions): RenderedPage {
  const render = new Render(options.manifest, options.csrfToken, options);
  let stream: PageStream | undefined;
  try {
    const head = options.head ? renderInto(render, options.head) : "";
    if (render.pieces.size > 0) {
      throw new SvcError(
        "SVC_DEFINITION",
        "<Await> stands in the head of a page, which goes out first. Await the value in load of page(…).",
      );
    }
    const body = renderPlaced(render, view);
    const interactive = render.scopes.size > 0;
    if (render.pieces.size > 0) {
      options.beginStream?.();
      // The headers go out before it is known whether a piece needs it.
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
