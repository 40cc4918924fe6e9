/** Bindings for what is less common: class and style in pieces, URLs, states, and places that only a key can find. */
import { classText, styleText } from "../shared/class-style.ts";
import { isScriptUrl, SAFE_URL } from "../shared/script-url.ts";
import { DOM } from "../shared/wire.ts";
import { A, bind, write } from "./core-names.ts";

/** Class given as string, array or object. */
export const C = (element: Element, read: () => unknown): void => {
  bind(read, (value) => write(element, "class", classText(value) || null));
};

/** Style given as string, array or object. */
export const S = (element: Element, read: () => unknown): void => {
  bind(read, (value) => write(element, "style", styleText(value) || null));
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

/** The text node before a keyed comment, made where the run was empty. */
export const X = (comment: Comment): Text => {
  const before = comment.previousSibling;
  return before instanceof Text ? before : (comment.parentNode as Node).insertBefore(new Text(), comment);
};

/** Direct child with a key: an element by its attribute, a comment by its text. */
export const K = (parent: Element, key: number): ChildNode | undefined => {
  return [...parent.childNodes].find(
    (node) =>
      (node instanceof Element ? node.getAttribute(DOM.key) : node instanceof Comment && node.data) === String(key),
  );
};
