/** A whole document: what the view renders to, and in the head and at the end what the browser needs for it. */
import { escapeAttribute, escapeScriptJson, escapeText } from "../shared/escape.ts";
import type { Manifest } from "../shared/manifest.ts";
import { DOM, PATHS } from "../shared/wire.ts";
import { placed } from "./placing.ts";
import { Render, renderInto } from "./render.ts";
import type { ValueNames } from "./value-names.ts";

export interface PageRenderOptions {
  /** Read only when the page has a script. */
  readonly nonce: string;
  /** Asked only when the page holds a token. */
  csrfToken: () => string;
  manifest: Manifest;
  title: string;
  lang?: string;
  description?: string;
  /** More elements of the head. */
  head?: () => unknown;
  /** Paths of stylesheets. */
  stylesheets?: readonly string[];
  prefetch?: "intent" | "idle";
  /** Text of the inline stub with its tokens in it (events.ts). Read only when the page has a script. */
  readonly stub: string;
  /** Development only. */
  names?: ValueNames | undefined;
}

export interface RenderedPage {
  html: string;
  /** Whether the page has a script: a page without any scope has none. */
  interactive: boolean;
  /** Whether the page holds the visitor's token, and so belongs to nobody else. */
  usesCsrf: boolean;
  /** What boundaries caught while the page was rendered. */
  errors: readonly unknown[];
}

/** @throws what the view throws; SvcError `SVC201` when browser code captures what can't travel. */
export function renderPage(view: () => unknown, options: PageRenderOptions): RenderedPage {
  const render = new Render(options.manifest, options.csrfToken, options.names);
  try {
    return renderWhole(render, view, options);
  } finally {
    render.end();
  }
}

function renderWhole(render: Render, view: () => unknown, options: PageRenderOptions): RenderedPage {
  const head = options.head ? renderInto(render, options.head) : "";
  const written = renderInto(render, view);
  const moved = render.takeMoved();
  const body = moved.length === 0 ? written : placed(written, moved);
  const interactive = render.scopes.size > 0;
  const stub = interactive ? stubScript(render, options) : "";
  const state = interactive ? stateScript(render, options) + loaderScripts(render, options) : "";
  const html = `<!doctype html><html${htmlAttributes(options, interactive ? render : undefined)}><head>${headElements(options)}${stub}${head}</head><body>${body}${state}</body></html>`;
  return { html, interactive, usesCsrf: render.usesCsrf, errors: render.errors };
}

function htmlAttributes({ lang = "en", manifest, prefetch }: PageRenderOptions, render: Render | undefined): string {
  const language = ` lang="${escapeAttribute(lang)}"`;
  if (!render) return language;
  return `${language} ${DOM.build}="${escapeAttribute(manifest.build)}"${prefetch === "idle" ? ` ${DOM.prefetch}="idle"` : ""}${render.events.htmlAttributes()}`;
}

function headElements({ title, description, stylesheets = [] }: PageRenderOptions): string {
  let out = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeText(title)}</title>`;
  if (description !== undefined) out += `<meta name="description" content="${escapeAttribute(description)}">`;
  for (const path of stylesheets) out += `<link rel="stylesheet" href="${escapeAttribute(path)}">`;
  return out;
}

function stubScript(render: Render, { nonce, stub }: PageRenderOptions): string {
  return `<script nonce="${nonce}">${render.events.stub(stub)}</script>`;
}

/**
 * The last element: an async script runs as soon as it is there, and what it needs is the state and every element with a
 * handler. Until then the stub queues. Not preloaded: browsers that run no script would fetch it too.
 */
function loaderScripts({ events }: Render, { nonce, prefetch }: PageRenderOptions): string {
  const paths = events.hasMoments || prefetch === "idle" ? [PATHS.loader, PATHS.moments] : [PATHS.loader];
  return paths.map((path) => `<script type="module" async nonce="${nonce}" src="${path}"></script>`).join("");
}

function stateScript(render: Render, { nonce }: PageRenderOptions): string {
  const json = escapeScriptJson(JSON.stringify(render.state()));
  return `<script type="application/json" id="${DOM.stateId}" nonce="${nonce}">${json}</script>`;
}
