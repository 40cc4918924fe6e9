/**
 * Views of the runs list that a visitor has given a name: filters as they stand in the address, kept in a cookie of this browser.
 * What a cookie holds is whatever its browser sends: it is read as carefully as an address. Pure.
 */
import { queryText, readRunsQuery } from "./runs-query.ts";

export const VIEWS_COOKIE = "svc-ops-views";

/** A row of links that can be taken in, and a cookie that goes along with each request. */
const MOST_VIEWS = 10;
const MAX_COOKIE_BYTES = 2048;
export const MAX_VIEW_NAME = 40;

export interface SavedView {
  name: string;
  /** Filters, as they stand behind the `?`. */
  query: string;
}

/** Those of a cookie; what can't be read is left out. */
export function readViews(cookie: string | undefined): SavedView[] {
  if (cookie === undefined || cookie.length > MAX_COOKIE_BYTES) return [];
  const views: SavedView[] = [];
  for (const [given, filters] of new URLSearchParams(Buffer.from(cookie, "base64url").toString("utf8"))) {
    const [name, query] = [nameOf(given), filtersOf(filters)];
    if (name !== "" && query !== "" && !views.some((view) => view.name === name)) views.push({ name, query });
  }
  return views.slice(0, MOST_VIEWS);
}

/** As `readViews` takes it. */
export function viewsText(views: readonly SavedView[]): string {
  const text = new URLSearchParams(views.map(({ name, query }) => [name, query])).toString();
  return Buffer.from(text, "utf8").toString("base64url");
}

/**
 * With one more, or another under a name that is taken.
 *
 * @returns in words why not, where it can't be kept
 */
export function withView(views: readonly SavedView[], givenName: string, filters: string): SavedView[] | string {
  const [name, query] = [nameOf(givenName), filtersOf(filters)];
  if (name === "") return "A view needs a name.";
  if (query === "") return "There is no filter to keep: filter the list first.";
  const isKnown = views.some((view) => view.name === name);
  if (!isKnown && views.length >= MOST_VIEWS) return `There are ${MOST_VIEWS} views already: delete one first.`;
  const one = { name, query };
  const next = isKnown ? views.map((view) => (view.name === name ? one : view)) : [...views, one];
  return viewsText(next).length > MAX_COOKIE_BYTES
    ? "Together they are longer than a cookie should be: delete one, or filter by less text."
    : next;
}

export function withoutView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((view) => view.name !== name);
}

function nameOf(given: string): string {
  return given.replace(/\s+/g, " ").trim().slice(0, MAX_VIEW_NAME);
}

/** Filters, and how the list is grouped: neither a page of it nor what is no filter. */
function filtersOf(given: string): string {
  return queryText(readRunsQuery(new URLSearchParams(given), []).view);
}
