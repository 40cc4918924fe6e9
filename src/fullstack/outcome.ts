/** Values that `load` may return or throw, beyond the base app's `redirect`, `notFound` and `fail`. */
import { fail, SvcError } from "../index.ts";

/** A server error whose message is for visitors. */
export class PublicError extends SvcError {
  constructor(status: number, message: string) {
    super("SVC_UNAVAILABLE", message, { status });
  }
}

/**
 * Shows the nearest `_error.tsx` with this status and message. Visitors see the message also with a status from 500 on, unlike that of an
 * unexpected error: `error(503, "Back at noon")`.
 * @param status 400 to 599
 * @throws SvcError `SVC_DEFINITION` for another status
 * @example
 * export const load = () => {
 *   if (!isOpen) error(503, "The shop is closed");
 * };
 */
export function error(status: number, message: string): never {
  if (status >= 500 && status <= 599 && Number.isInteger(status)) throw new PublicError(status, message);
  return fail(status, message);
}

/** Depth to which promises are searched in the result of `load`: lists of objects with a promise each. */
const DEPTH = 4;

/**
 * Result of `load` with promises that are not awaited: the page is sent, and `<Await value={data.reviews}>` shows the value when it
 * arrives. Top-level promises need no `defer`. With it, a nested promise may also fail before or without an `<Await>`.
 * @example
 * export const load = () => defer({ title: "Emma", reviews: fetchReviews() });
 */
export function defer<Data extends object>(data: Data): Data {
  keepQuiet(data, DEPTH);
  return data;
}

/** A rejected promise without an `<Await>` must not end the process. */
export function keepQuiet(data: unknown, depth = 1): void {
  if (typeof data !== "object" || data === null || depth < 0) return;
  if (data instanceof Promise) return void data.catch(() => undefined);
  for (const value of Object.values(data)) keepQuiet(value, depth - 1);
}
