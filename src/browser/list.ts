/** Keyed lists: rows are kept, moved and removed by identity; a row of the server's is bound when something needs it. */
import { bindersAt, Cell, effect, isResuming, own, scopedBindings, slotsAt, unboundRows, untrack } from "./core.ts";
import { increasing } from "./increasing.ts";

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
  /** Key in `unboundRows` while the row is unbound. */
  _raw: unknown;
  _end: (() => void) | undefined;
}

type Bind = (slots: RowSlots, element: Element) => void;

/**
 * @param end keyed comment after the rows; `null` when the rows are all that `parent` has.
 * @param by identity of a row.
 * @param raw the plain object behind a store's item; given where the scope has stores.
 * @param isEager rows read more than their item, so they are bound when the scope wakes.
 */
export function For(
  parent: Element,
  end: Comment | null,
  list: () => Iterable<unknown> & { length: number },
  by: (item: unknown) => unknown,
  make: () => Element,
  bind: Bind,
  $: unknown,
  raw?: ((item: unknown) => unknown) | 0,
  isEager?: 1,
): void {
  let rows: Row[] | undefined;

  const add = (item: unknown, at: number, element: Element): Row => {
    const _slots: RowSlots = { $, i: new Cell(item), n: new Cell(at) };
    slotsAt.set(element, _slots);
    return { _element: element, _slots, _key: by(item), _raw: undefined, _end: undefined };
  };
  /** Binds a row of the server's, now or when something needs it. */
  const adopt = (row: Row): void => {
    const item = row._slots.i.value;
    const now = (): void => {
      unboundRows.delete(row._raw);
      bindersAt.delete(row._element);
      row._end = scopedBindings(true, () => bind(row._slots, row._element));
    };
    row._raw = raw ? raw(item) : item;
    // Two rows of one item can't share an entry; the second is bound at once.
    if (isEager || unboundRows.has(row._raw)) return now();
    unboundRows.set(row._raw, now);
    bindersAt.set(row._element, now);
  };
  const release = (row: Row): void => {
    if (row._end) row._end();
    else unboundRows.delete(row._raw);
  };

  const first = (items: unknown[]): Row[] => {
    let element: Element | null = end ? elementBefore(end, items.length) : parent.firstElementChild;
    return items.map((item, at) => {
      const row = add(item, at, element!);
      element = element!.nextElementSibling;
      adopt(row);
      return row;
    });
  };
  const next = (items: unknown[], old: Row[]): Row[] => {
    const places = new Map(old.map((row, at) => [row._key, at]));
    const left = new Set(old);
    const before: number[] = [];
    const made = items.map((item, at) => {
      const place = places.get(by(item));
      const row = place === undefined ? undefined : old[place];
      if (row && left.delete(row)) {
        before.push(place!);
        if (untrack(() => row._slots.i.value) !== item) {
          bindersAt.get(row._element)?.();
          row._slots.i.value = item;
        }
        row._slots.n.value = at;
        return row;
      }
      before.push(-1);
      const fresh = add(item, at, make());
      fresh._end = scopedBindings(false, () => bind(fresh._slots, fresh._element));
      return fresh;
    });
    for (const row of left) {
      release(row);
      row._element.remove();
    }
    const stay = increasing(before);
    let reference: ChildNode | null = end;
    for (let at = made.length; at--; reference = made[at]!._element) {
      if (!stay.has(at)) parent.insertBefore(made[at]!._element, reference);
    }
    return made;
  };

  effect(() => {
    const items = list();
    // An array of a store is read here, as a whole: what a row reads of its item is the row's own.
    void items.length;
    untrack(() => {
      const all = [...items];
      // In a row or branch that the browser has just made there is nothing of the server's to take over.
      rows = !rows && isResuming() ? first(all) : next(all, rows ?? []);
    });
  });
  const guard = new Cell(undefined);
  guard._cleanup = () => rows?.forEach(release);
  own(guard);
}

/** The first of the `count` elements before a comment. */
function elementBefore(end: Comment, count: number): Element | null {
  let element = end.previousElementSibling;
  for (let step = 1; step < count; step++) element = element!.previousElementSibling;
  return element;
}
