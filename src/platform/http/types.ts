/** The shapes the HTTP layer is made of. Handlers get a `Context` and answer with a `Result` or a web `Response`. */
import type { Session } from "./sessions/session.ts";
import type { Trace } from "../shared/trace.ts";

export type Body = string | Uint8Array | AsyncIterable<string | Uint8Array> | null;

/**
 * A plain answer: what the hot path is made of. `headers` is flat, name after value (`["etag", "\"x\"", …]`),
 * as node:http writes it fastest. Content-Length is added for strings and bytes.
 */
export interface Result {
  status: number;
  headers: string[];
  body: Body;
}

export type Answer = Result | Response;
export type Params = Readonly<Record<string, string>>;
export type Handler<Of extends Params = Params> = (ctx: Context<Of>) => Answer | Promise<Answer>;

/** Runs what is further in and gives its answer; rejects with what that throws. May be called once. */
export type Next = () => Promise<Answer>;

/**
 * Runs around a handler. Returns `next()`, an answer of its own without calling it, or what it made of the inner answer
 * (`withHeaders`).
 */
export type Middleware = (ctx: Context, next: Next) => Answer | Promise<Answer>;

/** Values that middleware hands on to handlers; extend by declaration merging. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Locals {}

/** One request. `Of` are its parameters: `{ id: string }` at `/todos/:id`. */
export interface Context<Of extends Params = Params> {
  readonly method: string;
  /** Decoded once, normalised; never holds `..`, `//` or NUL. A slash that was encoded stays `%2F`: it separates nothing. */
  readonly path: string;
  /** Raw query text without `?`. */
  readonly queryText: string;
  /** Parsed query, on first use. */
  readonly query: URLSearchParams;
  /** Absolute URL of the request, on first use; the origin follows trusted proxies only. */
  readonly url: URL;
  /** Parameters of the path by name, decoded. */
  readonly params: Of;
  /** Value of a request header by lower-case name; joined with ", " when sent several times. */
  header(name: string): string | undefined;
  /** Value of one cookie of the request; undefined where there is none. */
  cookie(name: string): string | undefined;
  /** Cookies of the request, parsed on first use; null prototype. */
  readonly cookies: Readonly<Record<string, string>>;
  /** Value of a cookie set with `{ signed: true }`; undefined when there is none, or it was not signed by this site under this name. */
  signedCookie(name: string): string | undefined;
  /**
   * Adds a `Set-Cookie` to whatever answer is given; the last one of a name, path and domain counts.
   * @param value any text; it is percent-encoded. With name and signature at most 4096 bytes.
   * @throws TypeError for what browsers would drop unseen. @throws SvcError `SVC_TOO_LATE` once the head has gone out.
   */
  setCookie(name: string, value: string, options?: CookieOptions): void;
  /** Has the browser forget a cookie. @param options path and domain it was set with. @throws as `setCookie` */
  deleteCookie(name: string, options?: CookieOptions): void;
  /**
   * The visitor's session, read on first use. An answer for which it was read is not kept by caches.
   * @throws what its store does.
   */
  session(): Promise<Session>;
  /** Names the visitor's session without reading it; undefined where there is none. Changes with `regenerate`. */
  readonly sessionId: string | undefined;
  /** 16 random bytes in base64, made on first use; the CSP of this answer allows it. */
  readonly nonce: string;
  readonly nonceUsed: boolean;
  readonly requestId: string;
  /** Where this request stands in its trace (W3C Trace Context): for calls that it makes, `traceparent(ctx.trace)`. */
  readonly trace: Trace;
  /** TLS socket, or `X-Forwarded-Proto: https` from a trusted proxy. */
  readonly secure: boolean;
  /** Address of the client; behind trusted proxies the right-most untrusted hop. */
  readonly clientIp: string;
  /** Aborts when the client leaves or the server's drain deadline passes. */
  readonly signal: AbortSignal;
  /** The web-standard request, built only when touched. */
  readonly request: Request;
  /** Reads the body once, up to `limitBytes`. @throws SvcError SVC_TOO_LARGE, SVC_TIMEOUT. */
  bytes(limitBytes: number): Promise<Uint8Array>;
  /** Strict UTF-8. @throws SvcError SVC_INVALID. */
  text(limitBytes: number): Promise<string>;
  readonly locals: Locals & Record<string, unknown>;
}

/** Attributes of a cookie (RFC 6265bis section 4.1). */
export interface CookieOptions {
  /** Signed with `SVC_SECRET`, so that nobody can change it; `ctx.signedCookie` reads it. Readable by the visitor. Default false. */
  signed?: boolean;
  /** Out of reach of scripts. Default true. */
  httpOnly?: boolean;
  /** Sent over HTTPS alone. Default: whether this request came over HTTPS. */
  secure?: boolean;
  /** Whether requests from other sites bring it: never, only when the visitor follows a link, always. Default "Lax". */
  sameSite?: "Strict" | "Lax" | "None";
  /** Default "/". */
  path?: string;
  /** Subdomains get it too. Default: this host alone. */
  domain?: string;
  /** Default: until the browser is closed. Browsers cut it to 400 days. */
  maxAgeSeconds?: number;
  /** As `maxAgeSeconds`, which wins where both are given. */
  expires?: Date;
  /** Where the site is embedded by others: a jar of its own for each of them (CHIPS). Needs `secure`. Default false. */
  partitioned?: boolean;
}
