/** `sitemap.xml` (sitemaps.org protocol 0.9), split into pages of 50,000 addresses behind an index where there are more. */

export interface SitemapEntry {
  /** A path of this site, encoded as `href` gives it. */
  path: string;
  /** When what it shows last changed. */
  lastModified?: Date;
  /** The same page in other languages: paths by language tag, its own included; `x-default` for who speaks none. */
  alternates?: Readonly<Record<string, string>>;
}

/** Most addresses of one file, of the protocol. */
export const MAX_ENTRIES = 50_000;

const HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/** @param origin `https://example.com` */
export function sitemapXml(entries: readonly SitemapEntry[], origin: string): string {
  const hasAlternates = entries.some(({ alternates }) => alternates !== undefined);
  const urls = entries.map((entry) => urlElement(entry, origin)).join("");
  return `${HEADER}<urlset ${NAMESPACE}${hasAlternates ? ` ${XHTML}` : ""}>\n${urls}</urlset>\n`;
}

/** @param addresses absolute URLs of sitemaps. */
export function sitemapIndexXml(addresses: readonly string[]): string {
  const sitemaps = addresses.map((address) => `<sitemap><loc>${escapeXml(address)}</loc></sitemap>\n`).join("");
  return `${HEADER}<sitemapindex ${NAMESPACE}>\n${sitemaps}</sitemapindex>\n`;
}

function urlElement({ path, lastModified, alternates = {} }: SitemapEntry, origin: string): string {
  const absolute = (to: string): string => escapeXml(new URL(to, origin).href);
  const links = Object.entries(alternates).map(
    ([language, to]) => `<xhtml:link rel="alternate" hreflang="${escapeXml(language)}" href="${absolute(to)}"/>`,
  );
  const modified = lastModified === undefined ? "" : `<lastmod>${lastModified.toISOString()}</lastmod>`;
  return `<url><loc>${absolute(path)}</loc>${modified}${links.join("")}</url>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Everything that is not a Char of XML 1.0 (section 2.2), which no reference can write either: it is left out. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** For text and attributes. */
export function escapeXml(text: string): string {
  return text.replace(NOT_XML, "").replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
