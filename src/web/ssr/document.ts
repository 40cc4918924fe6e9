/** A document around what the view rendered to: its head, and what the browser needs to resume it. */
import { escapeAttribute, escapeScriptJson, escapeText } from "../../platform/shared/escape.ts";
import type { Manifest } from "../../platform/shared/manifest.ts";
import { repeated } from "../../platform/shared/memoize.ts";
import { THEME_SCRIPT } from "./components/theme-script.ts";
import { schemeOf, type Theme } from "../../platform/shared/themes.ts";
import { DOM, PATHS } from "../../platform/shared/wire.ts";
import type { PageEvents } from "./page-events.ts";
import { featureScript, type PageFeatures } from "./widget-scripts.ts";
import { moduleScript, nonceAttribute, script, type InlineOptions } from "./inline-scripts.ts";

/** How links of a page are followed: by the browser, or by fetching and putting in what differs. */
export type Navigation = "links" | "enhanced";

export interface DocumentOptions extends InlineOptions {
  manifest: Manifest;
  title: string;
  lang?: string;
  dir?: "ltr" | "rtl" | undefined;
  description?: string | undefined;
  /** Paths of stylesheets. */
  stylesheets?: readonly string[];
  /** Path of the icon. */
  icon?: string | undefined;
  prefetch?: "intent" | "idle";
  /** Undefined in apps without themes. */
  readonly theme?: Theme | undefined;
  /** Many share the page, so that its visitors' themes are theirs to find out. */
  isTokenless?: boolean;
  /** Whether links are followed within the document. Default "links": by the browser. */
  navigation?: Navigation;
  /** Mark of the page's policy (platform/shared/policy-mark.ts), where it is known. */
  readonly policyMark?: string;
  /** Text of the inline script by which HTML passes the page's Trusted Types, where the app asks for these. Part of the stub. */
  readonly policy?: string;
  /** Text of the inline stub with its tokens in it (page-events.ts). Read only when the page has a script. */
  readonly stub: string;
}

/**
 * Everything up to the body's content.
 * @param events of an interactive page.
 * @param features whose stylesheet goes ahead of the app's, so that the app's layers come after its.
 * @param head more elements of the head
 */
export function documentStart(
  options: DocumentOptions,
  events: PageEvents | undefined,
  features: PageFeatures,
  head: string,
): string {
  const { lang = "en", dir, manifest, prefetch, theme, isTokenless, policyMark = "" } = options;
  const shown = isTokenless ? undefined : theme;
  const open = events
    ? opening(lang, dir, shown, policyMark, manifest.build, prefetch === "idle", events.htmlAttributes())
    : quietOpening(lang, dir, shown, policyMark);
  const stub = events ? script(options, events.stub(options.stub)) : "";
  const look = isTokenless && theme !== undefined ? script(options, THEME_SCRIPT) : "";
  return `${open}${look}${headElements(options, features.newStyles())}${stub}${head}</head><body>`;
}

/** Behind the body's content. */
export const DOCUMENT_END = "</body></html>";

/** Of a page whose links are followed within the document, interactive or not. At the end, for it looks at what stands there. */
export function linksScript(options: DocumentOptions, isInteractive: boolean): string {
  if (options.navigation !== "enhanced") return "";
  // Pages become others by way of HTML. What an interactive one has for that stands in its stub.
  const policy = isInteractive || !options.policy ? "" : script(options, options.policy);
  return policy + moduleScript(options, PATHS.links, ` ${DOM.links}="${escapeAttribute(options.manifest.build)}"`);
}

type Direction = "ltr" | "rtl" | undefined;

/** Up to the head's first element, of pages without script. */
const quietOpening = repeated(
  (lang: string, dir: Direction, theme: Theme | undefined, policyMark: string) =>
    `<!doctype html><html${languageAttributes(lang, dir, theme)}${policyAttribute(policyMark)}><head>`,
);

/** The same of pages that listen. `ofWindow`: attributes for events of the window. */
const opening = repeated(
  (
    lang: string,
    dir: Direction,
    theme: Theme | undefined,
    policyMark: string,
    build: string,
    isIdle: boolean,
    ofWindow: string,
  ) => {
    const prefetch = isIdle ? ` ${DOM.prefetch}="idle"` : "";
    const attributes = `${languageAttributes(lang, dir, theme)} ${DOM.build}="${escapeAttribute(build)}"${policyAttribute(policyMark)}`;
    return `<!doctype html><html${attributes}${prefetch}${ofWindow}><head>`;
  },
);

function policyAttribute(policyMark: string): string {
  return policyMark === "" ? "" : ` ${DOM.policy}="${policyMark}"`;
}

function languageAttributes(lang: string, dir: Direction, theme: Theme | undefined): string {
  // With the first byte, so that no page is ever painted in another theme than its own.
  const look = theme === undefined ? "" : ` ${DOM.theme}="${theme}" style="color-scheme:${schemeOf(theme)}"`;
  return ` lang="${escapeAttribute(lang)}"${dir === undefined ? "" : ` dir="${dir}"`}${look}`;
}

function headElements({ title, description, icon, stylesheets }: DocumentOptions, own: readonly string[]): string {
  const about = description === undefined ? "" : `<meta name="description" content="${escapeAttribute(description)}">`;
  return `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeText(title)}</title>${about}${links(icon, own, stylesheets)}`;
}

/** The same in most pages of an app. */
const links = repeated(
  (icon: string | undefined, own: readonly string[], stylesheets: readonly string[] | undefined): string =>
    (icon === undefined ? "" : `<link rel="icon" href="${escapeAttribute(icon)}">`) +
    stylesheetLinks(own) +
    stylesheetLinks(stylesheets),
);

export function stylesheetLinks(paths: readonly string[] = []): string {
  if (paths.length === 0) return "";
  return paths.map((path) => `<link rel="stylesheet" href="${escapeAttribute(path)}">`).join("");
}

/** @param name attribute by which the browser finds it: ` id="…"`. */
export function jsonScript({ nonce }: DocumentOptions, name: string, json: string): string {
  return `<script type="application/json" ${name}${nonceAttribute(nonce)}>${escapeScriptJson(json)}</script>`;
}

const STATE_NAME = `id="${DOM.stateId}"`;

export function stateScript(options: DocumentOptions, state: string): string {
  return jsonScript(options, STATE_NAME, state);
}

/**
 * The last element: an async script runs as soon as it is there, and what it needs is the state and every element with a
 * handler. Until then the stub queues. Not preloaded: browsers that run no script would fetch it too.
 */
export function loaderScripts(options: DocumentOptions, { hasMoments }: PageEvents): string {
  const isEager = hasMoments || options.prefetch === "idle";
  return moduleScript(options, PATHS.loader) + (isEager ? moduleScript(options, PATHS.moments) : "");
}

/** Scripts of the widgets that have come since this was last asked. Of pages without one, nothing. */
export function featureScripts(options: DocumentOptions, features: PageFeatures): string {
  return features
    .news()
    .map((name) => featureScript(name, options))
    .join("");
}
