/**
 * `virtual.js`: lists of which only the rows around what can be seen are there (`<For virtual>`). Which ones is decided in
 * row-heights.ts; rows themselves are those of `region`. What is not there takes its room all the same, above and below.
 */
import { batch, Cell, slotsAt, watch } from "../runtime/core.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { For, K } from "./region.ts";
import { RowHeights, rowsAround } from "./row-heights.ts";
import type { Slots } from "../runtime/types.ts";

interface Options {
  rowHeight?: number;
  first?: number;
  start?: number;
}

interface RowSlots extends Slots {
  n: { value: number };
}

/** Where there is no row to guess from. */
const GUESS = 40;

/** Heights of rows that are gone which are kept: some come back. */
const SPARE = 1000;

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/** What scrolls: the list, an element around it, or the page. */
const scrollerOf = (at: HTMLElement): HTMLElement => {
  const { body, documentElement } = document;
  if (at === body) return documentElement;
  return /auto|scroll/.test(getComputedStyle(at).overflowY) ? at : scrollerOf(at.parentElement ?? body);
};

export function Virtual(
  parent: HTMLElement,
  key: number,
  list: () => Iterable<unknown> & { length: number },
  by: (item: unknown) => unknown,
  make: () => Element,
  bind: 0 | ((slots: RowSlots, element: HTMLElement) => void),
  $: unknown,
  raw: ((item: unknown) => unknown) | 0,
  options: () => Options | true,
): void {
  const { rowHeight, first: most = 30, start: from = 0 } = options() as Options;
  const end = K(parent, key) as Comment;
  /** Of a table rows are counted otherwise than of a list. */
  const table = parent.matches("tbody,table") && parent.closest("table");
  /** Heights that are known, by the key of the row: they stay when rows change places. */
  const known = new Map<unknown, number>();
  let items: unknown[] = [];
  let heights!: RowHeights;
  let scroller: HTMLElement | undefined;
  /** The row that stays where it is on the screen whatever changes above it, and where that is. */
  let anchor: Element | undefined;
  let anchorTop: number;
  let isObserved = false;

  /** Index of the first row that is there, and how many are; the cells are for those who show it. */
  let at = 0;
  let count = 0;
  const start = new Cell(0);
  const view = new Cell([]);
  const total = new Cell(0);
  /** Index of the row that Tab comes to. */
  const active = new Cell(from);

  const rows = (): HTMLElement[] => {
    const found: HTMLElement[] = [];
    let row: Comment | HTMLElement = end;
    for (let left = count; left--;) found.unshift((row = row.previousElementSibling as HTMLElement));
    return found;
  };
  /** Of the view: where it begins on the screen, and its height. */
  const top = (): number => (scroller === document.documentElement ? 0 : topOf(scroller!));
  const room = (): number => scroller?.clientHeight ?? 0;
  /** Where the list would begin on the screen if all its rows were there. */
  const begin = (): number => {
    const [row] = rows();
    return row ? topOf(row) - heights._tops[at]! : topOf(parent);
  };

  const forgetGone = (): void => {
    const names = new Set(items.map(by));
    for (const name of known.keys()) if (!names.has(name)) known.delete(name);
  };

  const take = (first: number, stop: number): void =>
    batch(() => {
      const some = items.slice(first, stop);
      count = some.length;
      start.value = at = first;
      view.value = some;
    });
  const show = (first: number, stop: number): void => {
    take(first, stop);
    pad();
    isObserved = false;
  };
  const pad = (): void => {
    const { _tops } = heights;
    const before = _tops[at]!;
    parent.style.setProperty("--svc-before", `${before}`);
    parent.style.setProperty("--svc-after", `${_tops[items.length]! - _tops[at + count]!}`);
  };

  /** @returns index of the row that stays where it is; -1 where none does: at its very beginning a list shows what is first. */
  const hold = (): number => {
    const edge = top();
    const index = rows().findIndex((row) => row.getBoundingClientRect().bottom > edge);
    anchor = rows()[index];
    anchorTop = anchor ? topOf(anchor) : edge;
    if (anchorTop < edge || (anchor && at + index)) return at + index;
    anchor = undefined;
    return -1;
  };
  const settle = (): void => {
    if (!isThere()) return;
    rows().forEach((row, index, all) => {
      const place = at + index;
      const next = all[index + 1];
      const name = by(items[place]);
      // From one to the next, so that what is between them counts; the last one's is not the whole of it where rows have gaps.
      if (next || !known.has(name)) known.set(name, next ? topOf(next) - topOf(row) : row.offsetHeight);
      heights._sizes[place] = known.get(name)!;
    });
    heights._sum(at);
    pad();
    // Once for the rows that are there: each look at a new one makes another.
    if (!isObserved) {
      isObserved = true;
      observer.disconnect();
      for (const each of [parent, ...rows()]) observer.observe(each);
    }
    const shift = anchor?.isConnected ? topOf(anchor) - anchorTop : 0;
    if (Math.abs(shift) >= 1) scroller!.scrollTop += shift;
    anchor = undefined;
  };

  /** @returns whether the list can be looked at: one that the browser makes is put into the page later. */
  const isThere = (): boolean => {
    if (!scroller && parent.isConnected) {
      scroller = scrollerOf(parent);
      // What is read stays where it is by our own means, which know heights before they change.
      scroller.style.setProperty("overflow-anchor", "none");
    }
    return parent.isConnected;
  };

  const layout = (): void => {
    if (!isThere()) return;
    const [first, stop] = rowsAround(heights, top() - begin(), room());
    if (first !== at || stop - first !== count) {
      hold();
      const goes = (index: number): boolean => index < first || index >= stop;
      const { activeElement } = document;
      const focused = rows().findIndex((row) => row.contains(activeElement));
      // A row that has the focus and goes leaves it to the list: keys go on from there.
      if (focused < 0) {
        if (activeElement !== parent && goes(active._value as number))
          active.value = heights._indexAt(heights._tops[first]! + room() / 2);
      } else if (goes(at + focused)) {
        parent.tabIndex = -1;
        parent.focus({ preventScroll: true });
      }
      show(first, stop);
    }
    settle();
  };

  parent.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const row = rows().indexOf(target);
    // Keys in a field of a row are the field's.
    if (target !== parent && (row < 0 || !target.hasAttribute("tabindex"))) return;
    const index = row < 0 ? (active._value as number) : at + row;
    const y = heights._tops[index]!;
    const last = items.length - 1;
    const wanted = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: Math.max(index + 1, heights._indexAt(y + room()) - 1),
      PageUp: Math.min(index - 1, heights._indexAt(y - room()) + 1),
      Home: 0,
      End: last,
    }[event.key];
    if (wanted === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const to = Math.max(0, Math.min(last, wanted));
    const rowThere = (): HTMLElement | undefined => rows()[to - at];
    active.value = to;
    if (!rowThere()) {
      scroller!.scrollTop += begin() + heights._tops[to]! - top();
      layout();
    }
    rowThere()?.focus({ preventScroll: true });
    rowThere()?.scrollIntoView({ block: "nearest" });
  });

  // Of its rows, and of the list.
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  // Of whatever scrolls: the list, what is around it or the page.
  addEventListener("scroll", layout, true);

  watch(
    () => {
      const now = list();
      void now.length;
      return now;
    },
    (now) => {
      const isFirst = !heights;
      const held = scroller ? hold() : -1;
      const name = held < 0 ? held : by(items[held]);
      items = [...now];
      const { length } = items;
      total.value = length;
      // A list that was empty has none to guess from.
      const guess = rowHeight ?? ((known.size && heights._tops.at(-1)! / heights._sizes.length) || GUESS);
      if (known.size > 2 * length + SPARE) forgetGone();
      heights = new RowHeights(length, (index) => known.get(by(items[index])) ?? guess);
      if (isFirst) {
        const first = Math.max(0, Math.min(from, length - most));
        take(first, first + most);
      } else {
        const index = held < 0 ? held : items.findIndex((item) => by(item) === name);
        const y = index < 0 ? heights._tops[at]! : heights._tops[index]! + top() - anchorTop;
        show(...rowsAround(heights, y, room()));
        queueMicrotask(() => (settle(), layout()));
      }
      if (table) table.ariaRowCount = `${length}`;
    },
    false,
    () => {
      observer.disconnect();
      removeEventListener("scroll", layout, true);
    },
  );

  For(
    parent,
    key,
    () => view.value as unknown[],
    by,
    make,
    (row, element) => {
      const { n } = row;
      const index = (): number => (n.value as number) + (start.value as number);
      const own = Object.create(row, {
        n: {
          value: {
            get value() {
              return index();
            },
          },
        },
      }) as RowSlots;
      slotsAt.set(element, own);
      if (bind) bind(own, element as HTMLElement);
      const report = (name: string, value: unknown): void => element.setAttribute(name, `${value as number}`);
      // Also on rows that the server wrote, which knew nothing of the others.
      watch(
        () => {
          report(table ? "aria-rowindex" : "aria-posinset", index() + 1);
          if (!table) report("aria-setsize", total.value);
          if (element.hasAttribute("tabindex")) report("tabindex", index() === active.value ? 0 : -1);
        },
        () => {},
      );
    },
    $,
    raw,
    1,
  );
  parent.setAttribute(DOM.virtual, "");
  queueMicrotask(() => {
    if (isThere()) hold();
    const all = rows();
    const [first] = all;
    // Of rows that are there already the others are guessed.
    const guess = rowHeight ?? (first && (topOf(all.at(-1)!) - topOf(first)) / (all.length - 1));
    heights = new RowHeights(items.length, () => guess || GUESS);
    settle();
    show(at, at + count);
    layout();
  });
}
