/** Fetches a page of this server in one part, without running anything of it. Callers decide what to do with it. */
import { AHEAD, HEADERS } from "../../../platform/shared/wire.ts";

/** Timeout: a connection may be gone without an error. */
const LONGEST_MS = 30_000;

/**
 * Uses XMLHttpRequest because a document response is not HTML from a string, which Trusted Types would reject. Asks as a prefetch does, so
 * that it does not take a message that waits for the next page. @returns when the request ends: `responseXML` is the page, or null if svc
 * did not render the response; `status` is 0 if no response arrived.
 */
export function fetchPage(href: string): Promise<Pick<XMLHttpRequest, "status" | "responseXML">> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", href);
    request.setRequestHeader(HEADERS.navigation, AHEAD);
    request.responseType = "document";
    request.timeout = LONGEST_MS;
    request.onloadend = () => {
      const isPage = request.getResponseHeader(HEADERS.page) !== null;
      resolve({ status: request.status, responseXML: isPage ? request.responseXML : null });
    };
    request.send();
  });
}
