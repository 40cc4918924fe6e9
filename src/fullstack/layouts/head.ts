/** The `<head>` of a page: typed, merged from the layouts inwards, rendered as elements. */
import { SvcError } from "../../index.ts";
import { a, html } from "../../jsx-runtime.ts";

/** Sources: HTML standard, Open Graph protocol (ogp.me), schema.org as JSON-LD, Google's robots meta tag. */
export interface Head {
  title?: string;
  /** In a layout: template for the titles of inner pages; `%s` is their title. `"%s · Example"` */
  titleTemplate?: string;
  description?: string;
  /** Language of the document, as in `<html lang>`. Default "en". */
  lang?: string;
  /** The canonical URL of this page, absolute or a path of this site. */
  canonical?: string;
  /** Permissions for search engines. Default: all. */
  robots?: { index?: boolean; follow?: boolean; maxSnippet?: number; maxImagePreview?: "none" | "standard" | "large" };
  openGraph?: OpenGraph;
  /** Structured data: one or several objects of schema.org. */
  jsonLd?: object | readonly object[];
  /** The same page in other languages, by language tag; `x-default` for all others. */
  alternates?: Readonly<Record<string, string>>;
  /** URLs of fonts, images and stylesheets to load before the browser finds them in a stylesheet. Layouts and page add theirs. */
  preload?: readonly string[];
  /** Additional `<meta name="…" content="…">` elements. */
  meta?: Readonly<Record<string, string>>;
}

export interface OpenGraph {
  /** Default: the page's title. */
  title?: string;
  /** Default: the page's description. */
  description?: string;
  /** Default: the canonical URL. */
  url?: string;
  /** Default "website". */
  type?: "website" | "article" | "profile" | "book" | "video.other" | "music.song";
  image?: string;
  imageAlt?: string;
  siteName?: string;
  locale?: string;
}

/** @param heads outermost first. Inner heads override outer ones field by field, also within objects. */
export function mergeHeads(heads: readonly Head[]): Head {
  const merged: Head = {};
  let template: string | undefined;
  for (const [at, head] of heads.entries()) {
    const { openGraph, meta, robots, alternates, preload } = merged;
    Object.assign(merged, head);
    if (openGraph || head.openGraph) merged.openGraph = { ...openGraph, ...head.openGraph };
    if (meta || head.meta) merged.meta = { ...meta, ...head.meta };
    if (preload || head.preload) merged.preload = [...new Set([...(preload ?? []), ...(head.preload ?? [])])];
    if (robots || head.robots) merged.robots = { ...robots, ...head.robots };
    if (alternates || head.alternates) merged.alternates = { ...alternates, ...head.alternates };
    // A layout's own title is for pages without one, so its template does not apply to it.
    const isPage = at === heads.length - 1;
    if (isPage && head.title !== undefined && template !== undefined)
      merged.title = template.replace("%s", () => head.title ?? "");
    template = head.titleTemplate ?? template;
  }
  delete merged.titleTemplate;
  return merged;
}

/**
 * All elements except title and description, which the page writes itself.
 * @param origin `https://example.com`, to make URLs absolute, as search engines and link previews expect.
 */
export function headElements(head: Head, origin: string | undefined): unknown {
  const absolute = (address: string): string => (origin === undefined ? address : new URL(address, origin).href);
  const lines = [
    ...(head.preload ?? []).map(preloadLine),
    ...metaLines(head),
    ...(head.canonical === undefined ? [] : [`<link rel="canonical" href="${a(absolute(head.canonical))}">`]),
    ...Object.entries(head.alternates ?? {}).map(
      ([lang, href]) => `<link rel="alternate" hreflang="${a(lang)}" href="${a(absolute(href))}">`,
    ),
    ...openGraphLines(head, absolute),
    ...[head.jsonLd ?? []].flat().map((data) => `<script type="application/ld+json">${scriptJson(data)}</script>`),
  ];
  return html(() => lines.join(""));
}

/** What a file is for, by its extension, as in `<link as>`. */
const PURPOSES: readonly (readonly [RegExp, string])[] = [
  [/^(?:woff2?|ttf|otf)$/, "font"],
  [/^(?:png|jpe?g|gif|webp|avif|svg)$/, "image"],
  [/^css$/, "style"],
];

/** @throws SvcError `SVC_DEFINITION` for an extension that says nothing about the file's purpose */
function preloadLine(address: string): string {
  const extension = /\.(\w+)(?:[?#].*)?$/.exec(address)?.[1]?.toLowerCase() ?? "";
  const purpose = PURPOSES.find(([pattern]) => pattern.test(extension))?.[1];
  if (purpose === undefined)
    throw new SvcError(
      "SVC_DEFINITION",
      `head.preload: ${JSON.stringify(address)} has no extension of a font, image or stylesheet. Browsers ignore a preload without its purpose`,
    );
  // Browsers request fonts without credentials, and use a preload only for the same kind of request.
  const font = purpose === "font" ? ` type="font/${extension}" crossorigin` : "";
  return `<link rel="preload" as="${purpose}"${font} href="${a(address)}">`;
}

function metaLines({ robots, meta = {} }: Head): string[] {
  const rules = robots ? robotsText(robots) : "";
  const all = rules === "" ? meta : { ...meta, robots: rules };
  return Object.entries(all).map(([name, content]) => `<meta name="${a(name)}" content="${a(content)}">`);
}

function robotsText({ index, follow, maxSnippet, maxImagePreview }: NonNullable<Head["robots"]>): string {
  return [
    ...(index === false ? ["noindex"] : []),
    ...(follow === false ? ["nofollow"] : []),
    ...(maxSnippet === undefined ? [] : [`max-snippet:${maxSnippet}`]),
    ...(maxImagePreview === undefined ? [] : [`max-image-preview:${maxImagePreview}`]),
  ].join(", ");
}

function openGraphLines(head: Head, absolute: (address: string) => string): string[] {
  const { openGraph } = head;
  if (!openGraph) return [];
  const { image, imageAlt, siteName, locale, type = "website" } = openGraph;
  const url = openGraph.url ?? head.canonical;
  const properties: [string, string | undefined][] = [
    ["og:title", openGraph.title ?? head.title],
    ["og:description", openGraph.description ?? head.description],
    ["og:type", type],
    ["og:url", url && absolute(url)],
    ["og:image", image && absolute(image)],
    ["og:image:alt", imageAlt],
    ["og:site_name", siteName],
    ["og:locale", locale],
  ];
  return properties.flatMap(([name, content]) =>
    content === undefined ? [] : [`<meta property="${name}" content="${a(content)}">`],
  );
}

/** JSON for a script element: no part of it can end the element or be read as markup. */
function scriptJson(data: object): string {
  return JSON.stringify(data)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
