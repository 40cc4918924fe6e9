/** Changes the headers of an existing response, in either of its two forms. */
import type { Answer, Result } from "../types.ts";
import { toResult } from "./write-response.ts";

/**
 * A response with changed headers, for middleware: `withHeaders(await next(), { "cache-control": "no-store" })`.
 * @param headers a value replaces all values of that name, in any case; undefined removes them. Set cookies with `ctx.setCookie`, which
 * adds to existing ones.
 * @example
 * const noStore: Middleware = async (_ctx, next) => withHeaders(await next(), { "cache-control": "no-store" });
 */
export function withHeaders(answer: Answer, headers: Readonly<Record<string, string | undefined>>): Result {
  const { status, headers: had, body } = toResult(answer);
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const kept: string[] = [];
  for (let at = 0; at + 1 < had.length; at += 2) {
    const [name = "", value = ""] = had.slice(at, at + 2);
    if (!given.has(name)) kept.push(name, value);
  }
  for (const [name, value] of given) if (value !== undefined) kept.push(name, value);
  return { status, headers: kept, body };
}
