/** HTML as a value: JSX that is passed around before it is written. All other values are written as text. */

import type { Markup, markup } from "../jsx/element.ts";

export class Html implements Markup {
  declare readonly [markup]: true;
  readonly #write: () => string;

  constructor(write: () => string) {
    this.#write = write;
  }

  /** Renders the HTML. Lazy, so that it renders in the contexts where it is used, not where it was created. */
  toString(): string {
    return this.#write();
  }
}

/** JSX used as a value. */
export function html(write: () => string): Html {
  return new Html(write);
}
