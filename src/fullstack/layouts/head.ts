/** What stands in the `<head>` of a page: typed, merged from the layouts inwards, written as elements. */
import { a, html } from "../../jsx-runtime.ts";

/** Sources: HTML standard, Open Graph protocol (ogp.me), schema.org as JSON-LD, Google's robots meta tag. */
export interface Head {
  title?: string;
  /** In a layout: around the titles of pages inside; `%s` stands for theirs. `"%s · Example"` */
  titleTemplate?: string;
  description?: string;
  /** Of the document, as in `<html lang>`. Default "en". */
  lang?: string;
  /** The one address of what this page shows, absolute or a path of this site. */
  canonical?: string;
  /** What search engines may do. Default: everything. */
  robots?: { index?: boolean; follow?: boolean; maxSnippet?: number; maxImagePreview?: "none" | "standard" | "large" };
  openGraph?: OpenGraph;
  /** Structured data: one object of schema.org, or several. */
  jsonLd?: object | readonly object[];
  /** Same page in other languages, by language tag; `x-default` for who speaks none of them. */
  alternates?: Readonly<Record<string, string>>;
  /** `<meta name="…" content="…">` beyond the above. */
  meta?: Readonly<Record<string, string>>;
}

export interface OpenGraph {
  /** Default: the page's title. */
  title?: string;
  /** Default: the page's description. */
  description?: string;
  /** Default: the canonical address. */
  url?: string;
  /** Default "website". */
  type?: "website" | "article" | "profile" | "book" | "video.other" | "music.song";
  image?: string;
  imageAlt?: string;
  siteName?: string;
  locale?: string;
}

/** @param heads outermost first: what is further in wins, field by field; of objects too. */
export function mergeHeads(heads: readonly Head[]): Head {
  const merged: Head = {};
  let template: string | undefined;
  for (const [at, head] of heads.entries()) {
    const { openGraph, meta, robots, alternates } = merged;
    Object.assign(merged, head);
    if (openGraph || head.openGraph) merged.openGraph = { ...openGraph, ...head.openGraph };
    if (meta || head.meta) merged.meta = { ...meta, ...head.meta };
    if (robots || head.robots) merged.robots = { ...robots, ...head.robots };
    if (alternates || head.alternates) merged.alternates = { ...alternates, ...head.alternates };
    // A layout's own title is for pages without one: its template is not around it.
    const isPage = at === heads.length - 1;
    if (isPage && head.title !== undefined && template !== undefined)
      merged.title = template.replace("%s", () => head.title ?? "");
    template = head.titleTemplate ?? template;
  }
  delete merged.titleTemplate;
  return merged;
}

/**
 * The elements beside title and description, which the page itself writes.
 * @param origin `https://example.com`, to make addresses absolute, as search engines and previews want them.
 */
export function headElements(head: Head, origin: string | undefined): unknown {
  const absolute = (address: string): string => (origin === undefined ? address : new URL(address, origin).href);
  const lines = [
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

/** JSON in a script element: nothing in it may end the element, or be taken for markup. */
function scriptJson(data: object): string {
  return JSON.stringify(data)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
