/** Finds nodes that are marked with a key. */
import { DOM } from "../../../platform/shared/wire.ts";
import { T } from "../runtime/core-imports.ts";

/**
 * The direct child with a key: an element by its attribute, a comment by its text.
 * @param key at least 1. Numbers compare loosely with text, and 0 would equal an empty comment.
 */
export const K = (parent: Element, key: unknown): ChildNode | undefined =>
  [...parent.childNodes].find(
    (node) => (node instanceof Element ? node.getAttribute(DOM.key) : node instanceof Comment && node.data) == key,
  );

/** Binds the text before a keyed comment. Creates the text node if the server wrote an empty text. */
export const X = (parent: Element, key: number, read: () => unknown): void => {
  const end = K(parent, key)!;
  const before = end.previousSibling;
  T(before instanceof Text ? before : parent.insertBefore(new Text(), end), read);
};
