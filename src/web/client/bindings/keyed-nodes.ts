/** Places that only a key can find. */
import { DOM } from "../../../platform/shared/wire.ts";
import { T } from "../runtime/core-imports.ts";

/**
 * Direct child with a key: an element by its attribute, a comment by its text.
 * @param key from 1: as a number, it equals no empty text.
 */
export const K = (parent: Element, key: unknown): ChildNode | undefined =>
  [...parent.childNodes].find(
    (node) => (node instanceof Element ? node.getAttribute(DOM.key) : node instanceof Comment && node.data) == key,
  );

/** Text run between other nodes: the text node before a keyed comment, made where the run was empty. */
export const X = (parent: Element, key: number, read: () => unknown): void => {
  const end = K(parent, key)!;
  const before = end.previousSibling;
  T(before instanceof Text ? before : parent.insertBefore(new Text(), end), read);
};
