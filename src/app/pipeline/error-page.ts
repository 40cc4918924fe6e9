/**
 * Responses to errors: an HTML page for people, problem+json (RFC 9457) for other clients. platform/http/response/response.ts decides
 * which details a response contains.
 */
import { STATUS_CODES } from "node:http";
import { readQualities } from "../../platform/http/request/weighted-list.ts";
import { describeError, errorHeaders, errorProblem, html, json } from "../../platform/http/response/response.ts";
import type { Context, Result } from "../../platform/http/types.ts";
import { escapeText } from "../../platform/shared/html/escape.ts";
import { BASE_PATH, PATHS, type ActionReply } from "../../platform/shared/wire.ts";
import { PAGE_MARK } from "./page-mark.ts";
import { Redirect } from "./outcome.ts";

/** Below these paths every response is the envelope of actions, even if no action was called. */
const ENVELOPED = [`${PATHS.action}/`, `${PATHS.submit}/`];

type Asked = Pick<Context, "requestId" | "header" | "path"> & { nonce?: string };

/** @param faultPage page for server errors in development. */
export function answerError(
  error: unknown,
  ctx: Asked,
  isDevelopment: boolean,
  faultPage?: (error: unknown, nonce: string) => string,
): Result {
  if (error instanceof Redirect) return error.result;
  if (ENVELOPED.some((prefix) => ctx.path.startsWith(prefix))) {
    const { status, detail } = describeError(error, ctx, isDevelopment);
    return json({ ok: false, value: null, error: detail } satisfies ActionReply, status, errorHeaders(error));
  }
  if (!wantsPage(ctx)) return errorProblem(error, ctx, isDevelopment);
  const { status, detail } = describeError(error, ctx, isDevelopment);
  if (faultPage && ctx.nonce !== undefined && status >= 500) {
    return html(faultPage(error, ctx.nonce), status, ["cache-control", "no-store", ...errorHeaders(error)]);
  }
  return html(errorPage(status, detail, isDevelopment && status >= 500), status, [
    "cache-control",
    "no-store",
    ...PAGE_MARK,
    ...errorHeaders(error),
  ]);
}

/** Whether the client prefers HTML to JSON. Built-in endpoints never return pages. */
export function wantsPage(ctx: Pick<Context, "header" | "path">): boolean {
  return prefersHtml(ctx.header("accept")) && !ctx.path.startsWith(`${BASE_PATH}/`);
}

/** Browsers accept text/html when they navigate. fetch and curl accept any type, and get JSON. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const qualities = readQualities(accept);
  const html = qualities.get("text/html") ?? 0;
  return html > 0 && JSON_TYPES.every((type) => html >= (qualities.get(type) ?? 0));
}

const JSON_TYPES = ["application/json", "application/problem+json"];

/** Styled with attributes, which the page's policy allows without a nonce. */
function errorPage(status: number, detail: string, isSource: boolean): string {
  const title = `${status} ${STATUS_CODES[status] ?? "Error"}`;
  const reported = isSource
    ? `<pre style="overflow:auto;padding:1rem;border:1px solid">${escapeText(detail)}</pre>`
    : `<p>${escapeText(detail)}</p>`;
  return (
    `<!doctype html><html lang="en" style="color-scheme:light dark"><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>` +
    `<body style="font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:15vh auto;padding:0 1.5rem">` +
    `<main><h1 style="font-size:1.5rem;line-height:1.2">${title}</h1>${reported}` +
    `<p><a href="/" style="color:inherit">Go to the start page</a></p></main></body></html>`
  );
}
