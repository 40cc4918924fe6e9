/** Keyed lists: rows are kept, moved and removed by identity. A server-rendered row is bound when it is first needed. */
import { Cell, isResuming, scoped, slotsAt, unboundRows, watch } from "../runtime/core-imports.ts";
import type { Slots } from "../runtime/types.ts";
import { longestIncreasingSubsequence } from "./longest-increasing-subsequence.ts";
import { K } from "./keyed-nodes.ts";

/** A row. It is also the slots of its content: those of the scope around it, its item, its index. */
interface Row extends Slots {
  $: unknown;
  i: Cell;
  n: Cell;
  _element: Element;
  /** The row's key. */
  _name: unknown;
  /** Ends the row's bindings, or unregisters a row that was never bound. */
  _end: () => void;
}

/** Whether this is the development version (scripts/build-browser.ts). */
declare const __DEV__: boolean;

/**
 * Development only. For lists that it renders the server reports this with the location of the key (src/web/ssr/resume/unique-rows.ts).
 * Rows without a key are found by their items, of which some may be equal.
 */
const reportDuplicates = (items: unknown[], keys: unknown[]): void => {
  const at = keys.findIndex((key, index) => key !== items[index] && keys.indexOf(key) < index);
  if (at < 0) return;
  const reported = JSON.stringify(keys[at]);
  const message = `SVC202: item ${at} of a list has the same key as an earlier item, ${reported}. Give each item a unique key.`;
  reportError(new Error(message));
};

/**
 * @param key of the comment after the rows; 0 if the rows are all children of `parent`.
 * @param by returns a row's key.
 * @param raw returns the plain object behind a store's item; given if the scope has stores.
 * @param isEager binds all rows when the scope wakes, because they read more than their item.
 */
export function For(
  parent: Element,
  key: number,
  list: () => Iterable<unknown> & { length: number },
  by: (item: unknown, index: number) => unknown,
  make: () => Element,
  bind: 0 | ((slots: Row, element: Element) => void),
  $: unknown,
  raw?: ((item: unknown) => unknown) | 0,
  isEager?: 1,
): void {
  const end = key ? (K(parent, key) as Comment) : null;
  let rows: Row[] | undefined;

  const add = (item: unknown, at: number, isServers: boolean, element: Element): Row => {
    const plain = raw ? raw(item) : item;
    const row: Row = {
      $,
      i: new Cell(item),
      n: new Cell(at),
      _element: element,
      _name: by(item, at),
      _end: () => unboundRows.delete(plain),
      _bind: undefined,
    };
    const start = (): void => {
      row._bind = undefined;
      row._end = scoped(isServers, () => bind && bind(row, element));
    };
    element[slotsAt] = row;
    // `unboundRows` has one entry per item, so a second row of the same item is bound at once.
    if (!isServers || isEager || unboundRows.has(plain)) start();
    else {
      row._bind = () => {
        row._end();
        start();
      };
      unboundRows.set(plain, row._bind);
    }
    return row;
  };

  const keep = (row: Row, item: unknown, at: number): Row => {
    if (row.i._value !== item) {
      row._bind?.();
      row.i.value = item;
    }
    row.n.value = at;
    return row;
  };

  const update = (given: Iterable<unknown>): void => {
    const items = [...given];
    // Inside a row or branch that the browser created there are no server-rendered rows to take over.
    const isServers = !rows && isResuming();
    if (__DEV__) reportDuplicates(items, items.map(by));
    const children = isServers ? [...parent.children] : [];
    const first = end ? children.indexOf(end.previousElementSibling!) + 1 - items.length : 0;
    const old = rows ?? [];
    const next: Row[] = [];
    // Most changes leave the beginning and the end of a list alone, so match those first.
    const more = old.length - items.length;
    const isSame = (at: number, oldAt: number): unknown =>
      old[oldAt]?._name === by(items[at], at) && (next[at] = keep(old[oldAt]!, items[at], at));
    let start = 0;
    let stop = items.length;
    while (start < stop && old[start] && isSame(start, start)) start++;
    while (start < stop && start < stop + more && isSame(stop - 1, stop - 1 + more)) stop--;
    // The other rows that have moved, by key. Rows with a duplicate key can't be distinguished, so all but the first are removed.
    const left = new Map<unknown, Row>();
    for (let at = start; at < stop + more; at++) {
      const row = old[at]!;
      if (at >= stop || !isSame(at, at)) left.set(left.has(row._name) ? row : row._name, row);
    }
    /** Previous index of each row; -1 for new ones. */
    const before: number[] = [];
    for (let at = start; at < stop; at++) {
      before[at] = at;
      if (!next[at]) {
        const item = items[at];
        const name = by(item, at);
        const row = left.get(name);
        left.delete(name);
        before[at] = row ? (row.n._value as number) : -1;
        next[at] = row ? keep(row, item, at) : add(item, at, isServers, isServers ? children[first + at]! : make());
      }
    }
    // Assigned only now: if creating a row throws, the list keeps its previous rows.
    rows = next;
    left.forEach((row) => {
      row._end();
      row._element.remove();
    });
    let [stays, previous] = longestIncreasingSubsequence(before);
    let behind = next[stop]?._element ?? end;
    for (let at = stop; !isServers && at-- > start; behind = next[at]!._element) {
      if (at === stays) stays = previous[stays];
      // Keeps the focus, selection and media of a row. Chrome 133, Firefox 144; in other browsers a moved row loses the focus.
      else if (parent.moveBefore && before[at]! >= 0) parent.moveBefore(next[at]!._element, behind);
      else parent.insertBefore(next[at]!._element, behind);
    }
  };

  const read = (): Iterable<unknown> => {
    const items = list();
    // Reads an array of a store as a whole. Rows track the reads of their own item.

    void items.length;
    return items;
  };
  watch(read, update, 0, () => rows?.forEach((row) => row._end()));
}
