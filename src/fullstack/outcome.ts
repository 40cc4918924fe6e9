/** What `load` may give or throw beyond the base app's `redirect`, `notFound`, `fail` and their kin. */
import { fail, SvcError } from "../index.ts";

/** A fault whose message is for visitors. */
export class PublicError extends SvcError {
  constructor(status: number, message: string) {
    super("SVC_UNAVAILABLE", message, { status });
  }
}

/**
 * Has the nearest `_error.tsx` shown, with this status and message. Of a status from 500 on visitors are told the message too,
 * as they are not of what merely went wrong: `error(503, "Back at noon")`.
 * @param status 400 to 599
 * @throws SvcError `SVC_DEFINITION` for another one
 */
export function error(status: number, message: string): never {
  if (status >= 500 && status <= 599 && Number.isInteger(status)) throw new PublicError(status, message);
  return fail(status, message);
}

/** How far into what `load` gives promises are looked for: lists of objects, each with a promise of its own. */
const DEPTH = 4;

/**
 * What `load` gives, some of it promises that are not waited for: the page goes out, and `<Await value={data.reviews}>` shows
 * what comes later. Of fields a promise needs no `defer`; with it one further in may fail, too, before or without an `<Await>`.
 */
export function defer<Data extends object>(data: Data): Data {
  keepQuiet(data, DEPTH);
  return data;
}

/** A promise that no `<Await>` comes to wait for must not end the process. */
export function keepQuiet(data: unknown, depth = 1): void {
  if (typeof data !== "object" || data === null || depth < 0) return;
  if (data instanceof Promise) return void data.catch(() => undefined);
  for (const value of Object.values(data)) keepQuiet(value, depth - 1);
}
