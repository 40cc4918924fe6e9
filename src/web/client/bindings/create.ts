/**
 * `create.js`: content that the browser creates and removes as a range of nodes, and components in it. JSX in such content is a view: a
 * function that makes nodes when the view is first shown. Content from the server is never run again. It stays until a condition, a row's
 * item or a prop that it was made from changes.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import { guard, isResuming, scoped, slotsAt, untrack, watch } from "../runtime/core.ts";
import { listen } from "../runtime/event-types.ts";
import type { DispatchedEvent, Slots } from "../runtime/types.ts";
import { L, undoable } from "../state/effect.ts";
import { K, tpl } from "./region.ts";

type Handler = (slots: unknown, event: Event, element: Element) => unknown;
type Props = Record<PropertyKey, unknown>;

export class View {
  readonly _make: () => unknown;
  /** Reads what the server made this view's content from, if that may change. */
  readonly _deps: (() => unknown) | undefined;

  constructor(make: () => unknown, deps?: () => unknown) {
    this._make = make;
    this._deps = deps;
  }
}

/** JSX as a value. */
export const V = (make: () => unknown, deps?: () => unknown): View => new View(make, deps);

const isOpening = (node: Node | null): boolean => node instanceof Comment && node.data === DOM.rangeStart;
const isClosing = (node: Node | null): boolean => node instanceof Comment && node.data === DOM.rangeEnd;

/** The nodes from one comment to another, both included, or a single element. */
export class NodeRange {
  _start: ChildNode;
  _end: ChildNode;

  constructor(start?: ChildNode, end?: ChildNode) {
    // A new range gets its nodes when its content is known: most rows are one element, which needs no comments.
    this._start = start!;
    this._end = end!;
  }

  _nodes(): ChildNode[] {
    const nodes: ChildNode[] = [];
    for (let node: ChildNode = this._start; nodes.push(node) && node !== this._end; node = node.nextSibling!);
    return nodes;
  }

  /** Removes the content, and ends the scopes in it. */
  _clear(): void {
    for (const node of this._nodes().slice(1, -1)) {
      if (node instanceof Element) {
        for (const at of [node, ...node.querySelectorAll(`[${DOM.scope}],template[${DOM.portal}]`)]) {
          at[slotsAt]?._end?.();
          const portal = at.localName === "template" && at.getAttribute(DOM.portal);
          if (portal) document.querySelector(`${DOM.portalTag}[${DOM.portal}="${portal}"]`)?.remove();
        }
      }
      node.remove();
    }
  }

  remove(): void {
    // Most rows are one element.
    if (this._start !== this._end) {
      this._clear();
      this._start.remove();
    }
    this._end.remove();
  }

  /** Puts nodes into a new range. */
  _fill(nodes: ChildNode[]): void {
    if (nodes.length === 1 && nodes[0] instanceof Element) this._start = this._end = nodes[0];
    else {
      this._start = new Comment(DOM.rangeStart);
      this._end = new Comment(DOM.rangeEnd);
      new DocumentFragment().append(this._start, ...nodes, this._end);
    }
  }
}

/** A new range, without nodes. */
export const N = (): NodeRange => new NodeRange();

/** The range that ends before `end`; undefined if there is none. */
const rangeBefore = (end: ChildNode): NodeRange | undefined => {
  const close = end.previousSibling;
  if (!isClosing(close)) return undefined;
  let depth = 1;
  let node = close!;
  while (depth) {
    node = node.previousSibling!;
    depth += isClosing(node) ? 1 : isOpening(node) ? -1 : 0;
  }
  return new NodeRange(node!, close!);
};

/** The range of the server that ends before a node. */
export const Before = (end: ChildNode): NodeRange => rangeBefore(end)!;

/** The range before the comment with this key. Creates it in a clone of a template. */
export const G = (parent: Element, key: number): NodeRange => {
  const end = K(parent, key)!;
  const found = rangeBefore(end);
  if (found) return found;
  const range = N();
  range._fill([]);
  end.before(...range._nodes());
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
      (behind ? behind._start : end).before(...row._nodes());
    },
    moveBefore:
      "moveBefore" in Element.prototype
        ? (row, behind) => {
            for (const node of row._nodes()) end.parentNode!.moveBefore(node, behind ? behind._start : end);
          }
        : undefined,
  };
};

/** Text of a value that is no list, view or node. */
const textOf = (value: unknown): string | undefined =>
  value instanceof Object ? undefined : value == null || value === !!value ? "" : String(value);

/** Reads what the server made content from, and what it made the views in it from. */
const readDeps = (value: unknown): void => {
  if (value instanceof View) readDeps(value._deps?.());
  if (Array.isArray(value)) value.forEach(readDeps);
};

/** Nodes of a value in a view. */
export const nodesOf = (value: unknown): ChildNode[] => {
  if (value instanceof View) return nodesOf(value._make());
  if (Array.isArray(value)) return value.length === 1 ? nodesOf(value[0]) : value.flatMap(nodesOf);
  if (value instanceof NodeRange) return value._nodes();
  if (value instanceof Node) return [value as ChildNode];
  const text = textOf(value) ?? String(value);
  return text === "" ? [] : [new Text(text)];
};

/**
 * A row that always shows the same view.
 * @param row whose item the server rendered this content from.
 */
export const W = (range: NodeRange, read: () => unknown, row: { i: { value: unknown } }): void => {
  if (isResuming()) I(range, read, row);
  else range._fill(nodesOf(read()));
};

/**
 * Keeps the content of a range equal to what `read` returns: a view, text, nothing, or a list of these.
 * @param at range; or a text node, which becomes a range when the value is no text.
 * @param row whose item the server rendered this content from.
 */
export const I = (at: NodeRange | Text, read: () => unknown, row?: { i: { value: unknown } }): void => {
  let range = at instanceof Text ? undefined : at;
  if (range && !range._start) range._fill([]);
  let isFirst = isResuming();
  let shown: unknown;
  /** Ends the content, if it is more than a text. */
  let stop: (() => void) | undefined;
  const show = (value: unknown): void => {
    if (value instanceof View && value === shown) return;
    const text = textOf(value);
    const node = range ? range._start.nextSibling : at;
    // The usual case: text that replaces text.
    if (text !== undefined && !stop && node instanceof Text && (!range || node.nextSibling === range._end)) {
      if (node.data !== text) node.data = text;
      return;
    }
    if (!range) {
      range = N();
      range._fill([]);
      (at as Text).replaceWith(...range._nodes());
    }
    let nodes!: ChildNode[];
    const end = scoped(false, () => {
      nodes = nodesOf(value);
    });
    stop?.();
    stop = text === undefined ? end : undefined;
    shown = value;
    range._clear();
    range._end.before(...nodes);
  };
  const readFirst = (): unknown => {
    const value = read();
    if (!isFirst) return value;
    isFirst = false;
    void row?.i.value;
    if (!(value instanceof View && value._deps) && !row) shown = value;
    readDeps(value);
    return value;
  };
  watch(readFirst, show, isResuming(), () => stop?.());
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
    let nodes: ChildNode[] = [];
    let undo: (() => void) | undefined;
    try {
      undo = undoable(() => {
        nodes = nodesOf(component(props));
      });
    } finally {
      loads = outer;
    }
    const end = undo;
    if (end) {
      watch(
        () => {},
        () => {},
        true,
        () => untrack(end),
      );
    }
    const root = mine.length > 0 && nodes.find((node) => node instanceof Element);
    if (root) queueMicrotask(() => mine.forEach((run) => L(root, run)));
    return nodes;
  }, deps);

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

/** Elements whose own handler of an event has run. */
const handled = new WeakMap<object, Element[]>();

/** The handler that all attributes of created elements name. */
export const _c = (_slots: Slots, event: Event & DispatchedEvent, element: Element): unknown => {
  const [slots, byAttribute] = element[handlersAt] ?? [];
  const own = byAttribute?.[DOM.on + event.type];
  const global = byAttribute?.[DOM.on + DOM.window + event.type];
  let run = own ?? global;
  if (own && global) {
    // Both attributes name this function. The element's own handler is the first, if the event reaches the element.
    const done = handled.get(event) ?? [];
    const isReached = event._way.includes(element) && (event.bubbles || event.target === element);
    if (!isReached || done.includes(element)) run = global;
    handled.set(event, [...done, element]);
  }
  return run?.(slots, event, element);
};

/** A function that creates all nodes of this HTML, in a fragment. */
export const M = (html: string): (() => DocumentFragment) => {
  const make = tpl(`<template>${html}</template>`);
  return () => (make() as HTMLTemplateElement).content;
};
