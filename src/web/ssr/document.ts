/** Writes the document around a rendered view: its head, and the scripts and state that resume it in the browser. */
import { escapeAttribute, escapeScriptJson, escapeText } from "../../platform/shared/html/escape.ts";
import type { Manifest } from "../../platform/shared/manifest.ts";
import { repeated } from "../../platform/shared/collections/memoize.ts";
import { THEME_SCRIPT } from "./components/theme-script.ts";
import { schemeOf, type Theme } from "../../platform/shared/themes.ts";
import { DOM, PATHS } from "../../platform/shared/wire.ts";
import type { PageEvents } from "./page-events.ts";
import { featureScript, type PageFeatures } from "./widget-scripts.ts";
import { moduleScript, nonceAttribute, script, type InlineOptions } from "./inline-scripts.ts";

/** How a page's links work: `links` are followed by the browser, `enhanced` fetches the page and updates the current document. */
export type Navigation = "links" | "enhanced";

/**
 * When the browser fetches the code of a page ahead of an event: `intent` when the visitor points at, touches or focuses an element or
 * link, `idle` also when the page has loaded and the browser is idle, `none` never.
 */
export type Prefetch = "intent" | "idle" | "none";

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
  /** Default: `intent`. */
  prefetch?: Prefetch;
  /** Undefined in apps without themes. */
  readonly theme?: Theme | undefined;
  /** Caches may share the page between visitors, so a script in the page reads each visitor's theme. */
  isTokenless?: boolean;
  /** How the page's links work. Default: `links`. */
  navigation?: Navigation;
  /** Mark of the page's policy (platform/shared/policy-mark.ts), if known. */
  readonly policyMark?: string;
  /** Inline script that creates a Trusted Types policy, if the app requires Trusted Types. The stub contains it too. */
  readonly policy?: string;
  /** Template of the inline stub; page-events.ts fills in its tokens. Read only when the page has a script. */
  readonly stub: string;
}

/**
 * The document up to the body's content.
 * @param events the events of an interactive page; undefined otherwise.
 * @param features widgets of the page. Their stylesheet precedes those of the app, so that the app's cascade layers override theirs.
 * @param head HTML of additional head elements
 */
export function documentStart(
  options: DocumentOptions,
  events: PageEvents | undefined,
  features: PageFeatures,
  head: string,
): string {
  const { lang = "en", dir, manifest, prefetch = "intent", theme, isTokenless, policyMark = "" } = options;
  const shown = isTokenless ? undefined : theme;
  const open = events
    ? opening(lang, dir, shown, policyMark, manifest.build, prefetch, events.htmlAttributes())
    : quietOpening(lang, dir, shown, policyMark, prefetch);
  const stub = events
    ? conditionScript(options, events) + script(options, events.stub(options.stub) + withoutIntents(options))
    : "";
  const look = isTokenless && theme !== undefined ? script(options, THEME_SCRIPT) : "";
  return `${open}${look}${headElements(options, features)}${stub}${head}</head><body>`;
}

/** Script that decides by conditions whether to prevent default actions. Before the stub, so that handlers see the decision. */
export function conditionScript(options: DocumentOptions, events: PageEvents): string {
  const code = events.newConditions();
  return code === "" ? "" : script(options, code);
}

/** Code after the stub of a page that prefetches nothing: it names no event types at which the loader prefetches. */
export function withoutIntents({ prefetch }: DocumentOptions): string {
  return prefetch === "none" ? ";$svc.q=[]" : "";
}

/** The document after the body's content. */
export const DOCUMENT_END = "</body></html>";

/** Script for enhanced navigation, on interactive and static pages. It belongs at the end, because it reads the content before it. */
export function linksScript(options: DocumentOptions, isInteractive: boolean): string {
  if (options.navigation !== "enhanced") return "";
  // Enhanced navigation parses HTML, which Trusted Types restrict. On interactive pages the stub contains the policy.
  const policy = isInteractive || !options.policy ? "" : script(options, options.policy);
  return policy + moduleScript(options, PATHS.links, ` ${DOM.links}="${escapeAttribute(options.manifest.build)}"`);
}

type Direction = "ltr" | "rtl" | undefined;

/** The opening of static pages, up to the first element of the head. */
const quietOpening = repeated(
  (lang: string, dir: Direction, theme: Theme | undefined, policyMark: string, prefetch: Prefetch) =>
    // Links of static pages may be prefetched too (links.ts).
    `<!doctype html><html${languageAttributes(lang, dir, theme)}${policyAttribute(policyMark)}${prefetch === "none" ? prefetchAttribute(prefetch) : ""}><head>`,
);

/** The opening of interactive pages. `ofWindow`: attributes for window events. */
const opening = repeated(
  (
    lang: string,
    dir: Direction,
    theme: Theme | undefined,
    policyMark: string,
    build: string,
    prefetch: Prefetch,
    ofWindow: string,
  ) => {
    const attributes = `${languageAttributes(lang, dir, theme)} ${DOM.build}="${escapeAttribute(build)}"${policyAttribute(policyMark)}`;
    return `<!doctype html><html${attributes}${prefetchAttribute(prefetch)}${ofWindow}><head>`;
  },
);

function policyAttribute(policyMark: string): string {
  return policyMark === "" ? "" : ` ${DOM.policy}="${policyMark}"`;
}

function prefetchAttribute(prefetch: Prefetch): string {
  return prefetch === "intent" ? "" : ` ${DOM.prefetch}="${prefetch}"`;
}

function languageAttributes(lang: string, dir: Direction, theme: Theme | undefined): string {
  // Set on <html>, so that the browser never paints the page in another theme.
  const look = theme === undefined ? "" : ` ${DOM.theme}="${theme}" style="color-scheme:${schemeOf(theme)}"`;
  return ` lang="${escapeAttribute(lang)}"${dir === undefined ? "" : ` dir="${dir}"`}${look}`;
}

function headElements({ title, description, icon, stylesheets }: DocumentOptions, features: PageFeatures): string {
  const about = description === undefined ? "" : `<meta name="description" content="${escapeAttribute(description)}">`;
  return `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeText(title)}</title>${about}${links(icon, features.newStyles(), stylesheets, features.imported.added())}`;
}

/** Memoized: most pages of an app have the same links. */
const links = repeated(
  (
    icon: string | undefined,
    own: readonly string[],
    stylesheets: readonly string[] | undefined,
    imported: readonly string[],
  ): string =>
    (icon === undefined ? "" : `<link rel="icon" href="${escapeAttribute(icon)}">`) +
    stylesheetLinks(own) +
    stylesheetLinks(stylesheets) +
    stylesheetLinks(imported),
);

export function stylesheetLinks(paths: readonly string[] = []): string {
  if (paths.length === 0) return "";
  return paths.map((path) => `<link rel="stylesheet" href="${escapeAttribute(path)}">`).join("");
}

/** @param name attribute by which browser code finds the script: ` id="…"`. */
export function jsonScript({ nonce }: DocumentOptions, name: string, json: string): string {
  return `<script type="application/json" ${name}${nonceAttribute(nonce)}>${escapeScriptJson(json)}</script>`;
}

const STATE_NAME = `id="${DOM.stateId}"`;

export function stateScript(options: DocumentOptions, state: string): string {
  return jsonScript(options, STATE_NAME, state);
}

/**
 * The loader is the last element: an async script runs as soon as it has loaded, and it needs the state and all elements with
 * handlers. The stub queues events until then. The loader is not preloaded, because browsers without JavaScript would fetch it too.
 */
export function loaderScripts(options: DocumentOptions, { hasMoments }: PageEvents): string {
  const moments = hasMoments ? moduleScript(options, PATHS.moments) : "";
  const prefetch = options.prefetch === "idle" ? moduleScript(options, PATHS.prefetch) : "";
  return moduleScript(options, PATHS.loader) + moments + prefetch;
}

/** Scripts of widgets that were added since the last call. Empty for pages without widgets. */
export function featureScripts(options: DocumentOptions, features: PageFeatures): string {
  return features
    .newScripts()
    .map((name) => featureScript(name, options, options.prefetch !== "none"))
    .join("");
}
