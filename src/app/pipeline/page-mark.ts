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

/**
 * @returns the headers as they go out: with the mark on a marked HTML page, and on nothing else. A list of its own where it differs.
 */
export function settlePageMark(headers: string[], isHtml: boolean): string[] {
  const at = markAt(headers, 0);
  if (at === -1) return headers;
  const settled = headers.slice();
  if (isHtml && headers[at + 1] === MARK && markAt(headers, at + 2) === -1) settled[at + 1] = "1";
  else removeMarks(settled, isHtml && headers.includes(MARK));
  return settled;
}

/** @returns index of the first name at or after `from` that is the mark's; -1 if there is none. */
function markAt(headers: readonly string[], from: number): number {
  // Every response passes here: a loop costs a tenth of what array methods with a closure do.
  for (let at = from; at < headers.length; at += 2) if (isMarkName(headers[at] as string)) return at;
  return -1;
}

/** Removes all marks, for app code set one. `isMarked`: puts the true mark at the end. */
function removeMarks(headers: string[], isMarked: boolean): void {
  for (let at = markAt(headers, 0); at !== -1; at = markAt(headers, at)) headers.splice(at, 2);
  if (isMarked) headers.push(HEADERS.page, "1");
}

function isMarkName(name: string): boolean {
  return name.length === HEADERS.page.length && name.toLowerCase() === HEADERS.page;
}
