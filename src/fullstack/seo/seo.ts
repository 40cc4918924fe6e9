/**
 * Files for search engines and assistants: `robots.txt`, `sitemap.xml` and, if configured, `llms.txt`. A file of the app at the same path
 * overrides them.
 */
import { route, SvcError, text, type Context, type Result, type RouteDefinition } from "../../index.ts";
import type { Head } from "../layouts/head.ts";
import { llmsText, type LlmsLink, type LlmsOptions } from "./llms.ts";
import { robotsText, type RobotsRule } from "./robots.ts";
import { sitemapFiles, sitemapIndexXml, type SitemapEntry } from "./sitemap.ts";

export interface SeoOptions {
  /** Rules of `robots.txt`; default: everything is allowed. `false`: no file. */
  robots?: readonly RobotsRule[] | false;
  /** `false`: no sitemap. */
  sitemap?: SitemapOptions | false;
  /** `llms.txt`. Default: none. */
  llms?: LlmsOptions;
}

export interface SitemapOptions {
  /** URLs in addition to the pages without parameters, such as one for each article. Called for each request of the sitemap. */
  entries?: () => Iterable<SitemapEntry> | AsyncIterable<SitemapEntry> | Promise<Iterable<SitemapEntry>>;
  /** Paths to leave out; a final `/*` matches everything below. */
  exclude?: readonly string[];
  /**
   * Paths to list although a `_middleware.ts` in a subfolder of `pages/` guards them; a final `/*` matches everything below. Default: none,
   * because such pages are often behind a sign-in. A `pages/_middleware.ts` for the whole site leaves out nothing.
   */
  include?: readonly string[];
}

/** A page without parameters. */
export interface PlainPage {
  readonly path: string;
  /** The part that doesn't depend on data. */
  readonly head: Head;
  /** The same page in all languages, by language tag. */
  readonly alternates?: Readonly<Record<string, string>>;
  /** Whether a middleware of a subfolder may refuse visitors. */
  readonly isGuarded?: boolean;
  /** Whether it is a translation of another page. */
  readonly isTranslation?: boolean;
}

/** Caches answer crawlers that request the file more often than this. */
const CACHE = "public, max-age=600";

/**
 * @param taken paths that the app answers itself.
 * @param origin origin of the site. @throws SvcError `SVC_CONFIG` if it is unknown.
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
    // Validates the rules when the app is created.
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
  { entries, exclude = [], include = [] }: SitemapOptions,
  pages: readonly PlainPage[],
): Promise<SitemapEntry[]> {
  const isIn = (patterns: readonly string[], { path }: PlainPage): boolean =>
    patterns.some((pattern) => isBelow(path, pattern));
  const own = pages.filter(
    (page) => isIndexed(page) && !isIn(exclude, page) && (page.isGuarded !== true || isIn(include, page)),
  );
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
  const { path, head, isTranslation = false, isGuarded = false } = page;
  if (!isIndexed(page) || isTranslation || isGuarded) return [];
  return [{ title: head.title ?? path, href: path, ...(head.description !== undefined && { note: head.description }) }];
}

function xml(body: string): Result {
  return { status: 200, headers: ["content-type", "application/xml; charset=utf-8", "cache-control", CACHE], body };
}
