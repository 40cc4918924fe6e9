/**
 * Outcomes of a handler, loader or action other than its value. Each function throws and returns `never`, so `return notFound()` adds
 * nothing to the type of a loader's result.
 */
import { redirectTo } from "../../platform/http/response/response.ts";
import { isOwnTarget, isWebUrl } from "../../platform/http/response/redirect-target.ts";
import type { Result } from "../../platform/http/types.ts";
import { Answer, SvcError, type Issue } from "../../platform/shared/errors.ts";

type RedirectStatus = 302 | 303 | 307 | 308;

/** Thrown by `redirect`; a response, not a failure. */
export class Redirect extends Answer {
  readonly result: Result;
  readonly location: string;

  constructor(location: string, status: RedirectStatus) {
    super(`redirect to ${location}`);
    this.location = location;
    this.result = redirectTo(location, status);
  }
}

/** Whether a thrown value is a response instead of a failure. Code that catches failures must rethrow it. */
export function isRedirect(error: unknown): error is Redirect {
  return error instanceof Redirect;
}

/** Options of `redirect`. */
export interface RedirectOptions {
  /** Default 303: fetch the target with GET. */
  status?: RedirectStatus;
  /** Allows an `http:` or `https:` URL of another site. Default false. Never pass a visitor's text with it. */
  allowOtherHost?: boolean;
}

/**
 * Sends the browser to another page of this site. A target on another site needs `allowOtherHost`, so that a target from the request
 * (`?to=…`) can't send visitors to an attacker's site.
 * @param location a path or another relative reference: `/books?page=2`, `?page=2`
 * @param options the status, or an object of options. Default 303: fetch `location` with GET.
 * @throws SvcError `SVC_REDIRECT` (400) for a target on another site, as `https://…`, `//host` and `/\\host` are, or with another scheme.
 * @example
 * route("GET", "/old", () => redirect("/new", 308));
 * @example
 * route("GET", "/pay", () => redirect("https://pay.example/checkout", { allowOtherHost: true }));
 */
export function redirect(location: string, options: RedirectStatus | RedirectOptions = {}): never {
  const { status = 303, allowOtherHost = false } = typeof options === "number" ? { status: options } : options;
  if (isOwnTarget(location) || (allowOtherHost && isWebUrl(location))) throw new Redirect(location, status);
  const fix = allowOtherHost
    ? "Use a path, or a URL that begins with https:// or http://"
    : "Use a path of this site, or pass { allowOtherHost: true } if the app chose the target itself";
  throw new SvcError("SVC_REDIRECT", `The target of this redirect is not on this site. ${fix}`);
}

/**
 * Answers 404. @param message default "There is nothing here".
 * @example
 * page("/books/:id", {
 *   load: (ctx) => books.get(ctx.params.id) ?? notFound("No such book"),
 *   title: (book) => book.title,
 *   view: (book) => <h1>{book.title}</h1>,
 * });
 */
export function notFound(message = "There is nothing here"): never {
  throw new SvcError("SVC_NOT_FOUND", message);
}

/**
 * Answers 401: the caller must sign in first. @param message default "Sign in first".
 * @example
 * route("GET", "/api/me", (ctx) => {
 *   if (!ctx.header("authorization")) unauthorized("Send a bearer token");
 *   return json({ ok: true });
 * });
 */
export function unauthorized(message = "Sign in first"): never {
  throw new SvcError("SVC_UNAUTHORIZED", message);
}

/**
 * Answers 403: the caller may not do this. @param message default "Forbidden".
 * @example
 * page("/admin", {
 *   title: "Admin",
 *   load: (ctx) => {
 *     if (ctx.header("x-role") !== "admin") forbidden("Only administrators may open this page");
 *   },
 *   view: () => <h1>Admin</h1>,
 * });
 */
export function forbidden(message = "Forbidden"): never {
  throw new SvcError("SVC_FORBIDDEN", message);
}

/**
 * Answers 422: the input is invalid. @param issues problems of single fields, by path from the input's root.
 * @example
 * export const rename = action((name: string) => {
 *   if (name.length > 80) fail(422, "The name is too long: at most 80 characters");
 *   return name;
 * });
 */
export function fail(message: string, issues?: Issue[]): never;
/**
 * Like the other overload, with a more specific status: 409 for a conflict, 404 for something missing.
 * @param status 400 to 499
 */
export function fail(status: number, message: string, issues?: Issue[]): never;
export function fail(first: string | number, second?: string | Issue[], third?: Issue[]): never {
  const [status, message, issues] = typeof first === "number" ? [first, second, third] : [422, first, second];
  if (!Number.isInteger(status) || status < 400 || status > 499)
    throw new SvcError("SVC_DEFINITION", `fail was called with status ${status}; it must be 400 to 499`);
  throw new SvcError("SVC_INVALID", String(message), Array.isArray(issues) ? { status, issues } : { status });
}
