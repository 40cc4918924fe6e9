/** Asks this server for a screen. Not: what becomes of it. */
import { HEADERS } from "../../../platform/shared/wire.ts";

/** Who has not answered in this time will not: a connection may be gone without anybody telling. */
const LONGEST_MS = 30_000;

/**
 * A document that a request brings is no HTML from a string, so Trusted Types have nothing to refuse.
 *
 * @returns once it is over: `responseXML` is the screen, null for what svc did not render; `status` is 0 where no answer came.
 */
export function fetchScreen(href: string): Promise<Pick<XMLHttpRequest, "status" | "responseXML">> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("GET", href);
    request.responseType = "document";
    request.timeout = LONGEST_MS;
    request.onloadend = () => {
      const isPage = request.getResponseHeader(HEADERS.page) !== null;
      resolve({ status: request.status, responseXML: isPage ? request.responseXML : null });
    };
    request.send();
  });
}
