/**
 * One request, as handlers see it. Creates expensive parts on first use. The transport (a Node socket or a web `Request`) is a `Source`;
 * nothing above this file depends on which.
 */
import { setMaxListeners } from "node:events";
import type { SiteRules } from "../../security/site-rules.ts";
import { createId, createNonce, randomHex } from "../../security/random.ts";
import { SvcError } from "../../shared/errors.ts";
import { isSampledBy, readTraceparent, readTracestate, type Trace } from "../../shared/trace.ts";
import { HEADERS, TRACE_HEADERS, VARIABLES } from "../../shared/wire.ts";
import { decodeUtf8 } from "../body/read-body.ts";
import { inTurn } from "../body/body-turn.ts";
import type { BodyBudget, BodyGate, BodyLease } from "../body/body-budget.ts";
import { CookieJar, type SessionKeys } from "../sessions/cookie-jar.ts";
import type { Route } from "../routing/router.ts";
import type { Session } from "../sessions/session.ts";
import { isHost, type Target } from "./target.ts";
import type { Context, CookieOptions, Locals } from "../types.ts";

/** The transport of a request. */
export interface Source {
  readonly method: string;
  readonly target: string;
  header(name: string): string | undefined;
  /** Host and port that the client asked for. */
  readonly host: string | undefined;
  readonly clientIp: string;
  readonly secure: boolean;
  /**
   * Reads the body once; synchronously if it has arrived.
   * @param gate called with each chunk on arrival
   * @throws SvcError `SVC_TOO_LARGE`, `SVC_TIMEOUT`, `SVC_UNAVAILABLE`, or rejects with it.
   */
  readBody(limitBytes: number, gate?: BodyGate): Uint8Array | Promise<Uint8Array>;
  signal(): AbortSignal;
  toRequest(url: URL): Request;
}

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});
const NO_READINGS: ReadonlySet<string> = new Set();
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

export class RequestContext implements Context {
  readonly method: string;
  readonly path: string;
  /** `path` in the form for route lookup (target.ts). */
  readonly routed: string;
  params: Readonly<Record<string, string>> = NO_PARAMS;
  /** The matched route; undefined if none matches. */
  route: Route | undefined;
  /** Id of the CSRF cookie that the response sets, so that two tokens in one response belong to one cookie. */
  csrfId: string | undefined;
  /** Ratio of recorded traces among those that begin with this request. */
  traceRatio = 0;
  /** Counts the memory of its body; undefined without a limit. */
  bodyBudget: BodyBudget | undefined;
  #bodyLease: BodyLease | undefined;
  /** Hashes of the response's inline scripts, `sha256-…`, if its policy has hashes instead of a nonce. */
  scriptHashes: readonly string[] | undefined;
  /** Valid header lines, `name: value\r\n`, that are sent in addition to the headers of the response. */
  readyLines = "";
  /** Whether the response is streamed. */
  isStreamed = false;
  /** Neighbours in the list of active requests; owned by the observer (observer.ts). */
  before: RequestContext | undefined;
  behind: RequestContext | undefined;
  /** On the clock of `performance.now()`. */
  readonly startedMs = performance.now();
  readonly #source: Source;
  readonly #target: Target;
  /** Names of the visitor's properties that handlers have read; undefined when not tracked. */
  #readings: Set<string> | undefined;
  #query: URLSearchParams | undefined;
  #url: URL | undefined;
  readonly #sessionKeys: (() => SessionKeys) | undefined;
  readonly #site: SiteRules | undefined;
  #jar: CookieJar | undefined;
  #isHeadSent = false;
  #nonce: string | undefined;
  #requestId: string | undefined;
  #trace: Trace | undefined;
  #request: Request | undefined;
  #signal: AbortSignal | undefined;
  #locals: (Locals & Record<string, unknown>) | undefined;

  /** @param sessionKeys required for signing and sealing. @param site default: every host is allowed, and only TLS is HTTPS. */
  constructor(source: Source, target: Target, sessionKeys?: () => SessionKeys, site?: SiteRules) {
    this.#source = source;
    this.#site = site;
    this.#sessionKeys = sessionKeys;
    this.method = source.method;
    this.path = target.path;
    this.routed = target.routed;
    this.#target = target;
  }

  /** Starts to record which properties of the visitor handlers read. */
  watch(): void {
    this.#readings ??= new Set();
  }

  /** Names as in `Context`; headers as `header user-agent`. Excludes properties that depend on the path only. */
  get readings(): ReadonlySet<string> {
    return this.#readings ?? NO_READINGS;
  }

  /** Reads the request without recording it, for uses that don't affect the response, such as logs and limits. */
  unseen<Value>(look: () => Value): Value {
    const readings = this.#readings;
    this.#readings = undefined;
    try {
      return look();
    } finally {
      this.#readings = readings;
    }
  }

  /** A copy of this request for background work during its response: cookies it sets are discarded. */
  apart(): RequestContext {
    const other = new RequestContext(this.#source, this.#target, this.#sessionKeys, this.#site);
    other.params = this.params;
    other.route = this.route;
    Object.assign(other.locals, this.#locals);
    other.watch();
    other.outlive();
    other.closeHead();
    return other;
  }

  get queryText(): string {
    this.#readings?.add("query");
    return this.#target.queryText;
  }

  /**
   * A nested request, for a page rendered inside this request's response: own target and source, same visitor. Cookies, session, nonce,
   * id and trace belong to the outer response. Its result is never shared.
   */
  within(source: Source, target: Target): RequestContext {
    const inner = new RequestContext(source, target, this.#sessionKeys, this.#site);
    inner.#jar = this.#cookieJar;
    inner.#nonce = this.nonce;
    inner.#requestId = this.requestId;
    inner.#trace = this.trace;
    inner.csrfId = this.csrfId;
    // Never shared, regardless of the properties it reads.
    inner.#readings = new Set(["form"]);
    return inner;
  }

  /** The keys of its app: one object per boot. Undefined for a request outside of an app. */
  get keys(): SessionKeys | undefined {
    return this.#sessionKeys?.();
  }

  /** The transport. */
  get source(): Source {
    return this.#source;
  }

  get query(): URLSearchParams {
    this.#readings?.add("query");
    return (this.#query ??= new URLSearchParams(this.queryText));
  }

  get url(): URL {
    this.#readings?.add("url").add("query");
    if (this.#url) return this.#url;
    this.requireHost();
    const host = this.#source.host ?? "localhost";
    const isHttps = this.#source.secure || this.#site?.impliesHttpsUrl(this.#source.host) === true;
    const origin = `${isHttps ? "https" : "http"}://${host}`;
    if (!isHost(host) || !URL.canParse(this.#source.target, origin))
      throw new SvcError("SVC_BAD_REQUEST", `"${host}" is not a host`);
    return (this.#url = new URL(this.#source.target, origin));
  }

  /** Whether the app answers for the host of the request. Only HTTP/1.0 allows a request without a host. */
  get isHostKnown(): boolean {
    const { host } = this.#source;
    return this.#site === undefined || host === undefined || (this.#site.allows(host) && isHost(host));
  }

  /** @throws SvcError `SVC_HOST` if the request names a host for which the app does not answer */
  requireHost(): void {
    if (this.isHostKnown) return;
    throw new SvcError(
      "SVC_HOST",
      `This server does not answer for the host "${this.#source.host}". To allow it, set ${VARIABLES.siteUrl} to the site's URL or add the host to ${VARIABLES.allowedHosts}`,
    );
  }

  header(name: string): string | undefined {
    this.#readings?.add(`header ${name}`);
    return this.#source.header(name);
  }

  cookie(name: string): string | undefined {
    return this.#cookieJar.cookie(name);
  }

  get cookies(): Readonly<Record<string, string>> {
    return this.#cookieJar.received;
  }

  signedCookie(name: string): string | undefined {
    return this.#cookieJar.signed(name);
  }

  setCookie(name: string, value: string, options?: CookieOptions): void {
    this.#cookieJar.set(name, value, options);
  }

  deleteCookie(name: string, options?: CookieOptions): void {
    this.#cookieJar.set(name, "", { ...options, signed: false, maxAgeSeconds: 0 });
  }

  session(): Promise<Session> {
    return this.#cookieJar.session();
  }

  get sessionId(): string | undefined {
    return this.#cookieJar.sessionId;
  }

  /** The cookies, if code has read or set any. */
  get jar(): CookieJar | undefined {
    return this.#jar;
  }

  /** Whether the head is about to be sent or has been sent. */
  get hasClosedHead(): boolean {
    return this.#isHeadSent;
  }

  /** Called before the head is sent. Cookies set later would be lost, so setting one then throws. */
  closeHead(): void {
    this.#isHeadSent = true;
    this.#jar?.close();
  }

  get #cookieJar(): CookieJar {
    this.#readings?.add("cookies");
    if (this.#jar) return this.#jar;
    this.#jar = new CookieJar(this.#source.header("cookie"), this.#isSecure, this.#sessionKeys);
    if (this.#isHeadSent) this.#jar.close();
    return this.#jar;
  }

  get nonce(): string {
    this.#readings?.add("nonce");
    return (this.#nonce ??= createNonce());
  }

  get nonceUsed(): boolean {
    return this.#nonce !== undefined;
  }

  get requestId(): string {
    this.#readings?.add("requestId");
    if (this.#requestId) return this.#requestId;
    const given = this.#source.header(HEADERS.requestId);
    return (this.#requestId = given !== undefined && REQUEST_ID.test(given) ? given : createId());
  }

  get trace(): Trace {
    this.#readings?.add("trace");
    return (this.#trace ??= this.#readTrace());
  }

  #readTrace(): Trace {
    const spanId = randomHex(8);
    const given = readTraceparent(this.#source.header(TRACE_HEADERS.parent));
    if (given) return { ...given, spanId, state: readTracestate(this.#source.header(TRACE_HEADERS.state)) };
    const traceId = randomHex(16);
    const isSampled = isSampledBy(this.traceRatio, traceId);
    return { traceId, spanId, parentId: undefined, isSampled, state: undefined };
  }

  get secure(): boolean {
    this.#readings?.add("url");
    return this.#isSecure;
  }

  get #isSecure(): boolean {
    return this.#source.secure || this.#site?.impliesHttps(this.#source.host) === true;
  }

  get clientIp(): string {
    this.#readings?.add("clientIp");
    return this.#source.clientIp;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#source.signal());
  }

  /** Aborts `signal` together with another signal, such as a timeout. */
  endWith(other: AbortSignal): void {
    this.#signal = AbortSignal.any([this.signal, other]);
    setMaxListeners(Infinity, this.#signal);
  }

  /** Work for this request continues after the client disconnects, because it may retry and collect the result. */
  outlive(): void {
    this.#signal = new AbortController().signal;
    setMaxListeners(Infinity, this.#signal);
  }

  get request(): Request {
    this.#readings?.add("request");
    return (this.#request ??= this.#source.toRequest(this.url));
  }

  async bytes(limitBytes: number): Promise<Uint8Array> {
    return this.bytesNow(limitBytes);
  }

  /** Like `bytes`, but synchronous if the body has arrived. @throws as `bytes` rejects */
  bytesNow(limitBytes: number, gate: BodyGate | undefined = this.bodyLease): Uint8Array | Promise<Uint8Array> {
    this.#readings?.add("body");
    return inTurn(this.#source.readBody(limitBytes, gate));
  }

  /** The request's share of the body budget, for code that stores parts of a streamed body. */
  get bodyLease(): BodyLease | undefined {
    return (this.#bodyLease ??= this.bodyBudget?.lease());
  }

  /** Releases the body's memory budget at the end of the request. */
  releaseBody(): void {
    this.#bodyLease?.release();
  }

  async text(limitBytes: number): Promise<string> {
    return decodeUtf8(await this.bytes(limitBytes));
  }

  get locals(): Locals & Record<string, unknown> {
    return (this.#locals ??= {} as Locals & Record<string, unknown>);
  }
}
