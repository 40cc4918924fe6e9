/** `sitemap.xml` (sitemaps.org protocol 0.9), split into several files with an index if one file would exceed the protocol's limits. */
import { SvcError } from "../../index.ts";

export interface SitemapEntry {
  /** Path of this site, encoded as `href` returns it. */
  path: string;
  /** Time of the last change of its content. */
  lastModified?: Date;
  /** The same page in other languages: paths by language tag, including its own; `x-default` for all others. */
  alternates?: Readonly<Record<string, string>>;
}

/** Most URLs in a file, by the protocol. */
export const MAX_ENTRIES = 50_000;
/** Largest file, by the protocol: 50 MB, minus the elements around the URLs. */
const MAX_BYTES = 50 * 1024 * 1024 - 1024;

const HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/**
 * The files for these URLs, at least one.
 * @param origin `https://example.com`
 * @param maxBytes limit of one file @throws SvcError `SVC_DEFINITION` for a URL of another site, or an invalid date
 */
export function sitemapFiles(entries: Iterable<SitemapEntry>, origin: string, maxBytes = MAX_BYTES): string[] {
  const files: string[] = [];
  let urls: string[] = [];
  let bytes = 0;
  const close = (): void => {
    files.push(`${HEADER}<urlset ${NAMESPACE} ${XHTML}>\n${urls.join("")}</urlset>\n`);
    [urls, bytes] = [[], 0];
  };
  for (const entry of entries) {
    const url = urlElement(entry, origin);
    const length = Buffer.byteLength(url);
    if (urls.length > 0 && (urls.length === MAX_ENTRIES || bytes + length > maxBytes)) close();
    urls.push(url);
    bytes += length;
  }
  close();
  return files;
}

/** @param addresses absolute URLs of sitemaps. */
export function sitemapIndexXml(addresses: readonly string[]): string {
  const sitemaps = addresses.map((address) => `<sitemap><loc>${escapeXml(address)}</loc></sitemap>\n`).join("");
  return `${HEADER}<sitemapindex ${NAMESPACE}>\n${sitemaps}</sitemapindex>\n`;
}

function urlElement({ path, lastModified, alternates = {} }: SitemapEntry, origin: string): string {
  // Pages in other languages may be on another site, but listed URLs may not (sitemaps.org, "location").
  const links = Object.entries(alternates).map(
    ([language, to]) =>
      `<xhtml:link rel="alternate" hreflang="${escapeXml(language)}" href="${escapeXml(new URL(to, origin).href)}"/>`,
  );
  const modified = lastModified === undefined ? "" : `<lastmod>${dateText(path, lastModified)}</lastmod>`;
  return `<url><loc>${escapeXml(addressOf(path, origin))}</loc>${modified}${links.join("")}</url>\n`;
}

/** Always on this host: a path may look like `//other.example`. */
function addressOf(path: string, origin: string): string {
  const rest = path.startsWith(`${origin}/`) ? path.slice(origin.length) : path;
  if (rest.startsWith("/")) return new URL(origin + rest).href;
  throw refused(path, `is not a URL of ${origin}; give a path such as "/books/emma"`);
}

function dateText(path: string, date: Date): string {
  if (!Number.isNaN(date.getTime())) return date.toISOString();
  throw refused(path, "has an invalid date as lastModified");
}

function refused(path: string, problem: string): SvcError {
  return new SvcError("SVC_DEFINITION", `The sitemap's entry ${JSON.stringify(path)} ${problem}`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Characters outside of XML 1.0 (section 2.2), which no reference can encode. They are removed. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes text and attribute values. */
export function escapeXml(text: string): string {
  return text.replace(NOT_XML, "").replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
