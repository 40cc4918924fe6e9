/** Keyed lists: rows are kept, moved and removed by identity; a row of the server's is bound when something needs it. */
import {
  bindersAt,
  Cell,
  effect,
  isResuming,
  own,
  scopedBindings,
  slotsAt,
  unboundRows,
  untrack,
} from "./core-names.ts";
import { increasing } from "./increasing.ts";
import { K } from "./structure.ts";

/** Slots of a row: those of its surroundings, its item, its index. The names are the protocol's. */
interface RowSlots {
  $: unknown;
  i: Cell;
  n: Cell;
}

interface Row {
  _element: Element;
  _slots: RowSlots;
  _key: unknown;
  /** Ends its bindings, or forgets that it has none yet. */
  _end: () => void;
}

type Bind = (slots: RowSlots, element: Element) => void;

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
  bind: Bind,
  $: unknown,
  raw?: ((item: unknown) => unknown) | 0,
  isEager?: 1,
): void {
  const end = key ? K(parent, key)! : null;
  let rows: Row[] | undefined;

  const add = (item: unknown, at: number, isServers: boolean, element: Element): Row => {
    const slots: RowSlots = { $, i: new Cell(item), n: new Cell(at) };
    const row: Row = { _element: element, _slots: slots, _key: by(item), _end: () => unboundRows.delete(plain) };
    const plain = raw ? raw(item) : item;
    const start = (): void => void (row._end = scopedBindings(isServers, () => bind(slots, element)));
    const startLate = (): void => {
      unboundRows.delete(plain);
      bindersAt.delete(element);
      start();
    };
    slotsAt.set(element, slots);
    // Two rows of one item can't share an entry; the second is bound at once.
    if (!isServers || isEager || unboundRows.has(plain)) start();
    else {
      unboundRows.set(plain, startLate);
      bindersAt.set(element, startLate);
    }
    return row;
  };

  const resume = (items: unknown[]): Row[] => {
    const children = [...parent.children];
    const first = end ? children.indexOf((end as Comment).previousElementSibling!) + 1 - items.length : 0;
    return items.map((item, at) => add(item, at, true, children[first + at]!));
  };

  const update = (items: unknown[], old: Row[]): Row[] => {
    const places = new Map(old.map((row, at) => [row._key, at]));
    const left = new Set(old);
    const before: number[] = [];
    const next = items.map((item, at) => {
      const place = places.get(by(item)) ?? -1;
      const row = old[place];
      if (!row || !left.delete(row)) {
        before.push(-1);
        return add(item, at, false, make());
      }
      before.push(place);
      if (row._slots.i.value !== item) {
        bindersAt.get(row._element)?.();
        row._slots.i.value = item;
      }
      row._slots.n.value = at;
      return row;
    });
    for (const row of left) {
      row._end();
      row._element.remove();
    }
    const stay = increasing(before);
    let reference: ChildNode | null = end;
    for (let at = next.length; at--; reference = next[at]!._element) {
      if (!stay.has(at)) parent.insertBefore(next[at]!._element, reference);
    }
    return next;
  };

  effect(() => {
    const items = list();
    // An array of a store is read here, as a whole: what a row reads of its item is the row's own.
    void items.length;
    untrack(() => {
      const all = [...items];
      // In a row or branch that the browser has just made there is nothing of the server's to take over.
      rows = !rows && isResuming() ? resume(all) : update(all, rows ?? []);
    });
  });
  const guard = new Cell(undefined);
  guard._cleanup = () => rows?.forEach((row) => row._end());
  own(guard);
}
