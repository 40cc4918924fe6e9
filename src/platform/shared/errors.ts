/**
 * The error table: every code that a user can see, its HTTP status if it has one, and its family.
 * docs/errors.md explains each code; test/guards/errors.test.ts compares the two.
 *
 * Families: `client` (the caller's mistake, explained), `server` (5xx: the response contains only a request id), `build` (from the
 * compiler, the boot or rendering), `browser` (in the console of a page). Numbered codes also have a name.
 */

export const ERRORS = {
  // requests
  SVC_BAD_REQUEST: { status: 400, family: "client" },
  SVC_REDIRECT: { status: 400, family: "client" },
  SVC_UNAUTHORIZED: { status: 401, family: "client" },
  SVC_FORBIDDEN: { status: 403, family: "client" },
  SVC_NOT_FOUND: { status: 404, family: "client" },
  SVC_METHOD: { status: 405, family: "client" },
  SVC_TIMEOUT: { status: 408, family: "client" },
  SVC_TRANSITION: { status: 409, family: "client" },
  SVC_UPDATE_REFUSED: { status: 409, family: "client" },
  SVC_KEY_REUSED: { status: 409, family: "client" },
  SVC_PRECONDITION: { status: 412, family: "client" },
  SVC_TOO_LARGE: { status: 413, family: "client" },
  SVC_URL_TOO_LONG: { status: 414, family: "client" },
  SVC_CONTENT_TYPE: { status: 415, family: "client" },
  SVC_EXPECTATION: { status: 417, family: "client" },
  SVC_HOST: { status: 421, family: "client" },
  SVC_INVALID: { status: 422, family: "client" },
  SVC_RATE_LIMIT: { status: 429, family: "client" },
  SVC_HEADERS_TOO_LARGE: { status: 431, family: "client" },
  SVC_INTERNAL: { status: 500, family: "server" },
  SVC_SESSION: { status: 500, family: "server" },
  SVC_PAYLOAD_KEY: { status: 500, family: "server" },
  SVC_BUCKET: { status: 503, family: "server" },
  SVC_TOO_LATE: { status: 500, family: "server" },
  SVC_UPSTREAM: { status: 502, family: "server" },
  SVC_UNAVAILABLE: { status: 503, family: "server" },
  SVC_UPDATE_TIMEOUT: { status: 504, family: "client" },
  // webhooks
  SVC_WEBHOOK_URL: { status: 422, family: "client" },
  SVC_WEBHOOK_EVENT: { status: 422, family: "client" },
  SVC_SSRF: { status: 422, family: "client" },
  // workers
  SVC_FINAL: { family: "server" },
  SVC_CALL: { family: "server" },
  SVC_WAIT_TIMEOUT: { family: "server" },
  SVC_NESTED_CALL: { family: "server" },
  // boot
  SVC_CONFIG: { family: "build" },
  SVC_DEFINITION: { family: "build" },
  SVC_STORE: { status: 503, family: "build" },
  SVC_MOVE: { family: "build" },
  SVC_NEW: { family: "build" },
  SVC_RUNTIME: { family: "build" },
  // compiler
  SVC101: { family: "build", name: "captured-let" },
  SVC102: { family: "build", name: "captured-constant-assigned" },
  SVC103: { family: "build", name: "invalid-handler" },
  SVC104: { family: "build", name: "server-only-import" },
  SVC105: { family: "build", name: "module-state-in-browser" },
  SVC106: { family: "build", name: "await-in-component" },
  SVC107: { family: "build", name: "unserializable-capture" },
  SVC108: { family: "build", name: "invalid-nesting" },
  SVC109: { family: "build", name: "unsupported-jsx" },
  SVC110: { family: "build", name: "invalid-binding" },
  SVC111: { family: "build", name: "invalid-effect" },
  SVC112: { family: "build", name: "read-once" },
  SVC113: { family: "build", name: "prop-assignment" },
  SVC114: { family: "build", name: "duplicate-key" },
  SVC115: { family: "build", name: "shadowing-field-name" },
  SVC116: { family: "build", name: "unobserved-mutation" },
  SVC117: { family: "build", name: "unnamed-action" },
  SVC118: { family: "build", name: "property-attribute" },
  SVC120: { family: "build", name: "server-only-jsx" },
  SVC121: { family: "build", name: "reactive-prop" },
  SVC122: { family: "build", name: "missing-framework-import" },
  SVC123: { family: "build", name: "other-framework" },
  SVC124: { family: "build", name: "unsupported-syntax" },
  SVC125: { family: "build", name: "late-prevent-default" },
  SVC127: { family: "build", name: "unknown-public-file" },
  SVC128: { family: "build", name: "unreadable-image" },
  // rendering
  SVC201: { family: "build", name: "unserializable-value" },
  SVC202: { family: "build", name: "duplicate-row-key" },
  SVC203: { family: "build", name: "invalid-nesting-across-components" },
  SVC204: { family: "build", name: "still-store-prop" },
  SVC205: { family: "build", name: "still-signal" },
  // in the page
  SVC301: { family: "browser", name: "scripts-unreachable" },
  SVC302: { family: "browser", name: "late-prevent-default-call" },
} as const satisfies Record<
  string,
  { status?: number; family: "client" | "server" | "build" | "browser"; name?: string }
>;

export type ErrorCode = keyof typeof ERRORS;

/** @returns the name of a numbered code: `server-only-import` for SVC104; undefined for other codes. */
export function errorName(code: ErrorCode): string | undefined {
  const entry = ERRORS[code];
  return "name" in entry ? entry.name : undefined;
}

/** One problem of a rejected input; `path` leads from the root of the input to the field. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

export interface SvcErrorOptions {
  cause?: unknown;
  /** Replaces the status of the code. */
  status?: number;
  issues?: Issue[];
  /** Extra response headers, e.g. `{ "retry-after": "30" }`. */
  headers?: Record<string, string>;
}

/**
 * An error with a documented code. The message names the problem, the allowed values and a fix.
 * It never contains a secret. Callers see the message of `client` errors, and of `server` errors only in development.
 * @example
 * try {
 *   await app.boot();
 * } catch (error) {
 *   if (error instanceof SvcError && error.code === "SVC_CONFIG") console.error(error.message);
 * }
 */
export class SvcError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  readonly headers: Record<string, string> | undefined;
  readonly #status: number | undefined;

  constructor(code: ErrorCode, message: string, options: SvcErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SvcError";
    this.code = code;
    this.issues = options.issues;
    this.headers = options.headers;
    this.#status = options.status;
  }

  /** HTTP status: the given one, else that of the code; 500 for codes that are not about a request. */
  get status(): number {
    if (this.#status !== undefined) return this.#status;
    const entry = ERRORS[this.code];
    return "status" in entry ? entry.status : 500;
  }
}

/** Asserts that a state is impossible; a violation is a bug in svc. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`svc invariant broken: ${what}. This is a bug in svc, please report it.`);
}

/**
 * Thrown instead of returning, by code that answers the request itself, such as a redirect. Not a failure: error boundaries rethrow
 * it.
 */
export class Answer extends Error {}
