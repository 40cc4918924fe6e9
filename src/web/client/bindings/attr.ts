/**
 * `attr.js`: attributes whose text has rules of its own: class and style in pieces, URLs, states. For pages that have any the
 * compiler can't put into plain words (src/web/compiler/extract/attribute-text.ts).
 */
import { classText, styleText } from "../../../platform/shared/class-style.ts";
import { isScriptUrl, SAFE_URL } from "../../../platform/shared/script-url.ts";
import { A } from "../runtime/core.ts";

/** Class given as string, array or object. */
export const C = (element: Element, read: () => unknown): void => {
  A(element, "class", () => classText(read()) || null);
};

/** Style given as string, array or object. */
export const S = (element: Element, read: () => unknown): void => {
  A(element, "style", () => styleText(read()) || null);
};

/** Attribute that holds a URL: one that would run script becomes harmless. */
export const U = (element: Element, name: string, read: () => unknown): void =>
  A(element, name, () => {
    const value = read();
    return isScriptUrl(String(value)) ? SAFE_URL : value;
  });

/** Attribute of which `true` and `false` are both values. */
export const B = (element: Element, name: string, read: () => unknown): void =>
  A(element, name, () => {
    const value = read();
    return typeof value === "boolean" ? String(value) : value;
  });
