/**
 * `prop.js`: props that change, for components from the server. The chunk of the parent makes a derived value, and the component's code
 * reads it from its slot like any other value. For pages that have any.
 */
import { chunkNamed, computed, kinds, pageState } from "../runtime/core.ts";
import { DOM, FUNCTION_KIND } from "../../../platform/shared/wire.ts";
import type { Slots } from "../runtime/types.ts";
import { slotsFrom } from "./slots.ts";

/** Roots of all scopes of the document, by id. Kept until the running code ends: a write that wakes one row of a list often wakes all. */
let roots: Map<string, Element> | undefined;

pageState()._rootOf = (id) => {
  if (!roots) {
    roots = new Map();
    for (const root of document.querySelectorAll(`[${DOM.scope}]:not([${DOM.portal}])`))
      roots.set(root.getAttribute(DOM.scope)!.split(" ")[0]!, root);
    queueMicrotask(() => (roots = undefined));
  }
  const root = roots.get(String(id));
  // Code that ran since then may have removed it.
  return root?.isConnected ? root : undefined;
};

const derived = new WeakSet<object>();

/** A derived value. */
export const D = (read: () => unknown): object => {
  const value = computed(read);
  derived.add(value);
  return value;
};

/** Makes the slots with derived values getters, so that a read follows the value. */
const follow = (slots: unknown[] & Slots): Slots => {
  // Slots that are read later are not enumerable.
  for (const [index, value] of Object.entries(slots))
    if (derived.has(value as object))
      Object.defineProperty(slots, index, { get: () => (value as { value: unknown }).value });
  return slots;
};

kinds[FUNCTION_KIND] = ([chunk, symbol, ...indices]: [chunk: string, symbol: string, ...slots: number[]]) =>
  chunkNamed(chunk)[symbol]!(follow(slotsFrom(indices)));

/** Props of a spread that the browser binds. @param slots the names, then the values */
export const Own = (slots: unknown[]): object => {
  const own = {};
  (slots[0] as string[]).forEach((name, at) =>
    Object.defineProperty(own, name, { enumerable: true, configurable: true, get: () => slots[at + 1] }),
  );
  return D(() => own);
};

/** Begins the bindings of an instance with live props. @param bind symbol of the bindings of its other values */
export const L = (slots: unknown[] & Slots, root: Element, bind?: string): void => {
  follow(slots);
  if (bind) chunkNamed(root.getAttribute(DOM.scope)!.split(" ")[1]!)[bind]!(slots, root);
};

/** Children with parts that change, by the order in which the page shows them. */
class Parts {
  readonly _reads: (() => unknown)[];

  constructor(reads: (() => unknown)[]) {
    this._reads = reads;
  }
}

/** Children of a component: the parts of the server's content that change, each a range before its comment. */
export const S = (...reads: (() => unknown)[]): Parts => new Parts(reads);

/**
 * Binds the parts of a component's children. What else is in the range of the children stays.
 * @returns whether the value of the prop is such children
 */
export const Kids = <Range extends { _nodes(): ChildNode[] }>(
  value: unknown,
  range: Range,
  before: (end: ChildNode) => Range,
  bind: (range: Range, read: () => unknown) => void,
): boolean => {
  if (!(value instanceof Parts)) return false;
  let depth = 0;
  for (const node of range._nodes()) {
    const text = node instanceof Comment ? node.data : "";
    if (text === DOM.rangeStart) depth++;
    if (text === DOM.rangeEnd) depth--;
    // A component among the children may show children of its own, in a range.
    const read =
      depth === 1 && text.startsWith(DOM.childPart) && value._reads[Number(text.slice(DOM.childPart.length))];
    if (read) bind(before(node), read);
  }
  return true;
};
