/**
 * Replaces content without losing the reader's place in it: open folds, scroll positions, and the focus if it is on a link or a fold. The
 * caller decides whether replacing is allowed (user-focus.ts).
 */

/** Elements whose state is kept. Rows of lists are excluded: a focused row means that the list is in use. */
const PLACES = "summary, a:not([data-row]), [tabindex], .scroll";

/** Identifies an element in old and new content. Elements with the same key are matched in document order. */
function identityOf(place: Element): string {
  const text = place.localName === "summary" ? place.textContent : "";
  return `${place.localName} ${place.ariaLabel ?? place.getAttribute("href") ?? text}`;
}

/** Maps elements of the old content to the same elements of the new content. */
function counterparts(old: Element, next: Element): Map<Element, Element> {
  const free = new Map<string, Element[]>();
  for (const place of next.querySelectorAll(PLACES)) {
    const identity = identityOf(place);
    const alike = free.get(identity);
    if (alike) alike.push(place);
    else free.set(identity, [place]);
  }
  const found = new Map<Element, Element>();
  for (const place of old.querySelectorAll(PLACES)) {
    const counterpart = free.get(identityOf(place))?.shift();
    if (counterpart) found.set(place, counterpart);
  }
  return found;
}

export class ContentReplacer {
  readonly #old: Element;
  readonly #fresh: Element;
  readonly #counterparts: Map<Element, Element>;
  /** The element that gets the focus; undefined if the new content has no counterpart of the focused element. */
  readonly focus: HTMLElement | undefined;

  /** @param next an element of another document */
  constructor(old: Element, next: Element) {
    this.#old = old;
    this.#fresh = document.importNode(next, true);
    this.#counterparts = counterparts(old, this.#fresh);
    this.focus = this.#counterparts.get(document.activeElement ?? old) as HTMLElement | undefined;
  }

  put(): void {
    const scrolled: (() => void)[] = [];
    for (const [was, is] of this.#counterparts) {
      const { scrollLeft, scrollTop } = was;
      if (scrollLeft || scrollTop) scrolled.push(() => Object.assign(is, { scrollLeft, scrollTop }));
      if (was.parentElement instanceof HTMLDetailsElement)
        is.parentElement?.toggleAttribute("open", was.parentElement.open);
    }
    // A focused element that is removed fires `blur`, and before it the browser lays out what is left: a pane without most of its content
    // loses its scroll position. So the new content is there, and has the focus, before the old content goes.
    const before = [...this.#old.childNodes];
    this.#old.append(...this.#fresh.childNodes);
    for (const scroll of scrolled) scroll();
    this.focus?.focus({ preventScroll: true });
    for (const node of before) node.remove();
  }
}
