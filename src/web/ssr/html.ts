/** HTML as a value: JSX that is passed around before it is written. All other values are written as text. */

import type { Markup, markup } from "../jsx/element.ts";
import type { FunctionReference } from "./resume/function-reference.ts";

export class Html implements Markup {
  declare readonly [markup]: true;
  readonly #write: () => string;
  /** How the browser creates it. Undefined if only the server can. */
  readonly reference: FunctionReference | undefined;

  constructor(write: () => string, reference?: FunctionReference) {
    this.#write = write;
    this.reference = reference;
  }

  /** Renders the HTML. Lazy, so that it renders in the contexts where it is used, not where it was created. */
  toString(): string {
    return this.#write();
  }
}

/** HTML of a component that passes all its props on to another one, which shows them. */
export class PassedOn extends Html {}

/** JSX used as a value. */
export function html(write: () => string): Html {
  return new Html(write);
}
