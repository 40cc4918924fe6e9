/** What a page listens for: events of its elements, events of the window, and moments that no event tells. */
import { DOM } from "../shared/wire.ts";

/** Moments that the loader makes up itself. */
const LOADED = "load";
/** Moments for which the page loads the part `moments`. */
const MOMENTS: ReadonlySet<string> = new Set(["visible", "idle", "media"]);

export class PageEvents {
  readonly #types = new Set<string>();
  readonly #windowTypes = new Set<string>();
  #hasMoments = false;
  #isActive = false;

  /** @param name as a block lists it: `click`, `window:resize`, `!wheel` where the browser waits for handlers, `visible` */
  add(name: string): void {
    if (name === LOADED) return;
    if (MOMENTS.has(name)) this.#hasMoments = true;
    else if (name.startsWith("!")) {
      this.#isActive = true;
      this.add(name.slice(1));
    } else if (name.startsWith(DOM.window)) {
      const type = name.slice(DOM.window.length);
      this.#windowTypes.add(type);
      this.#types.add(type);
    } else this.#types.add(name);
  }

  get hasMoments(): boolean {
    return this.#hasMoments;
  }

  /** Attributes of `<html>` that tell the loader which types have handlers anywhere in the page. */
  htmlAttributes(): string {
    return [...this.#windowTypes].map((type) => ` ${DOM.window}${type}`).join("");
  }

  /** The stub with its tokens replaced. Pages that decide about scrolling have the browser wait for it. */
  stub(text: string): string {
    return text
      .replace("__EVENTS__HOW", () => (this.#isActive ? "{capture:1,passive:0}" : "1"))
      .replace("__EVENTS__", () => JSON.stringify([...this.#types]));
  }
}
