/**
 * Marks the pages that svc rendered, for browser code that puts pages into the current document. Inside the process the mark is a
 * random value, and `finish` replaces it at the end. So a header of the same name that app code sets, or that a proxied server
 * sends, never leaves as a mark.
 */
import { randomHex } from "../../platform/security/random.ts";
import { HEADERS } from "../../platform/shared/wire.ts";

const MARK = randomHex(16);

/** For the headers of a page that svc rendered. */
export const PAGE_MARK: readonly string[] = [HEADERS.page, MARK];

/** @returns the headers as they go out: with the mark on a marked HTML page, and on nothing else. */
export function settlePageMark(headers: readonly string[], isHtml: boolean): readonly string[] {
  if (!headers.some((name, at) => at % 2 === 0 && isMarkName(name))) return headers;
  return headers.flatMap((name, at) => {
    if (at % 2 === 1) return [];
    const value = headers[at + 1] as string;
    if (!isMarkName(name)) return [name, value];
    return isHtml && value === MARK ? [HEADERS.page, "1"] : [];
  });
}

function isMarkName(name: string): boolean {
  return name.length === HEADERS.page.length && name.toLowerCase() === HEADERS.page;
}
