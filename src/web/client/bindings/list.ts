/** Keyed lists: rows are kept, moved and removed by identity; a row of the server's is bound when something needs it. */
import { Cell, isResuming, scoped, slotsAt, unboundRows, watch } from "../runtime/core-imports.ts";
import type { Slots } from "../runtime/types.ts";
import { longestIncreasingSubsequence } from "./longest-increasing-subsequence.ts";
import { K } from "./keyed-nodes.ts";

/** A row, which is the slots of what stands in it: those of its surroundings, its item, its index. */
interface Row extends Slots {
  $: unknown;
  i: Cell;
  n: Cell;
  _element: Element;
  /** Identity. */
  _name: unknown;
  /** Ends its bindings, or forgets that it has none yet. */
  _end: () => void;
}

/** Whether this is the part of development (scripts/build-browser.ts). */
declare const __DEV__: boolean;

/** Development only. The server tells it of what it renders, with the place of the key (src/web/ssr/resume/unique-rows.ts). */
const reportDuplicates = (keys: unknown[]): void => {
  const at = keys.findIndex((key, index) => keys.indexOf(key) < index);
  if (at < 0) return;
  const reported = JSON.stringify(keys[at]);
  const message = `SVC202: item ${at} of a list has the key ${reported} of an item before it, so their rows can't be told apart. Give each item an id of its own.`;
  reportError(new Error(message));
};

/**
 * @param key of the comment after the rows; 0 when the rows are all that `parent` has.
 * @param by identity of a row.
 * @param raw the plain object behind a store's item; given where the scope has stores.
 * @param isEager rows read more than their item, so they are bound when the scope wakes.
 */
export function For(
  parent: Element,
  key: number,
  list: () => Iterable<unknown> & { length: number },
  by: (item: unknown) => unknown,
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
      _name: by(item),
      _end: () => unboundRows.delete(plain),
      _bind: undefined,
    };
    const start = (): void => {
      row._bind = undefined;
      row._end = scoped(isServers, () => bind && bind(row, element));
    };
    slotsAt.set(element, row);
    // Two rows of one item can't share an entry; the second is bound at once.
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
    // Few rows show their place; the others have nobody to tell.
    if (row.n._firstReader) row.n.value = at;
    else row.n._value = at;
    return row;
  };

  const update = (given: Iterable<unknown>): void => {
    const items = [...given];
    // In a row or branch that the browser has just made there is nothing of the server's to take over.
    const isServers = !rows && isResuming();
    if (__DEV__) reportDuplicates(items.map(by));
    const children = isServers ? [...parent.children] : [];
    const first = end ? children.indexOf(end.previousElementSibling!) + 1 - items.length : 0;
    const old = rows ?? [];
    const next: Row[] = [];
    // Most changes leave alone what stands before and behind them.
    const more = old.length - items.length;
    const isSame = (at: number, oldAt: number): boolean =>
      old[oldAt]?._name === by(items[at]) && !!(next[at] = keep(old[oldAt]!, items[at], at));
    let start = 0;
    let stop = items.length;
    while (start < stop && old[start] && isSame(start, start)) start++;
    while (start < stop && start < stop + more && isSame(stop - 1, stop - 1 + more)) stop--;
    // Of the others, those that have left their place. Of rows with one key each but the first goes: nothing tells them apart.
    const left = new Map<unknown, Row>();
    for (let at = start; at < stop + more; at++) {
      const row = old[at]!;
      if (at >= stop || !isSame(at, at)) left.set(left.has(row._name) ? row : row._name, row);
    }
    /** Old place of each row; -1 for new ones. */
    const before: number[] = [];
    for (let at = start; at < stop; at++) {
      let place = at;
      if (!next[at]) {
        const item = items[at];
        const name = by(item);
        const row = left.get(name);
        left.delete(name);
        place = row ? (row.n._value as number) : -1;
        next[at] = row ? keep(row, item, at) : add(item, at, isServers, isServers ? children[first + at]! : make());
      }
      before.push(place);
    }
    // Only now: if making one has failed, the list is what it was.
    rows = next;
    left.forEach((row) => {
      row._end();
      row._element.remove();
    });
    let [stays, previous] = longestIncreasingSubsequence(before);
    let behind = next[stop]?._element ?? end;
    for (let at = stop; !isServers && at-- > start; behind = next[at]!._element) {
      if (at - start === stays) stays = previous[stays];
      else parent.insertBefore(next[at]!._element, behind);
    }
  };

  const read = (): Iterable<unknown> => {
    const items = list();
    // An array of a store is read here, as a whole: what a row reads of its item is the row's own.
    void items.length;
    return items;
  };
  watch(read, update, false, () => rows?.forEach((row) => row._end()));
}
