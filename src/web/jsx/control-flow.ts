/** Components for conditions and lists. This file has only their types; the compiler replaces them, so calling one at run time throws. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Child, Markup } from "./element.ts";

export interface VirtualOptions {
  /** Number of rows that the server renders, for the first view and for visitors without JavaScript. Default: 30. */
  first?: number;
  /** Index of the first rendered row, for links into the list. Default: 0. */
  start?: number;
  /** Height in pixels of rows that have not been measured. Default: the average of the rows that the server rendered. */
  rowHeight?: number;
}

export interface ForProps<Item> {
  each: readonly Item[];
  /** Returns the identity of a row, by which it is kept when the list changes. Default: the item itself. */
  by?: (item: Item, index: number) => unknown;
  /**
   * Renders only the rows around the viewport, however long the list: first the rows that the server writes, then those that the user
   * scrolls to. The list's element, or an ancestor that scrolls, is the viewport.
   */
  virtual?: boolean | VirtualOptions;
  /** What an empty list shows. Default: nothing. */
  fallback?: Child;
  /** Returns one element. It must be an inline function, so that the compiler sees it. */
  children: (item: Item, index: number) => Child;
}

/**
 * Renders one element per item. When the list changes in the browser, rows are moved and kept instead of being created again.
 * @example
 * <ul>
 *   <For each={todos.value} by={(todo) => todo.id}>
 *     {(todo) => <li>{todo.text}</li>}
 *   </For>
 * </ul>
 */
export function For<Item>(_props: ForProps<Item>): Markup {
  throw uncompiled("For");
}

/** What is left of a value that is truthy. */
export type Truthy<Value> = Exclude<Value, null | undefined | false | "" | 0>;

export interface ShowProps<Value = unknown> {
  when: Value;
  fallback?: Child;
  /** Elements, or a function of the value of `when`, written here: one named parameter and an expression. */
  children?: Child | ((value: Truthy<Value>) => Child);
}

/**
 * Renders its children while `when` is truthy, otherwise `fallback`.
 * @example
 * <Show when={count.value > 0} fallback={<p>Nothing yet</p>}>
 *   <p>{count.value} items</p>
 * </Show>
 * @example
 * <Show when={user.value}>{(user) => <p>{user.name}</p>}</Show>
 */
export function Show<Value>(_props: ShowProps<Value>): Markup {
  throw uncompiled("Show");
}

export interface MatchProps {
  /** Only `<Case>` elements. */
  children?: Child;
}

/**
 * Renders the first `<Case>` whose `when` is truthy. A last `<Case>` without `when` is the default.
 * @example
 * <Match>
 *   <Case when={count.value === 0}>
 *     <p>None</p>
 *   </Case>
 *   <Case>
 *     <p>{count.value} items</p>
 *   </Case>
 * </Match>
 */
export function Match(_props: MatchProps): Markup {
  throw uncompiled("Match");
}

export interface CaseProps<Value = unknown> {
  when?: Value | undefined;
  /** As in `<Show>`. */
  children?: Child | ((value: Truthy<Value>) => Child);
}

/**
 * One alternative of a `<Match>`.
 * @example
 * <Match>
 *   <Case when={count.value === 1}>
 *     <p>One item</p>
 *   </Case>
 *   <Case>
 *     <p>{count.value} items</p>
 *   </Case>
 * </Match>
 */
export function Case<Value>(_props: CaseProps<Value>): Markup {
  throw uncompiled("Case");
}

function uncompiled(name: string): SvcError {
  return new SvcError(
    "SVC_DEFINITION",
    `<${name}> was called as a function. It works only as JSX in a .tsx file that "svc dev" or "svc build" compiles.`,
  );
}
