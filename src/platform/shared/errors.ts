/**
 * The error table: every code a user can meet, its HTTP status where it has one, and its family.
 * docs/errors.md explains each code and is held equal to this table (test/guards/errors.test.ts).
 *
 * Families: `yours` (the caller's mistake, explained), `ours` (a 5xx; the reply tells only a request id),
 * `build` (found by the compiler or at boot), `browser` (told in the console of a page).
 */

export const ERRORS = {
  // requests
  SVC_BAD_REQUEST: { status: 400, family: "yours" },
  SVC_UNAUTHORIZED: { status: 401, family: "yours" },
  SVC_FORBIDDEN: { status: 403, family: "yours" },
  SVC_NOT_FOUND: { status: 404, family: "yours" },
  SVC_METHOD: { status: 405, family: "yours" },
  SVC_TIMEOUT: { status: 408, family: "yours" },
  SVC_TRANSITION: { status: 409, family: "yours" },
  SVC_PRECONDITION: { status: 412, family: "yours" },
  SVC_TOO_LARGE: { status: 413, family: "yours" },
  SVC_URL_TOO_LONG: { status: 414, family: "yours" },
  SVC_CONTENT_TYPE: { status: 415, family: "yours" },
  SVC_EXPECTATION: { status: 417, family: "yours" },
  SVC_INVALID: { status: 422, family: "yours" },
  SVC_RATE_LIMIT: { status: 429, family: "yours" },
  SVC_HEADERS_TOO_LARGE: { status: 431, family: "yours" },
  SVC_INTERNAL: { status: 500, family: "ours" },
  SVC_SESSION: { status: 500, family: "ours" },
  SVC_TOO_LATE: { status: 500, family: "ours" },
  SVC_UPSTREAM: { status: 502, family: "ours" },
  SVC_UNAVAILABLE: { status: 503, family: "ours" },
  // webhooks
  SVC_WEBHOOK_URL: { status: 422, family: "yours" },
  SVC_WEBHOOK_EVENT: { status: 422, family: "yours" },
  SVC_SSRF: { status: 422, family: "yours" },
  // boot
  SVC_CONFIG: { family: "build" },
  SVC_DEFINITION: { family: "build" },
  SVC_STORE: { family: "build" },
  SVC_MOVE: { family: "build" },
  SVC_NEW: { family: "build" },
  // compiler
  SVC101: { family: "build" },
  SVC102: { family: "build" },
  SVC103: { family: "build" },
  SVC104: { family: "build" },
  SVC105: { family: "build" },
  SVC106: { family: "build" },
  SVC107: { family: "build" },
  SVC108: { family: "build" },
  SVC109: { family: "build" },
  SVC110: { family: "build" },
  SVC111: { family: "build" },
  SVC112: { family: "build" },
  SVC113: { family: "build" },
  SVC114: { family: "build" },
  SVC115: { family: "build" },
  SVC116: { family: "build" },
  SVC117: { family: "build" },
  SVC118: { family: "build" },
  SVC120: { family: "build" },
  SVC121: { family: "build" },
  SVC122: { family: "build" },
  // rendering
  SVC201: { family: "build" },
  SVC202: { family: "build" },
  SVC203: { family: "build" },
  SVC204: { family: "build" },
  // in the page
  SVC301: { family: "browser" },
} as const satisfies Record<string, { status?: number; family: "yours" | "ours" | "build" | "browser" }>;

export type ErrorCode = keyof typeof ERRORS;

/** One field-level problem of a refused input; `path` leads from the root of the input. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

export interface SvcErrorOptions {
  cause?: unknown;
  /** In place of the status of the code. */
  status?: number;
  issues?: Issue[];
  /** Extra response headers, e.g. `{ "retry-after": "30" }`. */
  headers?: Record<string, string>;
}

/**
 * An error with a documented code. The message says what was given, what is allowed and what to do;
 * it never holds a secret. Messages of `yours` are shown to the caller, those of `ours` only in development.
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

  /** HTTP status, of the code where none is given; 500 for codes that are not about a request. */
  get status(): number {
    if (this.#status !== undefined) return this.#status;
    const entry = ERRORS[this.code];
    return "status" in entry ? entry.status : 500;
  }
}

/** Marks our own bug: a state that the code around it rules out. */
export function invariant(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`svc invariant broken: ${what}. This is a bug in svc, please report it.`);
}

/** Thrown in place of a value by what answers a request by itself, such as a redirect. Not a failure: boundaries let it pass. */
export class Answer extends Error {}
