/**
 * `virtual.js`: lists of which only the rows around what can be seen are there (`<For virtual>`). Which ones is decided in
 * row-heights.ts; rows themselves are those of `region`. What is not there takes its room all the same, above and below.
 */
import { batch, Cell, slotsAt, watch } from "./core.ts";
import { DOM } from "../shared/wire.ts";
import { For, K } from "./region.ts";
import { RowHeights, rowsAround } from "./row-heights.ts";
import type { Slots } from "./types.ts";

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

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/** What scrolls: the list, an element around it, or the page. */
const scrollerOf = (list: Element): Element => {
  const page = document.scrollingElement!;
  for (let at: Element | null = list; at && at !== document.body; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return page;
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
  const given = options();
  const { rowHeight, first = 30, start: from = 0 }: Options = given === true ? {} : given;
  const end = K(parent, key) as Comment;
  const isTable = /^(TBODY|TABLE)$/.test(parent.tagName);
  /** Heights that are known, by the key of the row: they stay when rows change places. */
  const known = new Map<unknown, number>();
  let items: unknown[] = [];
  let heights = new RowHeights(0, () => 0);
  let scroller: Element | undefined;
  let page = false;

  const total = new Cell(0);
  const start = new Cell(0);
  const view = new Cell([]);
  /** Index of the row that Tab comes to. */
  const active = new Cell(from);

  const at = (): number => start._value as number;
  const count = (): number => (view._value as unknown[]).length;
  const rows = (): HTMLElement[] => {
    const found: HTMLElement[] = [];
    let row = end.previousElementSibling;
    for (let left = count(); left-- > 0; row = row!.previousElementSibling) found.unshift(row as HTMLElement);
    return found;
  };
  const room = (): [top: number, height: number] =>
    page ? [0, innerHeight] : [topOf(scroller!) + scroller!.clientTop, scroller!.clientHeight];

  const show = ([first, stop]: [number, number]): void => {
    batch(() => {
      start.value = first;
      view.value = items.slice(first, stop);
    });
    pad();
  };
  const pad = (): void => {
    const { style } = parent;
    style.setProperty("--svc-before", `${heights._offset(at())}`);
    style.setProperty("--svc-after", `${heights._offset(items.length) - heights._offset(at() + count())}`);
  };

  /** Takes the heights of the rows that are there: from one to the next, so that what is between them counts. */
  const measure = (): void => {
    const all = rows();
    all.forEach((row, index) => {
      const next = all[index + 1];
      const size = next ? topOf(next) - topOf(row) : row.offsetHeight;
      // The last one's is not the whole of it where rows have gaps.
      if (!next && known.has(by(items[at() + index]))) return;
      known.set(by(items[at() + index]), size);
      heights._set(at() + index, size);
    });
  };

  /** Row that stays where it is on the screen, whatever changes above it. */
  let anchor: [row: Element, top: number] | undefined;
  const hold = (): [index: number, beyond: number] | undefined => {
    const [top] = room();
    const all = rows();
    const index = all.findIndex((row) => row.getBoundingClientRect().bottom > top);
    const row = all[index];
    // At its very beginning a list shows what is first.
    if (!row || (at() + index === 0 && topOf(row) >= top)) return (anchor = undefined);
    anchor = [row, topOf(row)];
    return [at() + index, top - topOf(row)];
  };
  const settle = (): void => {
    if (!isThere()) return;
    measure();
    pad();
    const shift = anchor?.[0].isConnected ? topOf(anchor[0]) - anchor[1] : 0;
    if (Math.abs(shift) >= 1) scroller!.scrollTop += shift;
    anchor = undefined;
  };

  /** @returns whether the list can be looked at: one that the browser makes is put into the page later. */
  const isThere = (): boolean => {
    if (!scroller && parent.isConnected) {
      scroller = scrollerOf(parent);
      page = scroller === document.scrollingElement;
      // What is read stays where it is by our own means, which know heights before they change.
      (scroller as HTMLElement).style.setProperty("overflow-anchor", "none");
      (page ? window : scroller).addEventListener("scroll", layout, { passive: true });
    }
    return parent.isConnected;
  };

  const layout = (): void => {
    if (!isThere()) return;
    const [firstRow] = rows();
    const y = room()[0] - (firstRow ? topOf(firstRow) - heights._offset(at()) : topOf(parent));
    const next = rowsAround(heights, y, room()[1]);
    if (next[0] !== at() || next[1] - next[0] !== count()) {
      hold();
      leave(next);
      show(next);
    }
    settle();
  };

  // A row that has the focus and goes leaves it to the list: keys go on from there.
  const leave = ([first, stop]: [number, number]): void => {
    const index = at() + rows().findIndex((row) => row.contains(document.activeElement));
    if (index >= at() && (index < first || index >= stop)) {
      parent.tabIndex = -1;
      parent.focus({ preventScroll: true });
    } else if (
      document.activeElement !== parent &&
      ((active._value as number) < first || (active._value as number) >= stop)
    )
      active.value = heights._indexAt(heights._offset(first) + room()[1] / 2);
  };

  const rowAt = (index: number): HTMLElement | undefined => rows()[index - at()];
  const go = (index: number): void => {
    active.value = index;
    if (!rowAt(index)) {
      const [firstRow] = rows();
      scroller!.scrollTop += topOf(firstRow ?? parent) - heights._offset(at()) + heights._offset(index) - room()[0];
      layout();
    }
    rowAt(index)?.focus({ preventScroll: true });
    rowAt(index)?.scrollIntoView({ block: "nearest" });
  };
  parent.addEventListener("keydown", (event) => {
    const { target, key: pressed } = event;
    const place = rows().indexOf(target as HTMLElement);
    // Keys in a field of a row are the field's.
    if (target !== parent && !(place >= 0 && rows()[place]!.hasAttribute("tabindex"))) return;
    const index = place < 0 ? (active._value as number) : at() + place;
    const y = heights._offset(index);
    const down = Math.max(1, heights._indexAt(y + room()[1]) - index - 1);
    const up = Math.max(1, index - heights._indexAt(y - room()[1]) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: down, PageUp: -up, Home: -index, End: items.length }[pressed];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    go(Math.max(0, Math.min(items.length - 1, index + step)));
  });

  const observer = new ResizeObserver(() => requestAnimationFrame(layout));
  observer.observe(parent);

  let isFirst = true;
  watch(
    () => {
      const now = list();
      void now.length;
      return now;
    },
    (now) => {
      const held = isFirst || !scroller ? undefined : hold();
      const name = held && by(items[held[0]]);
      items = [...now];
      total.value = items.length;
      const guess = rowHeight ?? (known.size ? heights._offset(heights._count) / heights._count : GUESS);
      heights = new RowHeights(items.length, (index) => known.get(by(items[index])) ?? guess);
      const index = held ? items.findIndex((item) => by(item) === name) : -1;
      const begin = Math.max(0, Math.min(from, items.length - first));
      if (isFirst) batch(() => ((start.value = begin), (view.value = items.slice(begin, begin + first))));
      else {
        const y = held && index >= 0 ? heights._offset(index) + held[1] : heights._offset(at());
        show(rowsAround(heights, y, scroller ? room()[1] : 0));
        queueMicrotask(() => (settle(), layout()));
      }
      isFirst = false;
    },
    false,
    () => {
      observer.disconnect();
      (page ? window : scroller)?.removeEventListener("scroll", layout);
    },
  );

  For(
    parent,
    key,
    () => view.value as unknown[],
    by,
    make,
    (row, element) => {
      const index = (): number => (row.n.value as number) + (start.value as number);
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
      // Also on rows that the server wrote, which knew nothing of the others.
      watch(index, (place) => element.setAttribute(isTable ? "aria-rowindex" : "aria-posinset", `${place + 1}`));
      if (!isTable)
        watch(
          () => total.value,
          (size) => element.setAttribute("aria-setsize", `${size as number}`),
        );
      if (element.hasAttribute("tabindex"))
        watch(
          () => index() === active.value,
          (isActive) => ((element as HTMLElement).tabIndex = isActive ? 0 : -1),
        );
      observer.observe(element);
      watch(
        () => {},
        () => {},
        true,
        () => observer.unobserve(element),
      );
    },
    $,
    raw,
    1,
  );
  const table = isTable && parent.closest("table");
  if (table)
    watch(
      () => total.value,
      (size) => table.setAttribute("aria-rowcount", `${size as number}`),
    );
  parent.setAttribute(DOM.virtual, "");
  queueMicrotask(() => {
    if (isThere()) hold();
    const all = rows();
    // Of rows that are there already the others are guessed.
    const guess = rowHeight ?? (all.length > 1 ? (topOf(all.at(-1)!) - topOf(all[0]!)) / (all.length - 1) : GUESS);
    heights = new RowHeights(items.length, () => guess || GUESS);
    settle();
    layout();
  });
}
