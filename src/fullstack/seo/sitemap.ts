/** `sitemap.xml` (sitemaps.org protocol 0.9), split into files as large as the protocol lets them be behind an index where one is too few. */
import { SvcError } from "../../index.ts";

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
/** Longest that a file may be, of the protocol: 50 MB, of which the elements around the addresses are a few. */
const MAX_BYTES = 50 * 1024 * 1024 - 1024;

const HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/**
 * The files that hold these addresses, at least one.
 * @param origin `https://example.com`
 * @param maxBytes of one file @throws SvcError `SVC_DEFINITION` for what is no address of this site, or no date
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
  // Pages in other languages may be on another site; what a sitemap lists may not (sitemaps.org, "location").
  const links = Object.entries(alternates).map(
    ([language, to]) =>
      `<xhtml:link rel="alternate" hreflang="${escapeXml(language)}" href="${escapeXml(new URL(to, origin).href)}"/>`,
  );
  const modified = lastModified === undefined ? "" : `<lastmod>${dateText(path, lastModified)}</lastmod>`;
  return `<url><loc>${escapeXml(addressOf(path, origin))}</loc>${modified}${links.join("")}</url>\n`;
}

/** Never on another host, whatever the path says: `//other.example` is a path too. */
function addressOf(path: string, origin: string): string {
  const rest = path.startsWith(`${origin}/`) ? path.slice(origin.length) : path;
  if (rest.startsWith("/")) return new URL(origin + rest).href;
  throw refused(path, `is no address of ${origin}; give a path such as "/books/emma"`);
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

/** Everything that is not a Char of XML 1.0 (section 2.2), which no reference can write either: it is left out. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** For text and attributes. */
export function escapeXml(text: string): string {
  return text.replace(NOT_XML, "").replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
