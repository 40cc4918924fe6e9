/** Collects the events of a page: element events, window events, and moments without a DOM event, such as `visible`. */
import { escapeAttribute } from "../../platform/shared/html/escape.ts";
import { DOM } from "../../platform/shared/wire.ts";
import { earlyConditions, type Condition } from "./early-conditions.ts";

/** Moments that require the script `moments`. */
const MOMENTS: ReadonlySet<string> = new Set(["load", "visible", "idle", "media"]);

export class PageEvents {
  readonly #types = new Set<string>();
  #windowTypes: Set<string> | undefined;
  /** Events that were already sent to the browser. */
  #reported: Set<string> | undefined;
  #hasMoments = false;
  #isActive = false;
  /** Conditions of `preventDefault` that were not sent yet. */
  #conditions: Map<string, Condition> | undefined;
  #sentConditions: Set<string> | undefined;

  /** @param name as in `TemplateInfo.events`: `click`, `window:resize`, `visible`; `!wheel` for a listener that is not passive */
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

  /** @param test a self-contained function of the event and the element with the handler */
  addCondition(key: string, type: string, test: Condition["test"]): void {
    if (!this.#sentConditions?.has(key)) (this.#conditions ??= new Map()).set(key, { type, test });
  }

  /** Code that evaluates the conditions added since the last call; empty if there are none. It belongs before the stub. */
  newConditions(): string {
    if (!this.#conditions) return "";
    const found = this.#conditions;
    this.#conditions = undefined;
    for (const key of found.keys()) (this.#sentConditions ??= new Set()).add(key);
    return earlyConditions(found);
  }

  get hasMoments(): boolean {
    return this.#hasMoments;
  }

  /** Attributes of `<html>` with selectors by which the loader finds the handlers of window events. */
  htmlAttributes(): string {
    if (!this.#windowTypes) return "";
    return [...this.#windowTypes].map((type) => ` ${DOM.window}${type}="${selectorOf(type)}"`).join("");
  }

  /** Returns the event types, and the window event types, that were added since the last call. */
  newTypes(): { types: string[]; windowTypes: string[] } {
    const reported = (this.#reported ??= new Set());
    const types = [...this.#types].filter((type) => !reported.has(type));
    const windowTypes = [...(this.#windowTypes ?? [])].filter((type) => !reported.has(DOM.window + type));
    for (const type of types) reported.add(type);
    for (const type of windowTypes) reported.add(DOM.window + type);
    return { types, windowTypes };
  }

  /** Fills in the stub's tokens. Pages whose handlers may prevent scrolling get listeners that are not passive. */
  stub(text: string, types: Iterable<string> = this.#types): string {
    let key = this.#isActive ? "!" : "";
    for (const type of types) key += ` ${type}`;
    if (text !== latest.text || key !== latest.key) latest = { text, key, stub: this.#filled(text, types) };
    return latest.stub;
  }

  #filled(text: string, types: Iterable<string>): string {
    const how = this.#isActive ? "{capture:1,passive:0}" : "1";
    const list = [...types];
    const stub = text.replace("__EVENTS__HOW", how).replace("__EVENTS__", () => JSON.stringify(list));
    const crossings = list.filter((type) => CROSSING.test(type));
    return crossings.length > 0 ? `${stub}${requestCrossings(crossings)}` : stub;
  }
}

/** Browsers send these events only if a node around the target, other than the window, listens in the capture phase. */
const CROSSING = /^(mouse|pointer)(enter|leave)$/;

/** An empty listener of the document makes a browser send them to the stub's listener at the window, too. */
function requestCrossings(types: readonly string[]): string {
  return `;for(const t of ${JSON.stringify(types)})document.addEventListener(t,()=>{},1);`;
}

/** Cache of the last stub: consecutive pages often have the same events. Event names contain no spaces. */
let latest = { text: "", key: "", stub: "" };

/** Selector of elements with a handler for this window event. */
function selectorOf(type: string): string {
  const name = `${DOM.on}${DOM.window}${type}`.replaceAll(/[^\w-]/g, (character) => `\\${character}`);
  return escapeAttribute(`[${name}]`);
}
