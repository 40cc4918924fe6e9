/** Changing the headers of an answer that is there already, whichever of its two shapes it has. */
import type { Answer, Result } from "../types.ts";
import { toResult } from "./write-response.ts";

/**
 * An answer with these headers, for middleware: `withHeaders(await next(), { "cache-control": "no-store" })`.
 * @param headers a value takes the place of any the answer had under that name (in whatever case); undefined takes it
 * away. Cookies are set with `ctx.setCookie`, which adds.
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
