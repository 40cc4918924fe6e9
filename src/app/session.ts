/**
 * Cookies and tokens of one request: gives a page its CSRF token, and judges whether a mutation may run. The rules are
 * security/csrf.ts; this file reads the request for them.
 */
import { mediaType, requireLength, tooLarge } from "../http/body.ts";
import { readForm as readHttpForm, type FormData } from "../http/form.ts";
import type { Context } from "../http/types.ts";
import { createCsrfCookie, csrfToken, isCsrfCookie, judgeOrigin, judgeToken } from "../security/csrf.ts";
import { SvcError } from "../shared/errors.ts";
import { COOKIES, CSRF_FIELD, HEADERS } from "../shared/wire.ts";

/** Longest form that a guarded route reads: the token may be in it, so it is read before the handler runs. */
const MAX_FORM_BYTES = 16 * 1024 * 1024;

const FORM_TYPES = new Set(["application/x-www-form-urlencoded", "multipart/form-data"]);

/** Forms read while looking for the token; a body can be read only once. */
const forms = new WeakMap<Context, FormData>();

/** The page's token; sets the cookie it belongs to where the browser has none. */
export function tokenFor(ctx: Context, secret: string): string {
  const known = ctx.cookies[COOKIES.csrf];
  if (isCsrfCookie(secret, known)) return csrfToken(secret, known);
  const cookie = createCsrfCookie(secret);
  ctx.setCookie(COOKIES.csrf, cookie, { httpOnly: true, sameSite: "Lax", secure: ctx.secure });
  return csrfToken(secret, cookie);
}

/** What the guards need of the configuration. */
export interface Guard {
  secret: string;
  siteOrigin: string | undefined;
}

/** Judges origin, cookie and header, without reading the body. @throws SvcError `SVC_FORBIDDEN` */
export function requireHeaderToken(ctx: Context, guard: Guard): void {
  requireOwnOrigin(ctx, guard);
  requireToken(ctx, guard, ctx.header(HEADERS.csrf));
}

/** As `requireHeaderToken`; where there is no header and the body is a form, its field counts. */
export async function requireMutation(ctx: Context, guard: Guard): Promise<void> {
  requireOwnOrigin(ctx, guard);
  const header = ctx.header(HEADERS.csrf);
  if (header === undefined && FORM_TYPES.has(mediaType(ctx.header("content-type")) ?? "")) {
    // Without our cookie no token can be right, so the body need not be read.
    if (!isCsrfCookie(guard.secret, ctx.cookies[COOKIES.csrf])) throw refused();
    const form = await readHttpForm(ctx, MAX_FORM_BYTES);
    forms.set(ctx, form);
    return requireToken(ctx, guard, form.fields[CSRF_FIELD]);
  }
  requireToken(ctx, guard, header);
}

/**
 * Fields and files of a form body, urlencoded or multipart, in memory.
 * @param limitBytes of the whole body; default 1 MiB.
 * @throws SvcError `SVC_CONTENT_TYPE`, `SVC_TOO_LARGE`, `SVC_INVALID`
 */
export async function readForm(ctx: Context, limitBytes = 1024 * 1024): Promise<FormData> {
  requireLength(ctx, limitBytes);
  const known = forms.get(ctx);
  if (!known) return readHttpForm(ctx, limitBytes);
  if (sizeOf(known) > limitBytes) {
    throw tooLarge(limitBytes);
  }
  return known;
}

function sizeOf({ fields, files }: FormData): number {
  const texts = Object.values(fields).reduce((sum, text) => sum + text.length, 0);
  return Object.values(files).reduce((sum, file) => sum + file.bytes.byteLength, texts);
}

function requireOwnOrigin(ctx: Context, guard: Guard): void {
  const origin = ctx.header("origin");
  const ownOrigin = origin === guard.siteOrigin && origin !== undefined ? origin : ctx.url.origin;
  if (judgeOrigin({ fetchSite: ctx.header("sec-fetch-site"), origin, ownOrigin })) throw refused();
}

function requireToken(ctx: Context, guard: Guard, rawToken: string | undefined): void {
  if (judgeToken(guard.secret, ctx.cookies[COOKIES.csrf], rawToken)) throw refused();
}

/** One text for every reason: which check failed helps only those who probe. A class of its own, so that it can be counted. */
export class CsrfRefusal extends SvcError {
  constructor() {
    super("SVC_FORBIDDEN", "Forbidden");
  }
}

function refused(): SvcError {
  return new CsrfRefusal();
}
