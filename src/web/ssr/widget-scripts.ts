/**
 * Widgets of a page that browsers may need a script for. Each is written once, where the page uses it, and fetched only by
 * browsers that lack what it brings; a page without widgets has nothing of this. Decision 030.
 */
import { DOM, PATHS, type PageScript } from "../../platform/shared/wire.ts";
import { moduleScript, script, type InlineOptions } from "./inline-scripts.ts";

type Script =
  | { path: PageScript; unless?: undefined; starter?: undefined }
  /** `unless`: expression that holds in browsers which can do without. */
  | { path: string; unless: string; starter?: undefined }
  /** `starter`: fetches the path by itself, when it is wanted. */
  | { path: string; starter: string; unless?: undefined };

/**
 * Sees that a form is about to be used, or is sent, and fetches what sends it. Where that can't be had the browser sends it, by the button
 * that was pressed: as if that had been pressed anew, which `x` lets pass. A form's fields may hide its methods.
 */
const FORM_STARTER =
  `{let m,x,l=()=>m||=import("${PATHS.forms}").catch(e=>{m=0;throw e}),o=e=>e.target.closest?.("form[${DOM.form}]");` +
  `for(let t of["pointerover","focusin"])addEventListener(t,e=>o(e)&&l().catch(()=>{}),{passive:!0});` +
  `addEventListener("submit",e=>{let f=o(e);if(f&&!x&&!e.defaultPrevented){e.preventDefault();` +
  `l().then(m=>m.send(f,e.submitter),()=>{x=1;HTMLFormElement.prototype.requestSubmit.call(f,e.submitter);x=0})}})}`;

const SCRIPTS = {
  /** Where a popover stands. */
  place: { path: PATHS.ui, unless: `CSS.supports("position-area","top")` },
  /** Keys of a menu. */
  menu: { path: PATHS.uiMenu },
  /** Buttons with `command`, and clicks beside a dialog. */
  modal: {
    path: PATHS.ui,
    unless: `"command"in HTMLButtonElement.prototype&&"closedBy"in HTMLDialogElement.prototype`,
  },
  /** What fingers do. */
  gesture: { path: PATHS.uiGesture },
  /** Themes without a new page. */
  theme: { path: PATHS.uiTheme },
  /** Forms of the full-stack variant. */
  forms: { path: PATHS.forms, starter: FORM_STARTER },
} as const satisfies Readonly<Record<string, Script>>;

export type Feature = keyof typeof SCRIPTS;

/** Part whose lists have rules in the stylesheet. */
const LONG_LISTS = "virtual";

/** Events that a script of ours tells. */
const GESTURES: ReadonlySet<string> = new Set(["pan", "pinch", "longpress", "doubletap"]);

const STYLES: readonly string[] = [PATHS.uiCss];

/** Most pages have no widget. */
const NONE: readonly never[] = [];

export class PageFeatures {
  /** Most pages have none of either. */
  #unsent: Set<Feature> | undefined;
  #reported: Set<Feature> | undefined;
  #styles: "none" | "untold" | "told" = "none";

  /** The page has a widget, which wants the stylesheet of the widgets, and perhaps scripts. */
  use(...names: readonly Feature[]): void {
    if (this.#styles === "none") this.#styles = "untold";
    this.need(...names);
  }

  /** The page has something that wants scripts, and none of the widgets' looks. */
  need(...names: readonly Feature[]): void {
    for (const name of names) if (!this.#reported?.has(name)) (this.#unsent ??= new Set()).add(name);
  }

  /** A scope of the page hears an event, or has a part. */
  meet(name: string): void {
    if (GESTURES.has(name)) this.use("gesture");
    else if (name === LONG_LISTS) this.use();
  }

  /** Stylesheets that the page has come to need since this was last asked. */
  newStyles(): readonly string[] {
    if (this.#styles !== "untold") return NONE;
    this.#styles = "told";
    return STYLES;
  }

  /** Scripts that the page has come to need since this was last asked. */
  news(): readonly Feature[] {
    if (!this.#unsent) return NONE;
    const names = [...this.#unsent];
    this.#reported = new Set([...(this.#reported ?? NONE), ...names]);
    this.#unsent = undefined;
    return names;
  }
}

/** Asynchronous, in the order of the document for nobody: each works by itself. */
export function featureScript(name: Feature, options: InlineOptions): string {
  const wanted: Script = SCRIPTS[name];
  if (wanted.starter !== undefined) return script(options, wanted.starter, ` ${DOM.widget}`);
  if (wanted.unless === undefined) return moduleScript(options, wanted.path, ` ${DOM.widget}`);
  return script(options, `${wanted.unless}||import("${wanted.path}")`, ` ${DOM.widget}`);
}
