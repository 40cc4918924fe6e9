/** Creates responses: the usual kinds, and the response to an error. */
import { STATUS_CODES } from "node:http";
import { SvcError, type Issue } from "../../shared/errors.ts";
import type { Context, Result } from "../types.ts";

const HTML_TYPE = "text/html; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const PROBLEM_TYPE = "application/problem+json";

/** For responses that no cache may store. */
const NO_STORE = ["cache-control", "no-store"];

/**
 * Responds with JSON.
 * @example
 * route("GET", "/time", () => json({ now: Date.now() }));
 */
export function json(value: unknown, status = 200, headers: readonly string[] = []): Result {
  return { status, headers: ["content-type", JSON_TYPE, ...NO_STORE, ...headers], body: JSON.stringify(value) };
}

/**
 * Responds with plain text.
 * @example
 * route("GET", "/robots.txt", () => text("User-agent: *\nAllow: /\n"));
 */
export function text(body: string, status = 200, headers: readonly string[] = []): Result {
  return { status, headers: ["content-type", "text/plain; charset=utf-8", ...headers], body };
}

/**
 * Responds with an HTML document that is written by hand. Escape what comes from users.
 * @example
 * route("GET", "/hello", () => html("<!doctype html><p>Hello"));
 */
export function html(body: string, status = 200, headers: readonly string[] = []): Result {
  return { status, headers: ["content-type", HTML_TYPE, ...headers], body };
}

export function empty(status = 204, headers: readonly string[] = []): Result {
  return { status, headers: [...headers], body: null };
}

/** @param status 303 after a POST: the browser fetches `location` with GET (RFC 9110 section 15.4.4). */
export function redirectTo(location: string, status: 302 | 303 | 307 | 308 = 303): Result {
  return { status, headers: ["location", asciiUrl(location), ...NO_STORE], body: null };
}

/** As a browser would write the same URL: header values contain no other characters. */
function asciiUrl(url: string): string {
  return url.replace(/\p{Surrogate}/gu, "\ufffd").replace(/[^\x20-\x7e]+/g, encodeURIComponent);
}

/** RFC 9457. @param more svc's own members: `issues` describes problems of single fields. */
export function problem(
  status: number,
  code: string,
  detail: string,
  headers: readonly string[] = [],
  more: { issues?: readonly Issue[] } = {},
): Result {
  const body = { type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, detail, code, ...more };
  return { status, headers: ["content-type", PROBLEM_TYPE, ...NO_STORE, ...headers], body: JSON.stringify(body) };
}

/** Headers that an error adds to its response. */
export function errorHeaders(error: unknown): string[] {
  return error instanceof SvcError && error.headers ? Object.entries(error.headers).flat() : [];
}

/**
 * Status, code and text of an error for the caller. Errors below 500 explain themselves. All others are server errors, for which
 * production reveals only the request id.
 */
export function describeError(error: unknown, ctx: Pick<Context, "requestId">, isDevelopment: boolean) {
  if (error instanceof SvcError && error.status < 500)
    return { status: error.status, code: error.code, detail: error.message };
  const detail = isDevelopment
    ? String(error instanceof Error ? (error.stack ?? error.message) : error)
    : `Something failed on our side. Request id: ${ctx.requestId}`;
  const status = error instanceof SvcError ? error.status : 500;
  return { status, code: error instanceof SvcError ? error.code : ("SVC_INTERNAL" as const), detail };
}

export function errorProblem(error: unknown, ctx: Pick<Context, "requestId">, isDevelopment: boolean): Result {
  const { status, code, detail } = describeError(error, ctx, isDevelopment);
  const issues = error instanceof SvcError && status < 500 ? error.issues : undefined;
  return problem(status, code, detail, errorHeaders(error), issues && { issues });
}
