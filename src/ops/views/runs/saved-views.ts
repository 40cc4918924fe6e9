/**
 * Named views of the runs list: filters stored in a cookie of this browser. Cookies are untrusted input and are parsed as strictly as a
 * URL. Pure.
 */
import { queryText, readRunsQuery } from "./runs-query.ts";

export const VIEWS_COOKIE = "svc-ops-views";

/** As many links as fit in a row, and a cookie small enough to send with each request. */
const MOST_VIEWS = 10;
const MAX_COOKIE_BYTES = 2048;
export const MAX_VIEW_NAME = 40;

export interface SavedView {
  name: string;
  /** The filters as a query string. */
  query: string;
}

/** Reads the views of a cookie. Invalid ones are ignored. */
export function readViews(cookie: string | undefined): SavedView[] {
  if (cookie === undefined || cookie.length > MAX_COOKIE_BYTES) return [];
  const views: SavedView[] = [];
  for (const [given, filters] of new URLSearchParams(Buffer.from(cookie, "base64url").toString("utf8"))) {
    const [name, query] = [nameOf(given), filtersOf(filters)];
    if (name !== "" && query !== "" && !views.some((view) => view.name === name)) views.push({ name, query });
  }
  return views.slice(0, MOST_VIEWS);
}

/** Serializes views for `readViews`. */
export function viewsText(views: readonly SavedView[]): string {
  const text = new URLSearchParams(views.map(({ name, query }) => [name, query])).toString();
  return Buffer.from(text, "utf8").toString("base64url");
}

/** Adds a view, or replaces the one with that name. @returns an error message if it cannot be saved */
export function withView(views: readonly SavedView[], givenName: string, filters: string): SavedView[] | string {
  const [name, query] = [nameOf(givenName), filtersOf(filters)];
  if (name === "") return "A view needs a name.";
  if (query === "") return "There is no filter to save. Filter the list first.";
  const isKnown = views.some((view) => view.name === name);
  if (!isKnown && views.length >= MOST_VIEWS) return `The limit of ${MOST_VIEWS} views is reached. Delete one first.`;
  const one = { name, query };
  const next = isKnown ? views.map((view) => (view.name === name ? one : view)) : [...views, one];
  return viewsText(next).length > MAX_COOKIE_BYTES
    ? "The views are too long for their cookie. Delete one, or use shorter filter texts."
    : next;
}

export function withoutView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((view) => view.name !== name);
}

function nameOf(given: string): string {
  return given.replace(/\s+/g, " ").trim().slice(0, MAX_VIEW_NAME);
}

/** The filters and the grouping, without the page and unknown parameters. */
function filtersOf(given: string): string {
  return queryText(readRunsQuery(new URLSearchParams(given), []).view);
}
