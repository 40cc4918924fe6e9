/** A range of nodes that the browser creates and removes together. */
import { DOM } from "../../../platform/shared/wire.ts";
import { slotsAt } from "../runtime/core.ts";

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
    if (this._start === this._end) return [this._end];
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
  _fill(content: ChildNode | ChildNode[]): void {
    const only = Array.isArray(content) && content.length === 1 ? content[0]! : content;
    if (only instanceof Element) this._start = this._end = only;
    else {
      this._start = new Comment(DOM.rangeStart);
      this._end = new Comment(DOM.rangeEnd);
      new DocumentFragment().append(this._start, ...[only].flat(), this._end);
    }
  }

  /** Inserts the nodes before another node of the same document. */
  _insertBefore(next: ChildNode): void {
    // Faster than `before`, which takes a list.
    if (this._start === this._end) next.parentNode!.insertBefore(this._end, next);
    else next.before(...this._nodes());
  }
}

/** A new range, without nodes. */
export const N = (): NodeRange => new NodeRange();

/** The range that ends before `end`; undefined if there is none. */
export const rangeBefore = (end: ChildNode): NodeRange | undefined => {
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
