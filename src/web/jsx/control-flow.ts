/** Conditions and lists as components. Typed here, written by the compiler; there is nothing to call at run time. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Child, Markup } from "./element.ts";

export interface VirtualOptions {
  /** How many rows the server writes, for the first view and for those without JavaScript. Default: 30. */
  first?: number;
  /** Index of the first of them, for links into the list. Default: 0. */
  start?: number;
  /** Height in pixels of rows that nobody has seen yet. Default: that of those the server wrote, on average. */
  rowHeight?: number;
}

export interface ForProps<Item> {
  each: readonly Item[];
  /** Identity of a row, by which it is kept when the list changes. Default: the item itself. */
  by?: (item: Item) => unknown;
  /**
   * Only rows around what can be seen are in the page, however long the list: a number of rows that the server writes, then
   * those that are scrolled to. The element around them, or one further out that scrolls, is what they are seen in.
   */
  virtual?: boolean | VirtualOptions;
  /** Returns one element. Written in place, so that the compiler sees it. */
  children: (item: Item, index: number) => Markup;
}

/** One element for each item; when the list changes in the browser, rows are moved and kept, not made again. */
export function For<Item>(_props: ForProps<Item>): Markup {
  throw uncompiled("For");
}

export interface ShowProps {
  when: unknown;
  fallback?: Child;
  children?: Child;
}

/** Its children while `when` is truthy, else `fallback`. */
export function Show(_props: ShowProps): Markup {
  throw uncompiled("Show");
}

export interface MatchProps {
  /** `<Case>` elements, nothing else. */
  children?: Child;
}

/** The first `<Case>` whose `when` is truthy; a last one without `when` is for all that is left. */
export function Match(_props: MatchProps): Markup {
  throw uncompiled("Match");
}

export interface CaseProps {
  when?: unknown;
  children?: Child;
}

/** One possibility of a `<Match>`. */
export function Case(_props: CaseProps): Markup {
  throw uncompiled("Case");
}

function uncompiled(name: string): SvcError {
  return new SvcError(
    "SVC_DEFINITION",
    `<${name}> was called, but only the compiler can write it: use it as JSX in a .tsx file that "svc dev" or "svc build" compiles.`,
  );
}
