/** The types of the HTTP layer. Handlers get a `Context` and return a `Result` or a web `Response`. */
import type { Session } from "./sessions/session.ts";
import type { Trace } from "../shared/trace.ts";

export type Body = string | Uint8Array | AsyncIterable<string | Uint8Array> | null;

/**
 * A plain response, cheap to create. `headers` is flat, names and values in turn (`["etag", "\"x\"", …]`), the fastest form for node:http.
 * svc adds Content-Length for strings and bytes.
 */
export interface Result {
  status: number;
  headers: string[];
  body: Body;
}

export type Answer = Result | Response;
export type Params = Readonly<Record<string, string>>;
export type Handler<Of extends Params = Params> = (ctx: Context<Of>) => Answer | Promise<Answer>;

/** Runs the inner middleware and handler, and resolves with their response or rejects with their error. May be called once. */
export type Next = () => Promise<Answer>;

/**
 * Runs around a handler. Returns `next()`, a response of its own without calling `next`, or a changed inner response (`withHeaders`).
 */
export type Middleware = (ctx: Context, next: Next) => Answer | Promise<Answer>;

/** Values that middleware passes to handlers; extend it by declaration merging. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Locals {}

/** One request. `Of` is the type of its path parameters: `{ id: string }` at `/todos/:id`. */
export interface Context<Of extends Params = Params> {
  readonly method: string;
  /** Decoded once and normalized; never contains `..`, `//` or NUL. An encoded slash stays `%2F`, because it does not separate segments. */
  readonly path: string;
  /** Raw query text without `?`. */
  readonly queryText: string;
  /** Query, parsed on first use. */
  readonly query: URLSearchParams;
  /** Absolute URL of the request, created on first use. Its host is one for which the app answers. */
  readonly url: URL;
  /** Parameters of the path by name, decoded. */
  readonly params: Of;
  /** Value of a request header by lower-case name; repeated headers are joined with ", ". */
  header(name: string): string | undefined;
  /** Value of one cookie of the request; undefined if it is missing. */
  cookie(name: string): string | undefined;
  /** Cookies of the request, parsed on first use; null prototype. */
  readonly cookies: Readonly<Record<string, string>>;
  /** Value of a cookie set with `{ signed: true }`; undefined if it is missing, or was not signed by this site under this name. */
  signedCookie(name: string): string | undefined;
  /**
   * Adds a `Set-Cookie` to the response; the last one of a name, path and domain counts.
   * @param value any text; it is percent-encoded. With name and signature at most 4096 bytes.
   * @throws TypeError for a cookie that browsers would silently reject. @throws SvcError `SVC_TOO_LATE` after the head was sent.
   */
  setCookie(name: string, value: string, options?: CookieOptions): void;
  /** Deletes a cookie in the browser. @param options the path and domain with which it was set. @throws as `setCookie` */
  deleteCookie(name: string, options?: CookieOptions): void;
  /**
   * The visitor's session, read on first use. Caches do not store a response whose request has read it.
   * @throws the errors of its store.
   */
  session(): Promise<Session>;
  /** Id of the visitor's session, without reading its data; undefined without a session. `regenerate` changes it. */
  readonly sessionId: string | undefined;
  /** 18 random bytes in base64, created on first use; the CSP of this response allows it. */
  readonly nonce: string;
  readonly nonceUsed: boolean;
  readonly requestId: string;
  /** The request's position in its trace (W3C Trace Context). For outgoing calls, use `traceparent(ctx.trace)`. */
  readonly trace: Trace;
  /**
   * Whether the visitor uses HTTPS: a TLS socket, `X-Forwarded-Proto: https` from a trusted proxy, or a `SVC_SITE_URL` that begins with
   * `https:` (in development not for loopback names).
   */
  readonly secure: boolean;
  /** Address of the client; behind trusted proxies, the right-most untrusted hop. */
  readonly clientIp: string;
  /** Aborts when the client disconnects, or at the deadline of the server's drain. */
  readonly signal: AbortSignal;
  /** The web-standard request, created on first use. */
  readonly request: Request;
  /** Reads the body once, up to `limitBytes`. @throws SvcError `SVC_TOO_LARGE`, `SVC_TIMEOUT` */
  bytes(limitBytes: number): Promise<Uint8Array>;
  /** Reads the body as strict UTF-8. @throws SvcError `SVC_INVALID` */
  text(limitBytes: number): Promise<string>;
  readonly locals: Locals & Record<string, unknown>;
}

/** Attributes of a cookie (RFC 6265bis section 4.1). */
export interface CookieOptions {
  /**
   * Whether the cookie is signed with `SVC_SECRET`, so that nobody can change it. The visitor can read it; `ctx.signedCookie` verifies it.
   * Default false.
   */
  signed?: boolean;
  /** Whether scripts can't read it. Default true. */
  httpOnly?: boolean;
  /** Whether it is sent over HTTPS only. Default: whether this request came over HTTPS. */
  secure?: boolean;
  /** Requests from other sites that include it: none (`"Strict"`), followed links (`"Lax"`) or all (`"None"`). Default `"Lax"`. */
  sameSite?: "Strict" | "Lax" | "None";
  /** Path below which the browser sends it. Default `"/"`. */
  path?: string;
  /** Domain whose subdomains also get it, such as `"shop.example"`. Default: this host only. */
  domain?: string;
  /** Lifetime in seconds. Default: until the browser is closed. Browsers allow at most 400 days. */
  maxAgeSeconds?: number;
  /** Time of expiry; `maxAgeSeconds` overrides it. */
  expires?: Date;
  /** Whether the cookie is separate for each site that embeds this one (CHIPS). Requires `secure`. Default false. */
  partitioned?: boolean;
}
