/** Telling the pages that this process keeps that what they show has changed. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { PageCache } from "./page-cache.ts";

/** Of the apps that run in this process. */
const caches = new Set<PageCache>();
/** Ways to tell the other processes that share a database with this one. */
const listeners = new Set<(names: readonly string[]) => void>();

/**
 * Has public pages made anew: those with one of these tags (`cache.tags`), at a path (`/books/emma`), or at it and below
 * (`/books/*`). For actions, submits, workers: whatever changes what pages show. In all processes that share a PostgreSQL
 * database, moments later; else in this one alone. Not in the caches of browsers and networks: those hold on to a page as long as
 * its rules said.
 * @throws SvcError `SVC_DEFINITION` without a name, or with an empty one
 */
export function invalidate(...names: readonly string[]): void {
  if (names.length === 0 || names.includes(""))
    throw new SvcError("SVC_DEFINITION", 'invalidate needs tags or paths, such as invalidate("books", "/books/*")');
  for (const cache of caches) cache.invalidate(names);
  for (const report of listeners) report(names);
}

/** @param tell called with what was invalidated in this process. @param closing ends it. */
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
