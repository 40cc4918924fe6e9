/** What a page listens for: events of its elements, events of the window, and moments that no event tells. */
import { escapeAttribute } from "../../platform/shared/escape.ts";
import { DOM } from "../../platform/shared/wire.ts";

/** Moments for which the page loads the part `moments`. */
const MOMENTS: ReadonlySet<string> = new Set(["load", "visible", "idle", "media"]);

export class PageEvents {
  readonly #types = new Set<string>();
  #windowTypes: Set<string> | undefined;
  /** What the browser listens for by now. */
  #reported: Set<string> | undefined;
  #hasMoments = false;
  #isActive = false;

  /** @param name as a block lists it: `click`, `window:resize`, `!wheel` where the browser waits for handlers, `visible` */
  add(name: string): void {
    if (MOMENTS.has(name)) this.#hasMoments = true;
    else if (name.startsWith("!")) {
      this.#isActive = true;
      this.add(name.slice(1));
    } else if (name.startsWith(DOM.window)) {
      const type = name.slice(DOM.window.length);
      (this.#windowTypes ??= new Set()).add(type);
      this.#types.add(type);
    } else this.#types.add(name);
  }

  get hasMoments(): boolean {
    return this.#hasMoments;
  }

  /** Attributes of `<html>` that tell the loader where handlers of events of the window are. */
  htmlAttributes(): string {
    if (!this.#windowTypes) return "";
    return [...this.#windowTypes].map((type) => ` ${DOM.window}${type}="${selectorOf(type)}"`).join("");
  }

  /** What browsers that have been told of the events so far must still hear of: types, and those of the window. */
  news(): { types: string[]; windowTypes: string[] } {
    const reported = (this.#reported ??= new Set());
    const types = [...this.#types].filter((type) => !reported.has(type));
    const windowTypes = [...(this.#windowTypes ?? [])].filter((type) => !reported.has(DOM.window + type));
    for (const type of types) reported.add(type);
    for (const type of windowTypes) reported.add(DOM.window + type);
    return { types, windowTypes };
  }

  /** The stub with its tokens replaced. Pages that decide about scrolling have the browser wait for it. */
  stub(text: string, types: Iterable<string> = this.#types): string {
    let key = this.#isActive ? "!" : "";
    for (const type of types) key += ` ${type}`;
    if (text !== latest.text || key !== latest.key) latest = { text, key, stub: this.#filled(text, types) };
    return latest.stub;
  }

  #filled(text: string, types: Iterable<string>): string {
    const how = this.#isActive ? "{capture:1,passive:0}" : "1";
    return text.replace("__EVENTS__HOW", how).replace("__EVENTS__", () => JSON.stringify([...types]));
  }
}

/** A page like the one before has the same stub. Names of events hold no space. */
let latest = { text: "", key: "", stub: "" };

/** Of the elements that hear a type at the window. */
function selectorOf(type: string): string {
  const name = `${DOM.on}${DOM.window}${type}`.replaceAll(/[^\w-]/g, (character) => `\\${character}`);
  return escapeAttribute(`[${name}]`);
}
