/**
 * `create.js`: content that the browser creates and removes as a range of nodes, and components in it. JSX in such content is a view: a
 * function that makes nodes when the view is first shown. Content from the server is never run again. It stays until a condition, a row's
 * item or a prop that it was made from changes.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { guard, slotsAt, untrack, watch } from "../runtime/core.ts";
import { listen } from "../runtime/event-types.ts";
import type { DispatchedEvent, Slots } from "../runtime/types.ts";
import { L, undoable } from "../state/effect.ts";
import { N, NodeRange, rangeBefore } from "./node-range.ts";
import { I } from "./range-content.ts";
import { orderScopes } from "./removable-scopes.ts";
import { K, tpl } from "./region.ts";
import { contentOf, nodesOf, V, View } from "./view.ts";

export { N, NodeRange } from "./node-range.ts";
export { I, W } from "./range-content.ts";
export { nodesOf, V, View } from "./view.ts";

type Handler = (slots: unknown, event: Event, element: Element) => unknown;
type Props = Record<PropertyKey, unknown>;

/** The range of the server that ends before a node. */
export const Before = (end: ChildNode): NodeRange => rangeBefore(end)!;

/** The range before the comment with this key. Creates it in a clone of a template. */
export const G = (parent: Element, key: number | string): NodeRange => {
  const end = K(parent, key)!;
  const found = rangeBefore(end);
  if (found) return found;
  const range = N();
  range._fill([]);
  range._insertBefore(end);
  return range;
};

/** A text node in place of the comment with this key. */
export const O = (parent: Element, key: number): Text => {
  const text = new Text();
  K(parent, key)!.replaceWith(text);
  return text;
};

/** Nodes of a view in place of the comment with this key. */
export const Put = (parent: Element, key: number, view: View): void => K(parent, key)!.replaceWith(...nodesOf(view));

/**
 * Nodes of a fragment after its template is bound. They lose their keys, because the element around them has keys of its own, and it may look
 * for one of them later.
 */
export const Loose = (fragment: Node): ChildNode[] => {
  const nodes = [...fragment.childNodes];
  for (const node of nodes) {
    if (node instanceof Element) node.removeAttribute(DOM.key);
    else if (node instanceof Comment && +node.data) node.data = "";
  }
  return nodes;
};

/** What `For` uses of the parent of its rows. */
interface RowParent {
  readonly children: readonly NodeRange[];
  insertBefore(row: NodeRange, behind: NodeRange | null): void;
  /** Undefined in browsers that lack it. */
  readonly moveBefore: ((row: NodeRange, behind: NodeRange | null) => void) | undefined;
}

/** The rows before the comment with this key, as the parent of a list whose rows are ranges. */
export const Rows = (parent: Element, key: number): RowParent => {
  const end = K(parent, key)!;
  return {
    get children() {
      const rows: NodeRange[] = [];
      for (let row = rangeBefore(end); row; row = rangeBefore(row._start)) rows.unshift(row);
      return rows;
    },
    insertBefore(row, behind) {
      row._insertBefore(behind ? behind._start : end);
    },
    moveBefore:
      "moveBefore" in Element.prototype
        ? (row, behind) => {
            for (const node of row._nodes()) end.parentNode!.moveBefore(node, behind ? behind._start : end);
          }
        : undefined,
  };
};

/** What a component returns early or late. */
export const Tail = (read: () => unknown): View =>
  V(() => {
    const range = N();
    I(range, read);
    return range;
  });

/** Functions to call with the first element of the component that is being created, once it is in the document. */
let loads: ((element: Element) => unknown)[] | undefined;

/** `onLoad` of a component that the browser creates. */
export const onLoad = (run: (element: Element) => unknown): void => void loads?.push(run);

/** `createRef` in the browser. */
export const createRef = (): { current: unknown } => ({ current: null });

/** A component, created once per view. */
export const New = (component: (props: Props) => unknown, props: Props, deps?: () => unknown): View =>
  V(() => {
    const outer = loads;
    const mine: typeof loads = (loads = []);
    let content!: ChildNode | ChildNode[];
    let undo: (() => void) | undefined;
    try {
      undo = undoable(() => {
        content = contentOf(component(props));
      });
    } finally {
      loads = outer;
    }
    if (undo) endWith(undo);
    if (mine.length > 0) runLoads(mine, content);
    return content;
  }, deps);

/** Calls `undo` when the surrounding scope ends. */
const endWith = (undo: () => void): void => {
  watch(
    () => {},
    () => {},
    true,
    () => untrack(undo),
  );
};

const runLoads = (runs: NonNullable<typeof loads>, content: ChildNode | ChildNode[]): void => {
  const root = [content].flat().find((node) => node instanceof Element);
  if (root) queueMicrotask(() => runs.forEach((run) => L(root, run)));
};

/** Merges objects and keeps their getters, so that a prop stays live. */
export const Q = (...objects: object[]): Props =>
  Object.defineProperties(
    {},
    Object.assign({}, ...objects.map(Object.getOwnPropertyDescriptors)) as PropertyDescriptorMap,
  );

/** All props except those with these names. */
export const Z = (props: object, ...names: string[]): Props => {
  const rest = Q(props);
  for (const name of names) delete rest[name];
  return rest;
};

/** The `<template>` behind content in no element of its component, while that content is created. */
let host: Element | undefined;

/** Binds content in no element of its component. The elements that it creates belong to the scope of the `<template>`. */
export const Host = (at: Element | undefined, run: () => void): void => {
  const outer = host;
  host = at;
  try {
    run();
  } finally {
    host = outer;
  }
};

orderScopes();
const inner = { ...guard };
guard._made = (node) => {
  const at = host;
  const { _write: write } = node;
  // Content that a binding creates later is in the same place as the binding.
  if (at) node._write = (value) => Host(at, () => write!(value));
  inner._made?.(node);
};

/** Name of the property with the handlers of an element, and their slots. A form's fields can shadow other names, but no symbol. */
const handlersAt: unique symbol = Symbol();

declare global {
  interface Element {
    [handlersAt]?: [slots: unknown, byAttribute: Record<string, Handler>];
  }
}

/** Attributes whose events have a listener. */
const heard = new Set<string>();

/** Attaches the handlers of a created element, by attribute. */
export const H = (element: Element, slots: unknown, byAttribute: Record<string, Handler>): void => {
  // A spread adds handlers of its own, without slots.
  const known = element[handlersAt];
  element[handlersAt] = known ? [slots ?? known[0], { ...known[1], ...byAttribute }] : [slots, byAttribute];
  if (host) {
    element.setAttribute(DOM.scope, host.getAttribute(DOM.scope)!);
    element[slotsAt] ??= {};
  }
  for (const name in byAttribute) {
    if (heard.has(name)) continue;
    const type = name.slice(DOM.on.length);
    const isGlobal = type.startsWith(DOM.window);
    if (isGlobal) document.documentElement.setAttribute(type, `[${CSS.escape(name)}]`);
    else heard.add(name);
    listen([isGlobal ? type.slice(DOM.window.length) : type]);
  }
};

/** Flag of handlers of the capture phase. */
const CAPTURES = "^";

/** Elements whose own handler of an event has run. */
const handled = new WeakMap<object, Element[]>();

/** The handler that all attributes of created elements name. */
export const _c = (_slots: Slots, event: Event & DispatchedEvent, element: Element): unknown => {
  const [slots, byAttribute] = element[handlersAt] ?? [];
  const own = byAttribute?.[DOM.on + event.type];
  const global = byAttribute?.[DOM.on + DOM.window + event.type];
  let run = own ?? global;
  if (own && global) {
    // Both attributes name this function. The element's own handler is the first, if the event reaches the element, unless the other one is
    // of the capture phase.
    const done = handled.get(event) ?? [];
    const isReached = event._way.includes(element) && (event.bubbles || event.target === element);
    const isLast = element.getAttribute(DOM.on + DOM.window + event.type)!.includes(CAPTURES);
    if (!isReached || done.includes(element) !== isLast) run = global;
    handled.set(event, [...done, element]);
  }
  return run?.(slots, event, element);
};

/** A function that creates all nodes of this HTML, in a fragment. */
export const M = (html: string): (() => DocumentFragment) => {
  const make = tpl(`<template>${html}</template>`);
  return () => (make() as HTMLTemplateElement).content;
};
