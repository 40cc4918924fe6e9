/**
 * The CSRF guard: issues the token of a page, and checks whether a request may change data. platform/security/csrf.ts has the rules; this
 * file reads the request for them.
 */
import { mediaType, requireLength, tooLarge } from "../../platform/http/body/read-body.ts";
import { readForm as readHttpForm, type FormData } from "../../platform/http/body/memory-form.ts";
import { RequestContext } from "../../platform/http/request/context.ts";
import type { Context } from "../../platform/http/types.ts";
import {
  createCsrfCookie,
  createCsrfId,
  csrfId,
  csrfToken,
  judgeOrigin,
  judgeToken,
} from "../../platform/security/csrf.ts";
import type { RateLimit } from "../../platform/security/rate-limits/rate-limit.ts";
import type { Secrets } from "../../platform/security/secrets.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { SESSION_EXPIRED } from "../../platform/shared/form-texts.ts";
import type { Log } from "../../platform/shared/log.ts";
import { COOKIES, CSRF_FIELD, HEADERS, VARIABLES } from "../../platform/shared/wire.ts";
import { tooMany } from "./rate-limits.ts";

/** Largest form body of a route without a limit of its own. */
export const FORM_BYTES = 1024 * 1024;

const FORM_TYPES = new Set(["application/x-www-form-urlencoded", "multipart/form-data"]);

/** Forms read to find the token. A body can be read only once. */
const forms = new WeakMap<Context, FormData>();

/** The services that the guard needs. */
export interface Guard {
  readonly secrets: Secrets;
  readonly config: { readonly siteOrigin: string | undefined };
  readonly log: Log;
}

/** Limits of a guarded form while its token is still unknown. */
export interface GuardedForm {
  /** Limit of the whole body. */
  readonly maxBytes: number;
  /** Checked for the client before the body is read. */
  readonly limit: RateLimit;
}

/** The page's token for its session. Sets the CSRF cookie if the browser has none, or one of a previous secret. */
export function tokenFor(ctx: Context, { secrets }: Pick<Guard, "secrets">): string {
  const raw = ctx.cookie(COOKIES.csrf);
  const id = csrfId([secrets[0]], raw) ?? givenBy(ctx) ?? giveCookie(ctx, secrets, csrfId(secrets, raw));
  return csrfToken(secrets, id, ctx.sessionId);
}

function giveCookie(ctx: Context, secrets: Secrets, id = createCsrfId()): string {
  // The defaults are those of docs/reference/http.md section 5.
  ctx.setCookie(COOKIES.csrf, createCsrfCookie(secrets, id));
  if (ctx instanceof RequestContext) ctx.csrfId = id;
  return id;
}

function givenBy(ctx: Context): string | undefined {
  return ctx instanceof RequestContext ? ctx.csrfId : undefined;
}

/** Judges origin, cookie and header, without reading the body. @throws SvcError `SVC_FORBIDDEN` */
export function requireHeaderToken(ctx: Context, guard: Guard): void {
  requireOwnOrigin(ctx, guard);
  requireToken(ctx, guard, ctx.header(HEADERS.csrf));
}

/**
 * As `requireHeaderToken`; without the header, the token may be in a field of a form body. Such a form is read before its sender is known,
 * so its size and rate are limited first.
 * @throws SvcError `SVC_FORBIDDEN`, `SVC_RATE_LIMIT`, `SVC_TOO_LARGE`, `SVC_INVALID`, `SVC_UNAVAILABLE`
 */
export async function requireMutation(ctx: Context, guard: Guard, { maxBytes, limit }: GuardedForm): Promise<void> {
  requireOwnOrigin(ctx, guard);
  const header = ctx.header(HEADERS.csrf);
  if (header === undefined && FORM_TYPES.has(mediaType(ctx.header("content-type")) ?? "")) {
    // Without svc's cookie no token is valid, so the body need not be read.
    if (csrfId(guard.secrets, ctx.cookie(COOKIES.csrf)) === undefined) throw withoutToken(ctx);
    await requireRate(ctx, limit);
    const form = await readHttpForm(ctx, maxBytes);
    forms.set(ctx, form);
    return requireToken(ctx, guard, form.fields[CSRF_FIELD]);
  }
  requireToken(ctx, guard, header);
}

async function requireRate(ctx: Context, limit: RateLimit): Promise<void> {
  const clientIp = ctx instanceof RequestContext ? ctx.unseen(() => ctx.clientIp) : ctx.clientIp;
  const target = (ctx instanceof RequestContext ? ctx.route?.pattern : undefined) ?? ctx.path;
  const { isAllowed, headers } = await limit.take(clientIp, target);
  if (!isAllowed) throw tooMany(headers);
}

/**
 * Fields and files of a form body, urlencoded or multipart, in memory.
 * @param limitBytes limit of the whole body; default 1 MiB.
 * @throws SvcError `SVC_CONTENT_TYPE`, `SVC_TOO_LARGE`, `SVC_INVALID`
 * @example
 * route("POST", "/votes", async (ctx) => {
 *   const { fields } = await readForm(ctx);
 *   return json({ votedFor: fields["name"] ?? null });
 * });
 */
export async function readForm(ctx: Context, limitBytes = FORM_BYTES): Promise<FormData> {
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

/** Rejects a request that declares another site as its origin. @throws SvcError `SVC_FORBIDDEN` */
export function requireOwnOrigin(ctx: Context, guard: Guard): void {
  const origin = ctx.header("origin");
  // Parses the URL only if it has to be compared.
  const ownOrigin = origin === undefined || origin === guard.config.siteOrigin ? origin : ctx.url.origin;
  const refusal = judgeOrigin({ fetchSite: ctx.header("sec-fetch-site"), origin, ownOrigin: ownOrigin ?? "" });
  if (refusal === undefined) return;
  if (refusal === "foreign-origin") explainOnce(guard, String(origin), String(ownOrigin));
  throw refused();
}

/** Apps that have explained it. One line is enough, and other sites can cause it too. */
const explained = new WeakSet<Secrets>();

/** An app behind a proxy that changes the host or the scheme rejects all its own forms and actions. */
function explainOnce({ secrets, log }: Guard, origin: string, ownOrigin: string): void {
  if (explained.has(secrets)) return;
  explained.add(secrets);
  log.warn(
    { origin, ownOrigin },
    `A request from a page of ${origin} was rejected with 403, because the site's address is ${ownOrigin} for svc. If both are this site, its proxy changes the host or the scheme: set ${VARIABLES.siteUrl} to the public URL, or let the proxy send Host and X-Forwarded-Proto, and list it in ${VARIABLES.trustProxy}. This is logged once`,
  );
}

/** Call it after `requireOwnOrigin`. @throws SvcError `SVC_FORBIDDEN` for a token that does not belong to this visitor */
export function requireToken(ctx: Context, guard: Guard, rawToken: string | undefined): void {
  const facts = { rawCookie: ctx.cookie(COOKIES.csrf), sessionId: ctx.sessionId, rawToken };
  if (judgeToken(guard.secrets, facts)) throw withoutToken(ctx);
}

/** No reason, because the failed check would only help attackers. A separate class, so that metrics can count it. */
export class CsrfRefusal extends SvcError {
  constructor(message = "Forbidden") {
    super("SVC_FORBIDDEN", message);
  }
}

function refused(): SvcError {
  return new CsrfRefusal();
}

/** A browser that names a page of this site as the sender had a valid token once. Programs without these headers may never have had one. */
function withoutToken(ctx: Context): SvcError {
  const isOwnPage = ctx.header("sec-fetch-site") === "same-origin" || ctx.header("origin") !== undefined;
  return new CsrfRefusal(isOwnPage ? SESSION_EXPIRED : undefined);
}
