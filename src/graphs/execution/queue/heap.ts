/** A binary heap, smallest first. Equal items come in insertion order if `seq` counts up. */
export interface Ordered {
  readonly order: number;
  readonly seq: number;
}

export class Heap<Item extends Ordered> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as Item;
      if (!isBefore(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  /** Replaces the first item and restores the order. */
  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && isBefore(items[right] as Item, items[child] as Item)) child = right;
      if (!isBefore(items[child] as Item, item)) break;
      items[at] = items[child] as Item;
      at = child;
    }
    items[at] = item;
  }
}

function isBefore(a: Ordered, b: Ordered): boolean {
  return a.order < b.order || (a.order === b.order && a.seq < b.seq);
}
