/**
 * Rows of new runs, while somebody has the list under the hands: they are counted on a button and come when it is pressed, so that
 * nothing jumps and no tick is lost. What the rows that stand there tell goes on meanwhile. Not: what "under the hands" means (ops.ts).
 */

const ROW = "[data-row]";
const TICKED = "input:checked[name=run]";

function hrefOf(row: Element): string | null | undefined {
  return row.querySelector(ROW)?.getAttribute("href");
}

function rowsOf(list: Element): HTMLTableRowElement[] {
  return [...list.querySelectorAll<HTMLTableRowElement>("tbody tr")];
}

/** How many stand before the first that is known; none known: all of them, and more that have no room. */
function countNew(old: Element, next: Element): { count: number; isAll: boolean } {
  const known = new Set(rowsOf(old).map(hrefOf));
  const fresh = rowsOf(next).map(hrefOf);
  const count = fresh.findIndex((href) => known.has(href));
  return { count: count < 0 ? fresh.length : count, isAll: count < 0 };
}

export class PendingRows {
  /** Announces what it comes to hold. */
  readonly #place = document.createElement("div");
  readonly #button = document.createElement("button");
  #isWanted = false;

  /** @param list the part of the page whose rows are held. @param onWanted they are to come now */
  constructor(list: Element, onWanted: () => void) {
    this.#place.className = "news-place";
    this.#place.role = "status";
    this.#button.type = "button";
    this.#button.className = "button news";
    this.#button.addEventListener("click", () => {
      this.#isWanted = true;
      onWanted();
    });
    list.before(this.#place);
  }

  /**
   * @param isInUse whether somebody is at something within
   * @returns whether the list is left as it is, but for what its rows tell
   */
  keeps(old: Element, next: Element, isInUse: (element: Element) => boolean): boolean {
    if (this.#isWanted || rowsOf(old).length === 0) return false;
    const { count, isAll } = countNew(old, next);
    const isAway = old.getBoundingClientRect().top < 0;
    if (!isInUse(old) && (count === 0 || !isAway)) return false;
    freshen(old, next, isInUse);
    if (count === 0) return true;
    const text = `${count}${isAll ? " and more" : ""} new`;
    if (this.#button.textContent !== text) this.#button.textContent = text;
    if (!this.#button.isConnected) this.#place.append(this.#button);
    return true;
  }

  /** Whether rows are waited for, so that they come though somebody has the list under the hands. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Puts the new list in place of the old by `put`; what is ticked stays so, at the end where it has no place any more. */
  replace(list: Element, put: () => void): void {
    const ticked = rowsOf(list).filter((row) => row.querySelector(TICKED));
    put();
    for (const row of ticked) {
      const box = rowsOf(list)
        .find((fresh) => hrefOf(fresh) === hrefOf(row))
        ?.querySelector<HTMLInputElement>("input[name=run]");
      if (box) box.checked = true;
      else list.querySelector("tbody")?.append(row);
    }
    this.#button.remove();
    if (!this.#isWanted) return;
    this.#isWanted = false;
    scrollTo({ top: 0 });
    list.querySelector<HTMLElement>(ROW)?.focus({ preventScroll: true });
  }
}

/** What rows tell that stand there already, but for those that somebody is at. */
function freshen(old: Element, next: Element, isInUse: (element: Element) => boolean): void {
  const fresh = new Map(rowsOf(next).map((row) => [hrefOf(row), row]));
  for (const row of rowsOf(old)) {
    const now = fresh.get(hrefOf(row));
    if (!now || now.innerHTML === row.innerHTML || isInUse(row)) continue;
    row.replaceChildren(...document.importNode(now, true).childNodes);
  }
}
