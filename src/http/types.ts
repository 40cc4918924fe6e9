/** The shapes the HTTP layer is made of. Handlers get a `Context` and answer with a `Result` or a web `Response`. */

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
  /** Cookies of the request, parsed on first use; null prototype. */
  readonly cookies: Readonly<Record<string, string>>;
  /** Adds a `Set-Cookie` to whatever answer is given. */
  setCookie(name: string, value: string, options?: CookieOptions): void;
  /** 16 random bytes in base64, made on first use; the CSP of this answer allows it. */
  readonly nonce: string;
  readonly nonceUsed: boolean;
  readonly requestId: string;
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

export interface CookieOptions {
  httpOnly?: boolean;
  secure?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  path?: string;
  maxAgeSeconds?: number;
}
