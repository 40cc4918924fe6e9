/**
 * `visit.js`: follows links within the document. Fetches the page, has this one become it (page-swap.ts) but for the layouts
 * that both have, and does what a browser does besides: history, scroll positions, focus, title. Whatever can't be shown that way
 * the browser loads. docs/decisions/025-links-stay-links.md
 */
import { AHEAD, DOM, HEADERS, PATHS } from "../../../platform/shared/wire.ts";
import { retryableImport } from "../runtime/retryable-import.ts";
import { busy } from "./loading-bar.ts";
import { announce, focusOn } from "./focus-and-announce.ts";
import { AHEAD_MS, BACK_MS, KeptPages } from "./prefetch-cache.ts";
import { pageOf } from "./link-click.ts";
import { outletsOf, sharedOutlet, type Outlet } from "./outlets.ts";
import * as places from "./scroll-positions.ts";
import type { NavigateOptions } from "../runtime/types.ts";

type PageSwap = typeof import("./page-swap.ts");

/** A page that has come. */
interface Fetched {
  /** After redirects. */
  address: string;
  text: string;
  headers: Headers;
}

/** A page that was asked for. */
interface Load {
  page: Promise<Fetched>;
  stop: () => void;
  /** Whether it was shown; from then on only who goes back is shown it again. */
  isUsed: boolean;
}

interface How extends NavigateOptions {
  /** The history is where it should be already. */
  isBack?: boolean;
  /** What was fetched ahead may be older than what the handler that goes there has done. */
  isFresh?: boolean;
}

const loads = new KeptPages<Load>();
let current: Load | undefined;
let visits = 0;

const isPage = ({ headers }: Response): boolean =>
  /^text\/html *(?:;|$)/i.test(headers.get("content-type") ?? "") &&
  !/^attachment/i.test(headers.get("content-disposition") ?? "");

const fetched = async (address: string, how: string, { signal }: AbortController): Promise<Fetched> => {
  const headers = { accept: "text/html", [HEADERS.navigation]: how };
  // Led to another site, it fails, and the browser goes there.
  const response = await fetch(address, { headers, signal, mode: "same-origin" });
  if (!isPage(response)) throw new TypeError(`${address} is no page`);
  return { address: response.url, text: await response.text(), headers: response.headers };
};

/** @param how it is asked for */
const begin = (address: string, how = "1"): Load => {
  const controller = new AbortController();
  const load: Load = { page: fetched(address, how, controller), stop: () => controller.abort(), isUsed: false };
  loads.keep(address, load, Date.now());
  load.page.catch(() => loads.forget(address, load));
  return load;
};

const ahead = (address: string): Load | undefined => {
  const load = loads.find(address, Date.now(), AHEAD_MS);
  return load?.isUsed ? undefined : load;
};

/** Fetches the page of a link that somebody is about to follow. */
export const prefetch = (href: string): void => {
  // What puts it in is fetched beside it.
  retryableImport(PATHS.pageSwap).catch(() => undefined);
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  const address = pageOf(href);
  if (!connection?.saveData && !ahead(address)) begin(address, AHEAD);
};

const comments = (page: Document): Comment[] => {
  const walker = page.createTreeWalker(page, NodeFilter.SHOW_COMMENT);
  const found: Comment[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Comment);
  return found;
};

/** What goes: all that is not around the innermost layout that both pages have. */
const contentOf = (outlet: Outlet<Comment> | undefined): ChildNode[] => {
  if (!outlet) return [...document.body.childNodes];
  const found: ChildNode[] = [];
  for (let at = outlet.start.nextSibling; at && at !== outlet.end; at = at.nextSibling) found.push(at);
  return found;
};

const linksOf = (page: Document): string | null | undefined =>
  page.querySelector(`script[${DOM.links}]`)?.getAttribute(DOM.links);

const load = (href: string, { isBack, replace }: How): void => {
  if (isBack) location.reload();
  else if (replace) location.replace(href);
  else location.assign(href);
};

/** Goes where a link leads. @returns when the page is shown, or the browser has been told to load it. */
export const follow = (href: string, how: How = {}): Promise<void> =>
  visit(href, pageOf(href) === pageOf(location.href) ? { ...how, replace: true } : how);

/** Shows the page of the history's entry that has become the current one. @param shown address of the page that is there */
export const goBack = (shown: string): void => {
  const { state } = history as { state: unknown };
  // What the app has put into the history by itself is its own.
  if (pageOf(location.href) !== shown) {
    if (state === null || places.isOurs(state)) void visit(location.href, { isBack: true });
  } else places.restore(false);
};

const known = (address: string, { isBack, isFresh }: How): Load | undefined => {
  if (isFresh) return undefined;
  return isBack ? loads.find(address, Date.now(), BACK_MS) : ahead(address);
};

const visit = async (href: string, how: How): Promise<void> => {
  const number = ++visits;
  const isStale = (): boolean => number !== visits;
  const address = pageOf(href);
  const kept = known(address, how);
  const asked = kept ?? begin(address);
  if (asked !== current && current?.isUsed === false) current.stop();
  current = asked;
  const end = busy(sharedParent());
  try {
    const [{ address: arrived, text, headers }, swapping] = await Promise.all([
      asked.page,
      retryableImport(PATHS.pageSwap) as Promise<PageSwap>,
    ]);
    if (isStale()) return;
    const next = await swapping.parsePage(new Response(text, { headers }));
    if (linksOf(next) !== linksOf(document) || !swapping.canSwap(next, headers)) return load(href, how);
    await swapping.ready(next);
    if (isStale()) return;
    asked.isUsed = true;
    await transition(() => show(next, withPlace(arrived, href), how, swapping));
  } catch (error) {
    if (isStale()) return;
    // Ahead of a click there may have been none, though there is one for who follows the link.
    if (kept?.isUsed === false) return await visit(href, { ...how, isFresh: true });
    console.warn(error);
    load(href, how);
  } finally {
    if (!isStale()) end();
  }
};

const sharedParent = (): Element => outletsOf(comments(document)).at(-1)?.start.parentElement ?? document.body;

/** A redirect keeps the place behind `#`, unless it names one. */
const withPlace = (arrived: string, href: string): string =>
  arrived.includes("#") ? arrived : arrived + href.slice(pageOf(href).length);

const show = async (next: Document, href: string, how: How, { swap }: PageSwap): Promise<void> => {
  const outlet = sharedOutlet(outletsOf(comments(document)), outletsOf(comments(next)));
  const gone = contentOf(outlet);
  places.leave(how.isBack === true);
  if (how.isBack) history.replaceState(history.state, "", href);
  else history[how.replace ? "replaceState" : "pushState"](null, "", href);
  places.arrive();
  await swap(next, { gone });
  if (how.isBack) places.restore(true);
  else if (how.scroll !== false) places.begin();
  focusOn(contentOf(outlet));
  announce(document.title);
  dispatchEvent(new CustomEvent(DOM.navigated, { detail: { href } }));
};

/** Changes the document, softly where browser and visitor like that. */
const transition = async (change: () => Promise<void>): Promise<void> => {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches || document.visibilityState !== "visible";
  if (isStill || !("startViewTransition" in document)) return change();
  const running = document.startViewTransition(change);
  // Skipped, where another begins meanwhile.
  running.ready.catch(() => undefined);
  running.finished.catch(() => undefined);
  await running.updateCallbackDone;
};

const isCall = (path: string): boolean => path.startsWith(PATHS.action) || path.startsWith(PATHS.submit);

// What was called may have changed what pages show: who goes back then is not shown how it was.
new PerformanceObserver((list) => {
  if (list.getEntries().some(({ name }) => isCall(name.slice(location.origin.length)))) loads.clear();
}).observe({ type: "resource" });
