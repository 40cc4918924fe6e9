/**
 * Marks the pages that svc rendered, for browser code that puts pages into the current document. Inside the process the mark is a
 * random value, which `settlePageMark` replaces at the end. So a header of the same name from app code or a proxied server never
 * leaves as a mark.
 */
import { randomHex } from "../../platform/security/random.ts";
import { HEADERS } from "../../platform/shared/wire.ts";

const MARK = randomHex(16);

/** Header of a page that svc rendered. */
export const PAGE_MARK: readonly string[] = [HEADERS.page, MARK];

/**
 * @returns the headers to send: the mark only on a marked HTML page. A new list if they differ.
 */
export function settlePageMark(headers: string[], isHtml: boolean): string[] {
  const at = markAt(headers, 0);
  if (at === -1) return headers;
  const settled = headers.slice();
  if (isHtml && headers[at + 1] === MARK && markAt(headers, at + 2) === -1) settled[at + 1] = "1";
  else removeMarks(settled, isHtml && headers.includes(MARK));
  return settled;
}

/** @returns index of the first mark header at or after `from`; -1 if there is none. */
function markAt(headers: readonly string[], from: number): number {
  // Every response passes here: a loop costs a tenth of array methods with a closure.
  for (let at = from; at < headers.length; at += 2) if (isMarkName(headers[at] as string)) return at;
  return -1;
}

/** Removes all marks, because app code has set one. @param isMarked whether to append the true mark */
function removeMarks(headers: string[], isMarked: boolean): void {
  for (let at = markAt(headers, 0); at !== -1; at = markAt(headers, at)) headers.splice(at, 2);
  if (isMarked) headers.push(HEADERS.page, "1");
}

function isMarkName(name: string): boolean {
  return name.length === HEADERS.page.length && name.toLowerCase() === HEADERS.page;
}
