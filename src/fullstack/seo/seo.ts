/**
 * What search engines and assistants ask for: `robots.txt`, `sitemap.xml` and, where it is configured, `llms.txt`. Full-stack
 * apps have them (seed section 4); a file of the app's own at the same path takes the place of ours.
 */
import { route, SvcError, text, type Context, type Result, type RouteDefinition } from "../../index.ts";
import type { Head } from "../layouts/head.ts";
import { llmsText, type LlmsLink, type LlmsOptions } from "./llms.ts";
import { robotsText, type RobotsRule } from "./robots.ts";
import { sitemapFiles, sitemapIndexXml, type SitemapEntry } from "./sitemap.ts";

export interface SeoOptions {
  /** Rules of `robots.txt`; default: everything may be fetched. `false`: none is served. */
  robots?: readonly RobotsRule[] | false;
  /** `false`: none is served. */
  sitemap?: SitemapOptions | false;
  /** `llms.txt`. Default: none. */
  llms?: LlmsOptions;
}

export interface SitemapOptions {
  /** Addresses beyond the pages without parameters, such as one per article. Asked each time the sitemap is. */
  entries?: () => Iterable<SitemapEntry> | AsyncIterable<SitemapEntry> | Promise<Iterable<SitemapEntry>>;
  /** Paths of pages that are not for search engines, such as those behind a sign-in; with a `/*` at the end all below. */
  exclude?: readonly string[];
}

/** A page without parameters. */
export interface PlainPage {
  readonly path: string;
  /** As far as it doesn't depend on data. */
  readonly head: Head;
  /** The same page in all languages, by language tag. */
  readonly alternates?: Readonly<Record<string, string>>;
  /** Whether it is one of another page, in a language that is not the default. */
  readonly isTranslation?: boolean;
}

/** Sitemaps change as often as the site; crawlers that ask more often than this are answered by caches. */
const CACHE = "public, max-age=600";

/**
 * @param taken paths that the app answers itself.
 * @param origin of the site. @throws SvcError `SVC_CONFIG` where it is not known.
 */
export function seoRoutes(
  { robots = [], sitemap = {}, llms }: SeoOptions,
  pages: readonly PlainPage[],
  taken: ReadonlySet<string>,
  origin: () => string,
): RouteDefinition[] {
  const routes: RouteDefinition[] = [];
  const add = (path: string, answer: (ctx: Context) => Result | Promise<Result>): void => {
    if (!taken.has(path)) routes.push(route("GET", path, answer));
  };
  if (robots !== false) {
    // What is wrong with them is told when the app is made.
    robotsText(robots, undefined);
    add("/robots.txt", () =>
      text(robotsText(robots, sitemap === false ? undefined : `${origin()}/sitemap.xml`), 200, [
        "cache-control",
        CACHE,
      ]),
    );
  }
  if (sitemap !== false) add("/sitemap.xml", (ctx) => answerSitemap(ctx, sitemap, pages, origin()));
  if (llms)
    add("/llms.txt", () => text(llmsText(llms, origin(), pages.flatMap(linkOf)), 200, ["cache-control", CACHE]));
  return routes;
}

async function answerSitemap(
  ctx: Context,
  options: SitemapOptions,
  pages: readonly PlainPage[],
  origin: string,
): Promise<Result> {
  const wanted = ctx.query.get("page");
  const files = sitemapFiles(await entriesOf(options, pages), origin);
  if (wanted === null && files.length > 1)
    return xml(sitemapIndexXml(files.map((_, at) => `${origin}/sitemap.xml?page=${at + 1}`)));
  const file = files[wanted === null ? 0 : Number(wanted) - 1];
  if (file === undefined)
    throw new SvcError("SVC_NOT_FOUND", `The sitemap has ${files.length} pages; there is no page ${wanted}`);
  return xml(file);
}

async function entriesOf(
  { entries, exclude = [] }: SitemapOptions,
  pages: readonly PlainPage[],
): Promise<SitemapEntry[]> {
  const own = pages.filter((page) => isIndexed(page) && !exclude.some((pattern) => isBelow(page.path, pattern)));
  const all: SitemapEntry[] = own.map(({ path, alternates }) => ({ path, ...(alternates && { alternates }) }));
  for await (const entry of (await entries?.()) ?? []) all.push(entry);
  return all;
}

function isIndexed({ head }: PlainPage): boolean {
  return head.robots?.index !== false;
}

function isBelow(path: string, pattern: string): boolean {
  if (!pattern.endsWith("/*")) return path === pattern;
  return path === pattern.slice(0, -2) || path.startsWith(pattern.slice(0, -1));
}

function linkOf(page: PlainPage): LlmsLink[] {
  const { path, head, isTranslation = false } = page;
  if (!isIndexed(page) || isTranslation) return [];
  return [{ title: head.title ?? path, href: path, ...(head.description !== undefined && { note: head.description }) }];
}

function xml(body: string): Result {
  return { status: 200, headers: ["content-type", "application/xml; charset=utf-8", "cache-control", CACHE], body };
}
