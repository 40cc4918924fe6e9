/**
 * Holds back rows of new runs while the visitor is using the list: a button counts them and shows them when pressed, so that nothing jumps
 * and no checkbox loses its tick. The existing rows keep updating. The caller decides what "using" means.
 */

const ROW = "[data-row]";
const TICKED = "input:checked[name=run]";

function hrefOf(row: Element): string | null | undefined {
  return row.querySelector(ROW)?.getAttribute("href");
}

function rowsOf(list: Element): HTMLTableRowElement[] {
  return [...list.querySelectorAll<HTMLTableRowElement>("tbody tr")];
}

/** Number of rows before the first known row. If none is known, all rows are new, and there are more that did not fit. */
function countNew(old: Element, next: Element): { count: number; isAll: boolean } {
  const known = new Set(rowsOf(old).map(hrefOf));
  const fresh = rowsOf(next).map(hrefOf);
  const count = fresh.findIndex((href) => known.has(href));
  return { count: count < 0 ? fresh.length : count, isAll: count < 0 };
}

export class PendingRows {
  /** A live region, so that screen readers announce the button. */
  readonly #place = document.createElement("div");
  readonly #button = document.createElement("button");
  #isWanted = false;

  /** @param list the part of the page whose rows are held back @param onWanted called when the visitor asks for them */
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
   * @param isInUse whether the visitor is using something inside an element @returns whether the list stays as it is, except for the
   * content of its rows
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

  /** Whether the visitor asked for the rows, so that they appear although the list is in use. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Replaces the list by calling `put`. Ticked rows stay ticked; those that are no longer in the list go to its end. */
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

/** Updates the content of the existing rows, except those in use. */
function freshen(old: Element, next: Element, isInUse: (element: Element) => boolean): void {
  const fresh = new Map(rowsOf(next).map((row) => [hrefOf(row), row]));
  for (const row of rowsOf(old)) {
    const now = fresh.get(hrefOf(row));
    if (!now || now.innerHTML === row.innerHTML || isInUse(row)) continue;
    row.replaceChildren(...document.importNode(now, true).childNodes);
  }
}
