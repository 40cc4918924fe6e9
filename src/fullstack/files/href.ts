/** URLs of the app's pages, typed by the names of their files. */
import { SvcError, useContext } from "../../index.ts";
import { SiteLocales } from "../i18n/i18n.ts";
import { localPath } from "../i18n/locales.ts";
import { pageScope } from "../page-scope.ts";
import type { RouteParams, RoutePath } from "./params.ts";

export interface HrefOptions {
  /** Values as text; undefined omits a key, a list repeats it. */
  query?: Readonly<Record<string, string | number | boolean | undefined | readonly (string | number)[]>>;
  /** Without `#`. */
  hash?: string;
  /** Language of the page, if languages have URLs of their own. Default: the language of the page that is rendered. */
  locale?: string;
}

/** Parameters are optional if the route requires none. */
type Args<Path extends string> =
  Record<never, never> extends RouteParams<Path>
    ? [params?: RouteParams<Path>, options?: HrefOptions]
    : [params: RouteParams<Path>, options?: HrefOptions];

/**
 * `href("/users/[id]", { id: "7" })` → `/users/7`. Encodes parameters; a rest parameter (`[...path]`) keeps its slashes.
 * A path without a page or endpoint is a type error; in a page it is also logged, once.
 * @throws SvcError `SVC_DEFINITION` for a missing parameter, which is also a type error.
 * @example
 * <a href={href("/")}>Home</a>
 */
export function href<const Path extends RoutePath>(path: Path, ...[params, options = {}]: Args<Path>): string {
  useContext(pageScope)?.routes.check(path);
  const given = (params ?? {}) as Readonly<Record<string, string | undefined>>;
  const segments = path.split("/").flatMap((segment) => segmentOf(path, segment, given));
  const address = inLanguage(segments.join("/") || "/", path, options.locale);
  const query = queryText(options.query ?? {});
  return `${address}${query === "" ? "" : `?${query}`}${options.hash === undefined ? "" : `#${encodeURIComponent(options.hash)}`}`;
}

/** Keeps the language of the current page. Outside a page, and for a URL that is not a page, returns the address as it is. */
function inLanguage(address: string, path: string, locale: string | undefined): string {
  const site = useContext(SiteLocales);
  if (!site?.pages.has(path)) return address;
  return localPath(site.locales, address, locale ?? site.locale);
}

/** @returns nothing for a group and for an omitted parameter. */
function segmentOf(path: string, segment: string, params: Readonly<Record<string, string | undefined>>): string[] {
  if (/^\(.*\)$/.test(segment)) return [];
  const [, optional, rest, name] = /^(\[)?\[(\.\.\.)?(\w+)\]\]?$/.exec(segment) ?? [];
  if (name === undefined) return [encodeURI(segment)];
  const value = params[name];
  if (value === undefined || value === "") {
    if (optional !== undefined) return [];
    throw new SvcError("SVC_DEFINITION", `href("${path}") needs the parameter "${name}"`);
  }
  return rest === undefined ? [encodeURIComponent(value)] : value.split("/").map(encodeURIComponent);
}

function queryText(query: NonNullable<HrefOptions["query"]>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  return search.toString();
}
