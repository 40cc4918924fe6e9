/** HTML as a value: JSX that is handed around before it is written. Everything else that is written is text. */

import type { Markup, markup } from "../jsx/element.ts";

export class Html implements Markup {
  declare readonly [markup]: true;
  readonly #write: () => string;

  constructor(write: () => string) {
    this.#write = write;
  }

  /** Runs it. Late, so that it renders where it stands and not where it was made. */
  toString(): string {
    return this.#write();
  }
}

/** JSX used as a value. */
export function html(write: () => string): Html {
  return new Html(write);
}
