/**
 * `raw.js`: values that may change the meaning of the page. Raw HTML (`dangerouslySetInnerHTML`), and names of elements that may hide members of
 * `document` or of a form.
 */
import { inertHtml } from "../../../platform/shared/html/raw-html.ts";
import { FORM_PROPERTIES, membersBehind, unlessHiding } from "../../../platform/shared/html/hidden-members.ts";
import { A, P } from "../runtime/core.ts";

/** Not of `document` itself: that also has the names of the elements in the page. */
const isMember = (name: string): boolean => name in Document.prototype;

/** What is not a string is a `TrustedHTML` of the app. */
export const H = (element: Element, read: () => unknown): void =>
  P(element as never, "innerHTML", () => {
    const html = read();
    return typeof html === "string"
      ? inertHtml(html, (value, isName) => isMember(value) || (isName && FORM_PROPERTIES.has(value)))
      : html;
  });

/** Binds `name` or `id`. A value that would hide a member is left out. */
export const N = (element: Element, name: string, read: () => unknown): void => {
  const asked = membersBehind(name, element.localName) === "document" ? isMember : undefined;
  A(element, name, () => unlessHiding(read(), asked));
};
