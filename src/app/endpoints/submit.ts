/**
 * `POST …/submit/:name`: a form that was sent, with script or without. The order of checks, the statuses and the texts are contract
 * section 5. Programs (`Accept: application/json`) are answered with the envelope of actions and where to go; browsers go there (303),
 * or get the page again with what is wrong (page-again.ts). Only there where the app has submits.
 */
import { createHash } from "node:crypto";
import { decodeUtf8, requireLength, requireMediaType } from "../../http/body.ts";
import { RequestContext } from "../../http/context.ts";
import { readEntries, type FormEntries } from "../../http/form-entries.ts";
import { compose } from "../../http/middleware.ts";
import { readQualities } from "../../http/quality.ts";
import { json, redirectTo } from "../../http/response.ts";
import type { Answer, Context, Middleware, Result } from "../../http/types.ts";
import { MAX_FILE_BYTES, type FileRule } from "../../http/upload.ts";
import { csrfId } from "../../security/csrf.ts";
import { sleep } from "../../shared/clock.ts";
import { SvcError, type ErrorCode } from "../../shared/errors.ts";
import { parseJson, type Json } from "../../shared/json.ts";
import { COOKIES, FORM_FIELDS, HEADERS, PATHS, type ActionReply } from "../../shared/wire.ts";
import { withinTime } from "../action-time.ts";
import { answerError, prefersHtml } from "../error-page.ts";
import { requireHeaderToken, requireOwnOrigin, requireToken } from "../guard.ts";
import { isRedirect } from "../outcome.ts";
import { pageAgain, pageOf } from "../page-again.ts";
import type { Endpoints, Services } from "../services.ts";
import { withoutSecrets, type SubmitBody, type SubmitDefinition } from "../submit.ts";
import { outcomeOf, success } from "./action-reply.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** As of actions: a megabyte of tiny values costs a schema many times what a megabyte of text does. */
const MAX_NODES = 10_000;
const TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "application/json"];
/** For an answer that another request is about to give: how often it is asked for, and how long is waited in between. */
const MAX_ASKED = 100;
const ASKED_EVERY_MS = 100;

const DOOR_TEXTS: Partial<Record<ErrorCode, string>> = {
  SVC_TOO_LARGE: "Payload too large",
  SVC_CONTENT_TYPE: "Unsupported content type",
};

/** A submit whose name is known. */
interface Call {
  readonly ctx: Context;
  readonly endpoints: Endpoints;
  readonly name: string;
  readonly definition: SubmitDefinition;
  /** What the answer carries whatever comes of it; flat. */
  readonly headers: string[];
}

/** What was read of a body; files are there until `clear`. */
interface Read extends SubmitBody {
  /** Names the intent, where the sender did. */
  readonly key: string | undefined;
  readonly page: string | undefined;
  readonly form: string | undefined;
  readonly digest: string;
  readonly clear: () => Promise<void>;
}

/** What came of it: status and envelope, and what to add to the answer. */
interface Outcome {
  readonly status: number;
  readonly reply: ActionReply;
  readonly headers: readonly string[];
}

export function submitEndpoints(endpoints: Endpoints): void {
  endpoints.router.add("POST", `${PATHS.submit}/:name`, (ctx) => answer(ctx, endpoints));
}

async function answer(ctx: Context, endpoints: Endpoints): Promise<Answer> {
  const { services } = endpoints;
  const name = ctx.params["name"] ?? "";
  const definition = services.submits.get(name);
  const headers: string[] = [];
  let result: Answer;
  try {
    // The table of the contract has one text for both kinds of names.
    if (!definition) throw new SvcError("SVC_NOT_FOUND", "Unknown action");
    result = await answerKnown({ ctx, endpoints, name, definition, headers });
  } catch (error) {
    result = doorAnswer(ctx, services, name, headers, error);
  }
  services.metrics.submits.add(definition ? name : "unknown", outcomeName(result.status));
  return result;
}

function outcomeName(status: number): "ok" | "refused" | "failed" {
  if (status < 400) return "ok";
  return status < 500 ? "refused" : "failed";
}

async function answerKnown(call: Call): Promise<Answer> {
  const { ctx, endpoints, name, headers } = call;
  const verdict = await endpoints.services.limits.ofSubmit(name).take(ctx.clientIp, name);
  headers.push(...verdict.headers);
  if (!verdict.isAllowed) throw new SvcError("SVC_RATE_LIMIT", "Too many requests");
  const type = requireMediaType(ctx, TYPES);
  let body: Read | undefined;
  try {
    body = await readBody(call, type);
  } catch (error) {
    // What is wrong with a form that came from our page is told there, if with nothing that it held.
    if (isOfForm(error)) return await shown(call, undefined, outcome(call, inWords(error)));
    throw error;
  }
  const read = body;
  try {
    return await around(endpoints.middleware, ctx, () => performed(call, read));
  } catch (error) {
    // Of middleware: the form's own is an outcome already.
    if (isRedirect(error)) return await shown(call, read, outcome(call, error));
    throw error;
  } finally {
    await read.clear();
  }
}

/** Middleware sees the answer as a visitor gets it. */
function around(middleware: readonly Middleware[], ctx: Context, run: () => Promise<Answer>): Answer | Promise<Answer> {
  return middleware.length === 0 ? run() : compose(middleware, run)(ctx);
}

function isOfForm(error: unknown): boolean {
  return error instanceof SvcError && (error.code === "SVC_TOO_LARGE" || error.code === "SVC_INVALID");
}

/** Checks what can be judged without the body, then reads it; the token may be in it. */
async function readBody(call: Call, type: string): Promise<Read> {
  const { ctx, definition, endpoints } = call;
  const { services } = endpoints;
  const maxBytes = definition.maxBytes ?? MAX_BODY_BYTES + bytesOfFiles(definition.files ?? {});
  const inHeader = ctx.header(HEADERS.csrf);
  if (type === "application/json" || inHeader !== undefined) requireHeaderToken(ctx, services);
  else {
    requireOwnOrigin(ctx, services);
    // Without our cookie no token can be right, so the body need not be read.
    if (csrfId(services.secrets, ctx.cookie(COOKIES.csrf)) === undefined) requireToken(ctx, services, undefined);
  }
  requireLength(ctx, maxBytes);
  if (type === "application/json") return readJsonBody(ctx, maxBytes);
  let isTrusted = inHeader !== undefined;
  const entries = await readEntries(ctx, type, {
    maxBytes,
    files: definition.files ?? {},
    onField: (field, value) => {
      if (field !== FORM_FIELDS.csrf || isTrusted) return;
      requireToken(ctx, services, value);
      isTrusted = true;
    },
    onRest: () => {
      if (!isTrusted) requireToken(ctx, services, undefined);
    },
  });
  return ofEntries(ctx, entries);
}

function bytesOfFiles(files: Readonly<Record<string, FileRule>>): number {
  return Object.values(files).reduce((sum, { maxBytes = MAX_FILE_BYTES, max = 1 }) => sum + maxBytes * max, 0);
}

async function readJsonBody(ctx: Context, maxBytes: number): Promise<Read> {
  const bytes = await ctx.bytes(maxBytes);
  const value: Json = parseJson(decodeUtf8(bytes), MAX_NODES);
  const digest = createHash("sha256").update(bytes).digest("base64url");
  const key = ctx.header(HEADERS.idempotencyKey);
  return {
    json: value,
    fields: [],
    files: [],
    key,
    page: undefined,
    form: undefined,
    digest,
    clear: async () => undefined,
  };
}

function ofEntries(ctx: Context, { fields, files, digest, clear }: FormEntries): Read {
  const own = new Set<string>(Object.values(FORM_FIELDS));
  const of = (name: string): string | undefined => fields.find(([field]) => field === name)?.[1];
  return {
    json: undefined,
    fields: fields.filter(([field]) => !own.has(field)),
    files,
    key: ctx.header(HEADERS.idempotencyKey) ?? of(FORM_FIELDS.key),
    page: of(FORM_FIELDS.page),
    form: of(FORM_FIELDS.form),
    digest,
    clear,
  };
}

/** Forms that this process is about to answer, by their intent: who sends one again waits for the same answer. */
const underWay = new WeakMap<Services, Map<string, Promise<Outcome>>>();

async function performed(call: Call, body: Read): Promise<Answer> {
  const { definition, endpoints, name } = call;
  const { key, digest } = body;
  if (key === undefined || definition.once === false) return shown(call, body, await perform(call, body));
  const { services } = endpoints;
  const mine = underWay.get(services) ?? new Map<string, Promise<Outcome>>();
  underWay.set(services, mine);
  // The same form with other content is another intent: who goes back in the browser's history has the key of before.
  const intent = createHash("sha256")
    .update(JSON.stringify([key, digest]))
    .digest("hex");
  const { ctx } = call;
  const place = JSON.stringify([name, ctx.cookie(COOKIES.csrf), ctx.sessionId, intent]);
  const first = mine.get(place);
  if (first) return shown(call, body, { ...(await first), headers: REPLAYED });
  const outcome = performOnce(call, body, intent).finally(() => mine.delete(place));
  mine.set(place, outcome);
  return shown(call, body, await outcome);
}

const REPLAYED = [HEADERS.idempotencyReplayed, "true"];

async function performOnce(call: Call, body: Read, intent: string): Promise<Outcome> {
  const { ctx, endpoints, name } = call;
  const { services } = endpoints;
  const keyed = { ctx, name: `submit ${name}`, args: body.digest, headers: [] };
  let made: Outcome | undefined;
  try {
    const kept = await askedUntilThere(services, () =>
      services.answers.once(intent, keyed, async () => {
        // Whoever sends it again is waiting for this answer.
        if (ctx instanceof RequestContext) ctx.outlive();
        made = await perform(call, body);
        return json(made.reply, made.status);
      }),
    );
    return made ?? outcomeIn(kept);
  } catch (error) {
    // An outcome like others: the page is shown again, with a key of its own for who wants to send it all the same.
    if (!isUnderWay(error)) throw error;
    const { status, headers } = error;
    return outcome(call, new SvcError("SVC_INVALID", CUT_OFF, { status, cause: error, ...(headers && { headers }) }));
  }
}

const CUT_OFF =
  "This was sent before, and what became of it is not known. See whether it was done before you send it again";

function isUnderWay(error: unknown): error is SvcError {
  return error instanceof SvcError && error.status === 409 && error.headers?.["retry-after"] !== undefined;
}

/** The answer that another process is making: a double click sends the second form while the first is under way. */
async function askedUntilThere(services: Services, ask: () => Promise<Result>): Promise<Result> {
  for (let asked = 1; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (!isUnderWay(error) || asked === MAX_ASKED) throw error;
      await sleep(services.clock, ASKED_EVERY_MS);
    }
  }
}

function outcomeIn({ status, body }: Result): Outcome {
  return {
    status,
    reply: JSON.parse(typeof body === "string" ? body : "null") as ActionReply,
    headers: REPLAYED,
  };
}

async function perform(call: Call, body: Read): Promise<Outcome> {
  const { ctx, definition, endpoints, name } = call;
  const { services } = endpoints;
  try {
    const { timeoutMs } = definition;
    const timed = { ctx, services, spec: { options: timeoutMs === undefined ? {} : { timeoutMs } } };
    const run = (): unknown => definition.run(body, ctx);
    const value = await services.phases.time(ctx, `submit ${name}`, () => withinTime(timed, run));
    return { status: 200, reply: success(value), headers: [] };
  } catch (error) {
    return outcome(call, error);
  }
}

function outcome({ ctx, endpoints, name }: Call, error: unknown): Outcome {
  const asked = { ctx, services: endpoints.services, name: `submit ${name}`, headers: [] };
  const { status, reply } = outcomeOf(asked, error);
  const headers = error instanceof SvcError && error.headers ? Object.entries(error.headers).flat() : [];
  return { status, reply, headers };
}

/** The outcome as this client reads it. @param body undefined where it could not be read to its end */
async function shown(call: Call, body: Read | undefined, { status, reply, headers }: Outcome): Promise<Answer> {
  const { ctx } = call;
  const all = [...call.headers, ...headers];
  const isTakenIn = ctx.header(HEADERS.swap) !== undefined;
  const page = pageOf(ctx, body?.page);
  if (wantsEnvelope(ctx)) return json(reply, status, all);
  if (reply.ok) {
    const location = reply.redirect ?? page;
    return isTakenIn ? json({ ...reply, redirect: location }, 200, all) : added(redirectTo(location, 303), all);
  }
  const isForPage = !isTakenIn && prefersHtml(ctx.header("accept"));
  const asFault = isForPage ? afterFault : undefined;
  const again = await (status < 500 ? againOn : asFault)?.(call, body, page, { status, reply });
  if (again) return added(again, all);
  return isForPage
    ? added(errorPage(ctx, call.endpoints.services, status, reply.error), all)
    : json(reply, status, all);
}

interface Refused {
  readonly status: number;
  readonly reply: ActionReply & { ok: false };
}

async function againOn(
  { ctx, endpoints, name, definition }: Call,
  body: Read | undefined,
  page: string,
  { status, reply }: Refused,
): Promise<Result | undefined> {
  if (!(ctx instanceof RequestContext)) return undefined;
  const fields = body ? withoutSecrets(body, definition) : [];
  const refusal = { name, form: body?.form, status, message: reply.error, issues: reply.issues ?? [], fields };
  return pageAgain(ctx, endpoints.router, page, refusal);
}

/**
 * The page again after a fault of ours, which a key is answered with for a day (decision 014): its form has another one, for who
 * has looked and wants to send it once more. Only where the form says which page it stands in, for that one shows what went wrong.
 */
async function afterFault(
  call: Call,
  body: Read | undefined,
  page: string,
  refused: Refused,
): Promise<Result | undefined> {
  if (body?.page === undefined) return undefined;
  try {
    const again = await againOn(call, body, page, refused);
    return again?.status === refused.status ? again : undefined;
  } catch (err) {
    const { ctx, endpoints } = call;
    endpoints.services.log.warn({ reqId: ctx.requestId, err }, "The page of a form that failed could not be shown");
    return undefined;
  }
}

function added(result: Result, headers: readonly string[]): Result {
  return { ...result, headers: [...result.headers, ...headers] };
}

/** Programs say so; any type is what browsers' forms of old and curl say, and those are sent on. */
function wantsEnvelope(ctx: Context): boolean {
  const accept = ctx.header("accept");
  if (accept === undefined || prefersHtml(accept)) return false;
  return (readQualities(accept).get("application/json") ?? 0) > 0;
}

/** A refusal before the form is known to be ours, or that has no page. */
function doorAnswer(
  ctx: Context,
  services: Services,
  name: string,
  headers: readonly string[],
  error: unknown,
): Answer {
  const { status, reply } = outcomeOf({ ctx, services, name, headers: [] }, inWords(error));
  const isPage = prefersHtml(ctx.header("accept")) && ctx.header(HEADERS.swap) === undefined;
  const message = reply.ok ? "" : reply.error;
  const own = error instanceof SvcError && error.headers ? Object.entries(error.headers).flat() : [];
  const all = [...headers, ...own];
  return isPage ? added(errorPage(ctx, services, status, message), all) : json(reply, status, all);
}

function errorPage(ctx: Context, services: Services, status: number, message: string): Result {
  const asked = { requestId: ctx.requestId, header: (name: string) => ctx.header(name), path: "/" };
  const code = status >= 500 ? "SVC_INTERNAL" : "SVC_INVALID";
  return answerError(new SvcError(code, message, { status }), asked, !services.config.isProduction);
}

/** A refusal at the door in the words of the contract. */
function inWords(error: unknown): unknown {
  if (!(error instanceof SvcError)) return error;
  const text = DOOR_TEXTS[error.code];
  if (text === undefined) return error;
  return new SvcError(error.code, text, { cause: error, ...(error.issues && { issues: error.issues }) });
}
