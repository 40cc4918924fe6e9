/** Which responses may become part of this document; the browser loads all others as documents. */
import { policyMark } from "../../../platform/shared/policy-mark.ts";
import { DOM, HEADERS } from "../../../platform/shared/wire.ts";

/** Read before any swap: the policy of a document never changes, although its elements do. */
const ownMark = document.documentElement.getAttribute(DOM.policy);

/**
 * Whether a response may become part of this document: svc rendered it, and its policy is that of this document. A response
 * without a policy header is a file of a static export, which has its mark and its policy in its HTML. Such a response gains
 * no privileges here: loaded as a document, it would run its scripts without any restriction.
 */
export function isOwnPage(next: Document, headers: Headers): boolean {
  const policy = headers.get(HEADERS.policy);
  const mark =
    policy === null ? next.documentElement.getAttribute(DOM.policy) : headers.has(HEADERS.page) && policyMark(policy);
  return (
    ownMark !== null &&
    mark === ownMark &&
    metaPolicies(next) === metaPolicies(document) &&
    /^text\/html *(?:;|$)/i.test(headers.get("content-type") ?? "")
  );
}

function metaPolicies(page: Document): string {
  const found = page.querySelectorAll<HTMLMetaElement>(`meta[http-equiv="${HEADERS.policy}" i]`);
  return [...found].map(({ content }) => policyMark(content)).join();
}
