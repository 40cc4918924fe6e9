/** Content of a range, or of a text node, that follows a value: a view, text, nothing, or a list of these. */
import type { Node as Effect } from "../../reactivity/system.ts";
import { isResuming, scoped, watch } from "../runtime/core.ts";
import { NodeRange } from "./node-range.ts";
import { contentOf, nodesOf, textOf, View } from "./view.ts";

/** A row of a list, whose item the server rendered content from. */
interface ServerRow {
  i: { value: unknown };
}

/** Reads what the server made content from, and what it made the views in it from. */
const readDeps = (value: unknown): void => {
  if (value instanceof View) readDeps(value._deps?.());
  if (Array.isArray(value)) value.forEach(readDeps);
};

class RangeContent {
  readonly _range: NodeRange;
  _shown: unknown;
  /** Ends the content, if it is more than a text. */
  _end: (() => void) | undefined;

  constructor(range: NodeRange) {
    this._range = range;
  }

  _show(value: unknown): void {
    if (value instanceof View && value === this._shown) return;
    const text = textOf(value);
    const { _start: start, _end: end } = this._range;
    const node = start.nextSibling;
    // The usual case: text that replaces text.
    if (text !== undefined && !this._end && node instanceof Text && node.nextSibling === end) {
      if (node.data !== text) node.data = text;
      return;
    }
    let nodes!: ChildNode[];
    const stop = scoped(false, () => {
      nodes = nodesOf(value);
    });
    this._stop();
    this._end = text === undefined ? stop : undefined;
    this._shown = value;
    this._range._clear();
    end.before(...nodes);
  }

  _stop(): void {
    this._end?.();
  }
}

/** An empty range in place of a text node. */
const rangeInPlaceOf = (at: Text): NodeRange => {
  const range = new NodeRange();
  range._fill([]);
  at.replaceWith(...range._nodes());
  return range;
};

/** Most texts stay texts, so only others get a function for their end. An effect that runs for the first time is not known yet. */
const endWith = (effect: Effect | undefined, content: RangeContent): void => {
  if (effect) effect._end = () => content._stop();
};

/** Binds a text node that the browser has created. It becomes a range when the value is no text. */
const bindText = (at: Text, read: () => unknown): void => {
  // Cached: reading `data` creates a string each time.
  let shown: string | undefined;
  let content = undefined as RangeContent | undefined;
  let effect: Effect | undefined;
  effect = watch(read, (value) => {
    const text = textOf(value);
    if (content || text === undefined) {
      content ??= new RangeContent(rangeInPlaceOf(at));
      content._show(value);
      endWith(effect, content);
    } else if (text !== shown) at.data = shown = text;
  });
  if (content) endWith(effect, content);
};

/** Binds a range, which shows the server's content while a scope resumes. */
const bindRange = (range: NodeRange, read: () => unknown, row: ServerRow | undefined): void => {
  if (!range._start) range._fill([]);
  const content = new RangeContent(range);
  let isFirst = isResuming();
  const readFirst = (): unknown => {
    const value = read();
    if (!isFirst) return value;
    isFirst = false;
    void row?.i.value;
    if (!(value instanceof View && value._deps) && !row) content._shown = value;
    readDeps(value);
    return value;
  };
  watch(
    readFirst,
    (value) => content._show(value),
    isFirst,
    () => content._stop(),
  );
};

/**
 * Keeps content equal to what `read` returns: a view, text, nothing, or a list of these.
 * @param at range; or a text node that the browser has created.
 * @param row whose item the server rendered this content from.
 */
export const I = (at: NodeRange | Text, read: () => unknown, row?: ServerRow): void => {
  if (at instanceof Text) bindText(at, read);
  else bindRange(at, read, row);
};

/**
 * A row that always shows the same view.
 * @param row whose item the server rendered this content from.
 */
export const W = (range: NodeRange, read: () => unknown, row: ServerRow): void => {
  if (isResuming()) bindRange(range, read, row);
  else range._fill(contentOf(read()));
};
