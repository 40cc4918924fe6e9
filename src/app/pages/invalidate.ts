/** Invalidates cached pages of this process. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { PageCache } from "./page-cache.ts";

/** Caches of the apps in this process. */
const caches = new Set<PageCache>();
/** Listeners that notify other processes on the same database. */
const listeners = new Set<(names: readonly string[]) => void>();

/**
 * Invalidates public pages, so that the next request renders them again: pages with one of these tags (`cache.tags`), at a path
 * (`/books/emma`), or at a path and below (`/books/*`). Call it in actions, submits and workers that change the data of pages. It applies
 * to all processes that share a PostgreSQL database, with a short delay, else to this process only. Caches of browsers and networks keep a
 * page until its rules expire.
 * @throws SvcError `SVC_DEFINITION` without a name, or for an empty one
 * @example
 * export const like = action(async (id: string) => {
 *   invalidate(`book:${id}`, "/books");
 *   return id;
 * });
 */
export function invalidate(...names: readonly string[]): void {
  if (names.length === 0 || names.includes(""))
    throw new SvcError("SVC_DEFINITION", 'invalidate needs tags or paths, such as invalidate("books", "/books/*")');
  for (const cache of caches) cache.invalidate(names);
  for (const report of listeners) report(names);
}

/** @param report called with names invalidated in this process. @param closing ends it. */
export function onInvalidation(report: (names: readonly string[]) => void, closing: AbortSignal): void {
  follow(listeners, report, closing);
}

/** @param closing ends it. */
export function followInvalidations(cache: PageCache, closing: AbortSignal): void {
  follow(caches, cache, closing);
}

function follow<Follower>(all: Set<Follower>, one: Follower, closing: AbortSignal): void {
  if (closing.aborted) return;
  all.add(one);
  closing.addEventListener("abort", () => all.delete(one), { once: true });
}
