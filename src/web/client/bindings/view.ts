/** JSX as a value of the browser: a function that makes nodes when the view is first shown. */
import { NodeRange } from "./node-range.ts";

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

/** Text of a value that is no list, view or node. */
export const textOf = (value: unknown): string | undefined =>
  value instanceof Object ? undefined : value == null || value === !!value ? "" : String(value);

/** A node or nodes of a value in a view. The usual case is one element, which needs no list. */
export const contentOf = (value: unknown): ChildNode | ChildNode[] => {
  if (value instanceof Node) return value as ChildNode;
  if (value instanceof View) return contentOf(value._make());
  if (Array.isArray(value)) return value.length === 1 ? contentOf(value[0]) : value.flatMap(contentOf);
  if (value instanceof NodeRange) return value._nodes();
  const text = textOf(value) ?? String(value);
  return text === "" ? [] : new Text(text);
};

/** Nodes of a value in a view. */
export const nodesOf = (value: unknown): ChildNode[] => {
  const content = contentOf(value);
  return content instanceof Node ? [content] : content;
};
