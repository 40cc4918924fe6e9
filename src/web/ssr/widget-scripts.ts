/**
 * Adds the scripts and the stylesheet that the widgets of a page need: each once, and none on pages without widgets. Browsers
 * fetch a fallback only if they lack the feature. Decision 030.
 */
import type { ImportedStyles } from "../../platform/shared/manifest.ts";
import { DOM, PATHS, type PageScript } from "../../platform/shared/wire.ts";
import { PageStyles } from "./imported-styles.ts";
import { moduleScript, script, type InlineOptions } from "./inline-scripts.ts";

type Script =
  | { path: PageScript; unless?: undefined; starter?: undefined }
  /** `unless`: an expression that is true in browsers that do not need the script. */
  | { path: string; unless: string; starter?: undefined }
  /** `starter`: inline code that imports the path on demand; `onIntent` does so ahead of that. */
  | { path: string; starter: string; onIntent: string; unless?: undefined };

/**
 * Imports the module that submits forms when a form is submitted. If the import fails, the browser submits
 * the form with the same button; `x` lets that second submit event pass. `requestSubmit` is called through the prototype because a
 * field's name may hide the method. It runs in a task of its own: Firefox keeps failed imports, so a second one fails before the event has
 * ended, and until then a form submits nothing.
 */
const FORM_STARTER =
  `{let m,x,l=()=>m||=import("${PATHS.forms}").catch(e=>{m=0;throw e}),o=e=>e.target.closest?.("form[${DOM.form}]");` +
  `addEventListener("submit",e=>{let f=o(e);if(f&&!x&&!e.defaultPrevented){e.preventDefault();` +
  `l().then(m=>m.send(f,e.submitter),()=>setTimeout(()=>{x=1;HTMLFormElement.prototype.requestSubmit.call(f,e.submitter);x=0}))}});`;
/** Imports it when a form gets the pointer or focus. */
const FORM_INTENT = `for(let t of["pointerover","focusin"])addEventListener(t,e=>o(e)&&l().catch(()=>{}),{passive:!0});`;

/**
 * Imports the script once a popover that the browser has positioned overflows the window. WebKit 2.50 decides whether a popover flips as if
 * the page were not scrolled.
 */
const OVERFLOW_CHECK =
  `addEventListener("toggle",({target:t})=>{let r=t.getBoundingClientRect();` +
  `t.matches("[${DOM.place}]")&&(r.top<0||r.left<0||r.bottom>innerHeight||r.right>innerWidth)&&import("${PATHS.ui}")},!0)`;

const SCRIPTS = {
  /** Positions popovers. */
  place: { path: PATHS.ui, unless: `CSS.supports("position-area","top")&&(${OVERFLOW_CHECK},1)` },
  /** Keyboard navigation in menus. */
  menu: { path: PATHS.uiMenu },
  /** Buttons with `command`, and dialogs with `closedby`. */
  modal: {
    path: PATHS.ui,
    unless: `"command"in HTMLButtonElement.prototype&&"closedBy"in HTMLDialogElement.prototype`,
  },
  /** Gestures. */
  gesture: { path: PATHS.uiGesture },
  /** Theme changes without a page load. */
  theme: { path: PATHS.uiTheme },
  /** Forms of the full-stack app. */
  forms: { path: PATHS.forms, starter: FORM_STARTER, onIntent: FORM_INTENT },
} as const satisfies Readonly<Record<string, Script>>;

export type Feature = keyof typeof SCRIPTS;

/** Part of virtual lists, which the stylesheet has rules for. */
const LONG_LISTS = "virtual";

/** Events that the gesture script dispatches. */
const GESTURES: ReadonlySet<string> = new Set(["pan", "pinch", "longpress", "doubletap"]);

const STYLES: readonly string[] = [PATHS.uiCss];

/** Shared empty result: most pages have no widgets. */
const NONE: readonly never[] = [];

export class PageFeatures {
  /** Stylesheets that the app's modules import. */
  readonly imported: PageStyles;
  // Allocated lazily: most pages have no widgets.
  #unsent: Set<Feature> | undefined;
  #reported: Set<Feature> | undefined;
  #styles: "none" | "unsent" | "sent" = "none";

  constructor(styles?: ImportedStyles) {
    this.imported = new PageStyles(styles);
  }

  /** Adds a widget: the page needs the widgets' stylesheet and these scripts. */
  use(...names: readonly Feature[]): void {
    if (this.#styles === "none") this.#styles = "unsent";
    this.need(...names);
  }

  /** Adds scripts without the widgets' stylesheet. */
  need(...names: readonly Feature[]): void {
    for (const name of names) if (!this.#reported?.has(name)) (this.#unsent ??= new Set()).add(name);
  }

  /** Adds what an event or a part of a scope requires. */
  meet(name: string): void {
    if (GESTURES.has(name)) this.use("gesture");
    else if (name === LONG_LISTS) this.use();
  }

  /** Stylesheets added since the last call. */
  newStyles(): readonly string[] {
    if (this.#styles !== "unsent") return NONE;
    this.#styles = "sent";
    return STYLES;
  }

  /** Scripts added since the last call. */
  newScripts(): readonly Feature[] {
    if (!this.#unsent) return NONE;
    const names = [...this.#unsent];
    this.#reported = new Set([...(this.#reported ?? NONE), ...names]);
    this.#unsent = undefined;
    return names;
  }
}

/** The scripts load asynchronously and in any order: none depends on another. */
export function featureScript(name: Feature, options: InlineOptions, hasIntent = true): string {
  const wanted: Script = SCRIPTS[name];
  if (wanted.starter !== undefined)
    return script(options, `${wanted.starter}${hasIntent ? wanted.onIntent : ""}}`, ` ${DOM.widget}`);
  if (wanted.unless === undefined) return moduleScript(options, wanted.path, ` ${DOM.widget}`);
  return script(options, `${wanted.unless}||import("${wanted.path}")`, ` ${DOM.widget}`);
}
