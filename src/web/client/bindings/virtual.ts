/**
 * `virtual.js`: virtual lists (`<For virtual>`). Only rows around the viewport are in the document; row-heights.ts chooses them, and
 * `region` renders them. Padding above and below takes the space of the other rows.
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

/** Estimated row height in px while no row can be measured. */
const GUESS = 40;

/** Number of measured heights to keep beyond the list's length, for rows that come back. */
const SPARE = 1000;

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/** The scroll container: the list, an element around it, or the page. */
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
  /** The table, if the list is one: ARIA numbers table rows differently from list items. */
  const table = parent.matches("tbody,table") && parent.closest("table");
  /** Measured heights, by row key, so that they remain valid when rows are reordered. */
  const known = new Map<unknown, number>();
  let items: unknown[] = [];
  let heights!: RowHeights;
  let scroller: HTMLElement | undefined;
  /** The row that keeps its position on the screen when content above it changes, and that position. */
  let anchor: Element | undefined;
  let anchorTop: number;
  let isObserved = false;

  /** Index of the first rendered row, and the number of rendered rows. The cells are for bindings that show these. */
  let at = 0;
  let count = 0;
  const start = new Cell(0);
  const view = new Cell([]);
  const total = new Cell(0);
  /** Index of the row that is the tab stop. */
  const active = new Cell(from);

  const rows = (): HTMLElement[] => {
    const found: HTMLElement[] = [];
    let row: Comment | HTMLElement = end;
    for (let left = count; left--;) found.unshift((row = row.previousElementSibling as HTMLElement));
    return found;
  };
  /** Top of the viewport on the screen. */
  const top = (): number => (scroller === document.documentElement ? 0 : topOf(scroller!));
  /** Height of the viewport. */
  const room = (): number => scroller?.clientHeight ?? 0;
  /** Top of the list on the screen if all its rows were rendered. */
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

  /** @returns index of the row to keep in place; -1 at the very beginning of a list, which shows its first rows. */
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
      // Measured from row to row to include gaps. The last row's height may lack its gap, so it does not replace a known one.
      if (next || !known.has(name)) known.set(name, next ? topOf(next) - topOf(row) : row.offsetHeight);
      heights._sizes[place] = known.get(name)!;
    });
    heights._sum(at);
    pad();
    // Once per set of rendered rows: observing a new row triggers another layout.
    if (!isObserved) {
      isObserved = true;
      observer.disconnect();
      for (const each of [parent, ...rows()]) observer.observe(each);
    }
    const shift = anchor?.isConnected ? topOf(anchor) - anchorTop : 0;
    if (Math.abs(shift) >= 1) scroller!.scrollTop += shift;
    anchor = undefined;
  };

  /** @returns whether the list can be measured. A list that the browser creates enters the document later. */
  const isThere = (): boolean => {
    if (!scroller && parent.isConnected) {
      scroller = scrollerOf(parent);
      // Scroll anchoring is done here instead, with heights that are known before they change.
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
      // If the focused row is removed, the list takes the focus, so that the keys keep working.
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
    // Keys inside a row's field belong to the field.
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

  // Observes the list and its rendered rows.
  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  // In the capture phase, since the scroll container may be the list, an ancestor or the page.
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
      // If the list was empty there are no heights to estimate from.
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
      element[slotsAt] = own;
      if (bind) bind(own, element as HTMLElement);
      const report = (name: string, value: unknown): void => element.setAttribute(name, `${value as number}`);
      // Also for server-rendered rows: the server does not write these attributes.
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
    // Estimate the other heights from the rows that the server rendered.
    const guess = rowHeight ?? (first && (topOf(all.at(-1)!) - topOf(first)) / (all.length - 1));
    heights = new RowHeights(items.length, () => guess || GUESS);
    settle();
    show(at, at + count);
    layout();
  });
}
