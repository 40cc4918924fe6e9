/** `raw.js`: raw HTML that changes in the browser (`dangerouslySetInnerHTML`). */
import { inertHtml } from "../../../platform/shared/html/raw-html.ts";
import { P } from "../runtime/core.ts";

/** What is not a string is a `TrustedHTML` of the app. */
export const H = (element: Element, read: () => unknown): void =>
  P(element as never, "innerHTML", () => {
    const html = read();
    return typeof html === "string" ? inertHtml(html, (name) => name in document) : html;
  });
