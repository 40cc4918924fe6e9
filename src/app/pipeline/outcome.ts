/**
 * Ways out of a handler, a loader or an action other than its value: each throws, so that types flow on as if the line
 * ended there (`return notFound()` adds nothing to the type of what a loader gives).
 */
import { redirectTo } from "../../platform/http/response/response.ts";
import type { Result } from "../../platform/http/types.ts";
import { Answer, SvcError, type Issue } from "../../platform/shared/errors.ts";

/** Thrown by `redirect`: not a failure, an answer. */
export class Redirect extends Answer {
  readonly result: Result;
  readonly location: string;

  constructor(location: string, status: 302 | 303 | 307 | 308) {
    super(`redirect to ${location}`);
    this.location = location;
    this.result = redirectTo(location, status);
  }
}

/** Whether what was thrown is no failure but an answer by itself: whoever catches failures throws it on. */
export function isRedirect(error: unknown): error is Redirect {
  return error instanceof Redirect;
}

/** Sends the browser elsewhere. @param status default 303: fetch `location` with GET. */
export function redirect(location: string, status: 302 | 303 | 307 | 308 = 303): never {
  throw new Redirect(location, status);
}

/** Answers 404. @param message default "There is nothing here". */
export function notFound(message = "There is nothing here"): never {
  throw new SvcError("SVC_NOT_FOUND", message);
}

/** Answers 401: the caller must sign in first. @param message default "Sign in first". */
export function unauthorized(message = "Sign in first"): never {
  throw new SvcError("SVC_UNAUTHORIZED", message);
}

/** Answers 403: the caller may not do this. @param message default "Forbidden". */
export function forbidden(message = "Forbidden"): never {
  throw new SvcError("SVC_FORBIDDEN", message);
}

/** Answers 422: the input can't be used. @param issues problems of single fields, by path from the input's root. */
export function fail(message: string, issues?: Issue[]): never;
/**
 * The same with a status that says more: 409 where it clashes with what is there, 404 where nothing is.
 * @param status 400 to 499
 */
export function fail(status: number, message: string, issues?: Issue[]): never;
export function fail(first: string | number, second?: string | Issue[], third?: Issue[]): never {
  const [status, message, issues] = typeof first === "number" ? [first, second, third] : [422, first, second];
  if (!Number.isInteger(status) || status < 400 || status > 499)
    throw new SvcError("SVC_DEFINITION", `fail was given the status ${status}; a refusal has one of 400 to 499`);
  throw new SvcError("SVC_INVALID", String(message), Array.isArray(issues) ? { status, issues } : { status });
}
