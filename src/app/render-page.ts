/** Answers a request for a page: loads, renders, and keeps answers that hold a token from being kept by anyone. */
import { html } from "../http/response.ts";
import type { Handler } from "../http/types.ts";
import { renderPage } from "../ssr/render-page.ts";
import { ValueNames } from "../ssr/value-names.ts";
import { HEADERS } from "../shared/wire.ts";
import type { PageDefinition } from "./page.ts";
import type { Services } from "./services.ts";
import { tokenFor } from "./session.ts";

/** Pages may be personal and their nonce is fresh, so they are asked for anew each time. */
const PRIVATE = ["cache-control", "private, no-cache"];

export function pageHandler(definition: PageDefinition, services: Services): Handler {
  return async (ctx) => {
    const prepared = await definition.prepare(ctx);
    const { title, description, lang, prefetch, head } = prepared;
    const { site, stylesheets, secret } = services;
    const manifest = await site.manifest();
    const rendered = renderPage(prepared.view, {
      // Made on first use: a page without script needs neither.
      get nonce() {
        return ctx.nonce;
      },
      csrfToken: () => tokenFor(ctx, secret),
      get stub() {
        return site.stub();
      },
      manifest,
      names: site.dev && new ValueNames(site.dev.kept(ctx.header(HEADERS.devValues) ?? "")),
      title,
      lang,
      prefetch,
      stylesheets: [...stylesheets],
      ...(description === undefined ? {} : { description }),
      ...(head === undefined ? {} : { head }),
    });
    for (const error of rendered.errors) services.log(`page ${ctx.path}, in an error boundary: ${told(error)}`);
    return html(rendered.html, prepared.status, PRIVATE);
  };
}

function told(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
