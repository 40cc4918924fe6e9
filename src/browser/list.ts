/** Keyed lists: rows are kept, moved and removed by identity; a row of the server's is bound when something needs it. */
import { Cell, isResuming, scoped, slotsAt, unboundRows, watch } from "./core-names.ts";
import type { Slots } from "./types.ts";
import { increasing } from "./increasing.ts";
import { K } from "./structure.ts";

/** A row, which is the slots of what stands in it: those of its surroundings, its item, its index. */
interface Row extends Slots {
  $: unknown;
  i: Cell;
  n: Cell;
  _element: Element;
  /** Ends its bindings, or forgets that it has none yet. */
  _end: () => void;
}

const firstOf = (rows?: Map<unknown, Row>): Element | undefined => rows?.values().next().value?._element;

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
  let rows: Map<unknown, Row> | undefined;

  const add = (item: unknown, at: number, isServers: boolean, element: Element): Row => {
    const plain = raw ? raw(item) : item;
    const row: Row = {
      $,
      i: new Cell(item),
      n: new Cell(at),
      _element: element,
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

  const update = (items: unknown[], isServers: boolean): void => {
    const children = isServers ? [...parent.children] : [];
    const first = end ? children.indexOf(end.previousElementSibling!) + 1 - items.length : 0;
    const next = new Map<unknown, Row>();
    /** Old place of each row; -1 for new ones. */
    const before: number[] = [];
    items.forEach((item, at) => {
      const name = by(item);
      // Of rows with one key each but the first is new whenever the list changes: nothing tells them apart.
      const isDouble = next.has(name);
      let row = isDouble ? undefined : rows?.get(name);
      before.push(row ? (row.n._value as number) : -1);
      if (!row) row = add(item, at, isServers, isServers ? children[first + at]! : make());
      else if (row.i._value !== item) {
        row._bind?.();
        row.i.value = item;
      }
      next.set(isDouble ? row : name, row);
    });
    // Where the rows begin: behind this, or first of all.
    let last = (firstOf(rows) ?? end)?.previousSibling;
    rows?.forEach((row, name) => {
      if (next.get(name) === row) return;
      row._end();
      row._element.remove();
    });
    rows = next;
    if (isServers) return;
    const stay = increasing(before);
    let at = 0;
    next.forEach((row) => {
      if (!stay.has(at)) parent.insertBefore(row._element, last ? last.nextSibling : parent.firstChild);
      row.n.value = at++;
      last = row._element;
    });
  };

  const read = (): Iterable<unknown> => {
    const items = list();
    // An array of a store is read here, as a whole: what a row reads of its item is the row's own.
    void items.length;
    return items;
  };
  // In a row or branch that the browser has just made there is nothing of the server's to take over.
  watch(
    read,
    (items) => update([...items], !rows && isResuming),
    false,
    () => rows?.forEach((row) => row._end()),
  );
}
