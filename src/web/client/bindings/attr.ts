/**
 * `attr.js`: attributes with serialization rules of their own: class and style from arrays and objects, URLs, and `true`/`false` states.
 * Loaded by pages with attributes that the compiler can't reduce to plain text (src/web/compiler/extract/attribute-text.ts).
 */
import { classText, styleText } from "../../../platform/shared/html/class-style.ts";
import { isScriptUrl, SAFE_URL } from "../../../platform/shared/html/script-url.ts";
import { A } from "../runtime/core.ts";

/** Class from a string, array or object. */
export const C = (element: Element, read: () => unknown): void => {
  A(element, "class", () => classText(read()) || null);
};

/** Style from a string, array or object. */
export const S = (element: Element, read: () => unknown): void => {
  A(element, "style", () => styleText(read()) || null);
};

/** URL attribute. A URL that would run a script is replaced by a harmless one. */
export const U = (element: Element, name: string, read: () => unknown): void =>
  A(element, name, () => {
    const value = read();
    return isScriptUrl(String(value)) ? SAFE_URL : value;
  });

/** Attribute for which `true` and `false` are both values, such as `aria-expanded`. */
export const B = (element: Element, name: string, read: () => unknown): void =>
  A(element, name, () => {
    const value = read();
    return typeof value === "boolean" ? String(value) : value;
  });
